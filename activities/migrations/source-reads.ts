import type { Manifests } from '../../adapters/mongo/migrations/manifests.ts';
import { MigrationStopError } from '../../domain/migrations/stop.ts';
import type { SourceRead, SourceReads } from '../../copy/types.ts';

/** What a worker that is killed has not added, at most, besides the reads that it had begun. */
const UNSAVED_BYTES = 2 ** 26;

/** The reads of a slice, which it adds to those of the other slices of its round. */
export interface SliceReads extends SourceReads {
  save(): Promise<void>;
}

/** `allowedBytes`: of the whole round, all its slices together. */
export function createSourceReads(
  manifests: Pick<Manifests, 'addSourceBytes'>,
  roundId: string,
  allowedBytes: number,
): SliceReads {
  /** The bytes of all slices, as far as they have added theirs. */
  let saved: number | undefined;
  let unsaved = 0;
  /** The bytes of begun reads that have not arrived. */
  let awaited = 0;

  async function save(): Promise<void> {
    const bytes = unsaved;
    unsaved -= bytes;
    try {
      saved = await manifests.addSourceBytes(roundId, bytes);
    } catch (error) {
      unsaved += bytes;
      throw error;
    }
  }

  const isWithin = (bytes: number) => (saved ?? 0) + unsaved + awaited + bytes <= allowedBytes;

  return {
    save,
    async begin(bytes) {
      if (saved === undefined || unsaved >= UNSAVED_BYTES) await save();
      if (!isWithin(bytes)) throw exceeded(allowedBytes);
      let left = bytes;
      awaited += left;
      const take = (count: number) => {
        awaited -= Math.min(count, left);
        left -= Math.min(count, left);
      };
      const read: SourceRead = {
        add(count) {
          take(count);
          unsaved += count;
        },
        close: () => take(left),
      };
      return read;
    },
  };
}

function exceeded(allowedBytes: number): MigrationStopError {
  return new MigrationStopError(
    'quote_exceeded',
    `It would read more than ${allowedBytes} bytes from the source, repeats and comparisons included: ` +
      'a tenth and 1 GiB more than it copies. What was copied stays.',
  );
}
