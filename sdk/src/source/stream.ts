import { asSourceFailure, checkBytes, sizeMismatch } from './errors.ts';
import { bytesToPut } from './memory.ts';
import type { ByteStream, OpenedSource, PutSource } from './types.ts';

/** A stream of known size as a source: read once, as a whole or in ascending parts. */
export function openStream(source: ByteStream, fileName: string, sizeBytes: number): OpenedSource {
  let end: (() => unknown) | undefined;
  const pieces = (): AsyncIterable<Uint8Array> => {
    if ('getReader' in source) {
      const reader = source.getReader();
      end = () => reader.cancel();
      return readStreamPieces(reader);
    }
    // Node's Readable requires `destroy`: its iterator ends only after the pending read.
    const destroy = 'destroy' in source ? source.destroy : undefined;
    if (typeof destroy === 'function') end = () => destroy.call(source);
    return source;
  };
  return {
    fileName,
    sizeBytes,
    contentType: undefined,
    modifiedAtMs: undefined,
    isRepeatable: false,
    pieces,
    part: createPartReader(pieces, sizeBytes),
    verifyUnchanged: () => Promise.resolve(),
    whole: undefined,
    async close() {
      try {
        await end?.();
      } catch {
        // An error of the caller's stream while it closes does not affect the upload.
      }
    },
  };
}

async function* readStreamPieces(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

/**
 * Reads ascending parts of a stream into memory, each into memory of its own, and drops what is
 * between them. The last part is given out only once the stream has ended where it was announced
 * to.
 */
function createPartReader(
  open: () => AsyncIterable<Uint8Array>,
  totalBytes: number,
): OpenedSource['part'] {
  let iterator: AsyncIterator<Uint8Array> | undefined;
  let unread = new Uint8Array(0);
  let position = 0;
  const hasMore = async (): Promise<boolean> => {
    iterator ??= open()[Symbol.asyncIterator]();
    while (unread.byteLength === 0) {
      const next = await iterator.next();
      if (next.done === true) return false;
      checkBytes(next.value);
      unread = next.value as typeof unread;
    }
    return true;
  };
  const read = async (start: number, end: number, onRead: () => void): Promise<PutSource> => {
    const bytes = new Uint8Array(end - start);
    while (position < end) {
      if (!(await hasMore())) throw sizeMismatch(totalBytes, `${position}`);
      onRead();
      const dropped = Math.min(unread.byteLength, Math.max(0, start - position));
      const taken = unread.subarray(dropped, dropped + end - Math.max(position, start));
      bytes.set(taken, Math.max(0, position - start));
      position += dropped + taken.byteLength;
      unread = unread.subarray(dropped + taken.byteLength);
    }
    if (end === totalBytes && (await hasMore())) throw sizeMismatch(totalBytes, 'more');
    return bytesToPut(bytes);
  };
  return (start, sizeBytes, onRead) =>
    read(start, start + sizeBytes, onRead).catch((error: unknown) => {
      throw asSourceFailure(error);
    });
}
