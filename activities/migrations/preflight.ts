import { createHash } from 'node:crypto';
import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type {
  ListedUpload,
  ObjectStore,
  WrittenObject,
} from '../../adapters/object-store/object-store.ts';
import { retryTransient } from '../../adapters/retry.ts';
import { multipartEtag, toTargetKey } from '../../domain/migrations/copying.ts';
import { withOrigin } from '../../domain/migrations/object-headers.ts';
import { writeInParts, type Trial } from '../../operations/providers/upload-trial.ts';
import type { TargetObjectDeps } from './target-object.ts';

type CanaryDeps = Pick<TargetObjectDeps, 'target' | 'keyPrefix' | 'migrationId'>;
export type WritingDeps = CanaryDeps & Pick<TargetObjectDeps, 'metadata'>;

const CANARY_NAME = '.storage-routing-canary';

/** Reading counts as refused when this many objects are refused. */
const MAX_READ = 3;
/** Failures that concern one object only; its copy reports them. */
const OF_THE_OBJECT: ReadonlySet<string> = new Set(['archived', 'changed', 'missing']);

/** Lists keys and reads one byte, with the credentials that the copies use. @throws StoreError */
export async function tryReading(source: ObjectStore, prefix: string): Promise<void> {
  const { entries } = await source.list({ prefix, after: null });
  const readable = entries.filter(({ sizeBytes }) => sizeBytes > 0).slice(0, MAX_READ);
  let refusal: StoreError | undefined;
  for (const { key, etag } of readable) {
    try {
      const opened = await source.open(key, { ifMatch: etag, range: { first: 0, last: 0 } });
      opened.close();
      return;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (OF_THE_OBJECT.has(error.failure)) return;
      refusal = error;
      if (error.failure !== 'access_denied') break;
    }
  }
  if (refusal) throw refusal;
}

export interface Canary {
  /** Its ETag is not the one that its bytes have. */
  readonly isOpaque: boolean;
}

/**
 * Writes, reads and deletes a small object at the target, with the headers that the copies use. It
 * has one key and one content per migration, so that the next check overwrites and deletes what a
 * killed worker has left.
 *
 * @throws StoreError, also if other bytes or headers come back
 */
export async function tryWriting(deps: WritingDeps): Promise<Canary> {
  const { body, md5, headers } = canaryObject(deps);
  return await tryCanary(deps, canaryKey(deps), md5.toString('hex'), (key) =>
    deps.target.write(key, { headers, sizeBytes: body.length, md5, body }),
  );
}

/** The same by a multipart upload, under a key of its own. @throws StoreError */
export async function tryUploading(
  deps: WritingDeps,
  uploads: NonNullable<Trial['uploads']>,
): Promise<Canary> {
  const { body, md5, headers } = canaryObject(deps);
  const trial = { store: deps.target, options: {}, uploads };
  return await tryCanary(deps, partsKey(deps), multipartEtag([md5]), (key) =>
    writeInParts(trial, key, { headers, body }),
  );
}

/**
 * Deletes the canaries of a check whose worker was killed, and what a measurement has left. Every
 * key below a canary's is ours, so an upload there is aborted whether it was noted or not.
 *
 * @throws StoreError
 */
export async function removeCanary(deps: CanaryDeps): Promise<void> {
  const { target } = deps;
  for (const { key, uploadId } of await ifListed(() => uploadsOf(deps)))
    await target.abortUpload(key, uploadId);
  const remove = async (key: string) => {
    // A versioned bucket answers the delete of a missing object with a delete marker.
    if (await target.head(key)) await target.delete(key);
  };
  await Promise.all([canaryKey(deps), partsKey(deps)].map(remove));
  const list = () => target.list({ prefix: canaryFolder(deps), after: null });
  for (const { key } of await ifListed(async () => (await list()).entries))
    await target.delete(key);
}

async function uploadsOf(deps: CanaryDeps): Promise<readonly ListedUpload[]> {
  const uploads: ListedUpload[] = [];
  for await (const upload of deps.target.uploads(canaryKey(deps))) uploads.push(upload);
  return uploads;
}

/** Nothing where the target does not list it. @throws StoreError */
async function ifListed<T>(list: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await list();
  } catch (error) {
    if (!(error instanceof StoreError) || error.isTransient) throw error;
    return [];
  }
}

function canaryObject({ migrationId, metadata }: WritingDeps) {
  const body = createHash('sha512').update(migrationId).digest();
  const md5 = createHash('md5').update(body).digest();
  const source = {
    headers: { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' },
    etag: md5.toString('hex'),
    lastModified: new Date(0).toISOString(),
  };
  return { body, md5, headers: withOrigin(metadata, source, migrationId) };
}

/** A check in another process may overwrite or delete the canary between the write and the read. */
async function tryCanary(
  deps: WritingDeps,
  key: string,
  expectedEtag: string,
  write: (key: string) => Promise<WrittenObject>,
): Promise<Canary> {
  const isOther = (error: unknown) =>
    error instanceof StoreError && (error.failure === 'missing' || error.failure === 'changed');
  const { canaryAttempts: attempts } = STORE_CALLS.migration;
  return await retryTransient({ attempts, isTransient: isOther }, async () => {
    try {
      const { etag, isOpaque } = await write(key);
      await requireKept(deps, key, etag);
      await deps.target.delete(key);
      return { isOpaque: isOpaque || etag !== expectedEtag };
    } catch (error) {
      await deps.target.delete(key).catch(() => undefined);
      throw error;
    }
  });
}

/** @throws StoreError if other bytes or headers come back */
async function requireKept(deps: WritingDeps, key: string, etag: string): Promise<void> {
  const { body, headers } = canaryObject(deps);
  const opened = await deps.target.open(key, { ifMatch: etag });
  const chunks: Buffer[] = [];
  for await (const chunk of opened.body) chunks.push(Buffer.from(chunk));
  const isKept = Object.entries(headers).every(([name, value]) => opened.headers[name] === value);
  if (!isKept || !Buffer.concat(chunks).equals(body))
    throw new StoreError('failed', new Error('it does not return what was written'), false);
}

/** Below it, what a target can do is measured. */
export function canaryFolder(deps: CanaryDeps): string {
  return `${canaryKey(deps)}-measured/`;
}

function canaryKey({ keyPrefix, migrationId }: CanaryDeps): string {
  return toTargetKey(keyPrefix, `${CANARY_NAME}-${migrationId}`);
}

function partsKey(deps: CanaryDeps): string {
  return `${canaryKey(deps)}-parts`;
}
