import { hash, randomBytes, randomUUID } from 'node:crypto';
import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectStore, WrittenObject } from '../../adapters/object-store/object-store.ts';
import { multipartEtag, toTargetKey } from '../../domain/migrations/copying.ts';
import type { StoreCapabilities } from '../../domain/providers/capabilities.ts';
import { measureCapabilities } from '../providers/capabilities.ts';
import { writeInParts, type Trial } from '../providers/upload-trial.ts';

const FOLDER = '.storage-routing-check';
const BYTES = 64;
const HEADERS = { 'content-type': 'application/octet-stream' };

/** Why a target is refused without MD5s as ETags and without a check of `Content-MD5`. */
export const UNPROVABLE =
  'what is written there could not be proven: the ETags are no MD5s of the bytes, as where a key of KMS encrypts, and bytes that differ from their Content-MD5 are not refused';

/** The target of a move, and what it was measured to do. */
export interface TrialTarget {
  readonly store: ObjectStore;
  readonly keyPrefix: string;
  readonly capabilities: Partial<StoreCapabilities>;
}

/** What small objects at the target have shown. `failure`: why it cannot be used; null: it can. */
export interface TargetTrial {
  readonly failure: string | null;
  /** The source shows one of them too: both are one bucket. */
  readonly isSource: boolean;
}

/**
 * Writes a small object at the target, and side by side another one by a multipart upload, reads
 * them back, and deletes them. The first is looked for at the source, too. Where their ETags are no
 * MD5s, the target must refuse bytes that differ from their Content-MD5.
 */
export async function tryTarget(
  source: ObjectStore,
  { store, keyPrefix, capabilities }: TrialTarget,
): Promise<TargetTrial> {
  const key = toTargetKey(keyPrefix, `${FOLDER}/${randomUUID()}`);
  const trial = { store, options: { timeoutMs: STORE_CALLS.api.trialMs } };
  const body = randomBytes(BYTES);
  const md5 = hash('md5', body, 'buffer');
  const keys = { whole: key, inParts: `${key}-parts` };
  let isSource = false;
  const tried = await Promise.all([
    tryObject(trial, keys.whole, body, md5.toString('hex'), async () => {
      const request = { headers: HEADERS, sizeBytes: BYTES, md5, body };
      const written = await store.write(keys.whole, request, trial.options);
      // A source that does not answer has nothing to show.
      isSource =
        (await source.head(keys.whole, trial.options).catch(() => undefined)) !== undefined;
      return written;
    }),
    tryObject(trial, keys.inParts, body, multipartEtag([md5]), () =>
      writeInParts(trial, keys.inParts, { headers: HEADERS, body }),
    ),
  ]);
  // A store on a file system removes a folder with its last object, also while the other one is on
  // its way into it.
  const [whole, inParts] = await Promise.all([
    removeTried(store, keys.whole, tried[0]),
    removeTried(store, keys.inParts, tried[1]),
  ]);
  const refused = (how: string, why: string) =>
    `the stored credentials cannot write there${how}: ${why}`;
  if (whole.failure !== null) return { failure: refused('', whole.failure), isSource };
  if (inParts.failure !== null) return { failure: refused(' in parts', inParts.failure), isSource };
  if (!whole.isOpaque && !inParts.isOpaque) return { failure: null, isSource };
  const isProvable = capabilities.contentMd5 ?? (await refusesOtherBytes(trial, `${key}-md5/`));
  return { failure: isProvable ? null : UNPROVABLE, isSource };
}

interface TriedObject {
  readonly failure: string | null;
  /** Its ETag is not the one that its bytes have. */
  readonly isOpaque: boolean;
}

/** Writes an object and reads it back. */
async function tryObject(
  { store, options }: Trial,
  key: string,
  body: Buffer,
  expectedEtag: string,
  write: () => Promise<WrittenObject>,
): Promise<TriedObject> {
  try {
    const { etag, isOpaque } = await write();
    const read = await store.get(key, options);
    const isSame = read?.equals(body) === true;
    const failure = isSame ? null : 'other bytes came back than were written';
    return { failure, isOpaque: isOpaque || etag !== expectedEtag };
  } catch (error) {
    return { failure: messageOf(error), isOpaque: false };
  }
}

/** Deletes what was written, after a failure too: the lost answer may be that of a write. */
async function removeTried(
  store: ObjectStore,
  key: string,
  tried: TriedObject,
): Promise<TriedObject> {
  try {
    await store.delete(key, { timeoutMs: STORE_CALLS.api.checkMs });
    return tried;
  } catch (error) {
    return { ...tried, failure: tried.failure ?? messageOf(error) };
  }
}

/** @throws what is no failure of the store */
function messageOf(error: unknown): string {
  if (error instanceof StoreError) return error.message;
  throw error;
}

async function refusesOtherBytes(trial: Trial, folder: string): Promise<boolean> {
  const { capabilities } = await measureCapabilities({ ...trial, folder }, ['contentMd5']);
  return capabilities.contentMd5 === true;
}
