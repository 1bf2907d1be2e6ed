import { createHash } from 'node:crypto';
import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { retryTransient } from '../../adapters/retry.ts';
import { toTargetKey } from '../../domain/migration/copying.ts';
import { withOrigin } from '../../domain/migration/object-headers.ts';
import type { MetadataLimits } from '../../domain/provider/catalogue.ts';

export interface ReadingDeps {
  readonly source: ObjectStore;
  /** The prefix of the keys to copy. */
  readonly prefix: string;
}

export interface CanaryDeps {
  readonly target: ObjectStore;
  /** Of the keys at the target. */
  readonly keyPrefix: string;
  readonly migrationId: string;
}

export interface WritingDeps extends CanaryDeps {
  /** What the target takes of an object's metadata. */
  readonly metadata: MetadataLimits;
}

const CANARY_NAME = '.storage-routing-canary';

/** Reading counts as refused when this many objects are refused. */
const MAX_READ = 3;
/** Failures that concern one object only; its copy reports them. */
const OF_THE_OBJECT: ReadonlySet<string> = new Set(['archived', 'changed', 'missing']);

/** Lists keys and reads one byte, with the credentials that the copies use. @throws StoreError */
export async function tryReading({ source, prefix }: ReadingDeps): Promise<void> {
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

/**
 * Writes, reads and deletes a small object at the target, with the headers that the copies use. It has
 * one key and one content per migration, so that the next check overwrites and deletes what a killed
 * worker has left.
 *
 * @throws StoreError, also if other bytes or headers come back, or an ETag that is no MD5: copies
 * could not be verified there.
 */
export async function tryWriting(deps: WritingDeps): Promise<void> {
  const isMissing = (error: unknown) => error instanceof StoreError && error.failure === 'missing';
  const { canaryAttempts: attempts } = STORE_CALLS.migration;
  await retryTransient({ attempts, isTransient: isMissing }, () => writeCanary(deps));
}

/** Deletes the canary of a check whose worker was killed. @throws StoreError */
export async function removeCanary({ target, keyPrefix, migrationId }: CanaryDeps): Promise<void> {
  const key = canaryKey(keyPrefix, migrationId);
  // A versioned bucket answers the delete of a missing object with a delete marker.
  if (await target.head(key)) await target.delete(key);
}

async function writeCanary(deps: WritingDeps): Promise<void> {
  const { target, keyPrefix, migrationId, metadata } = deps;
  const body = createHash('sha512').update(migrationId).digest();
  const md5 = createHash('md5').update(body).digest();
  const etag = md5.toString('hex');
  const headers = withOrigin(
    metadata,
    {
      headers: { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' },
      etag,
      lastModified: new Date(0).toISOString(),
    },
    migrationId,
  );
  const key = canaryKey(keyPrefix, migrationId);
  try {
    const written = await target.write(key, { headers, sizeBytes: body.length, md5, body });
    if (written !== etag) throw new StoreError('failed', new Error('its ETags are no MD5'), false);
    const opened = await target.open(key, { ifMatch: etag });
    const chunks: Buffer[] = [];
    for await (const chunk of opened.body) chunks.push(chunk);
    const isKept = Object.entries(headers).every(([name, value]) => opened.headers[name] === value);
    if (!isKept || !Buffer.concat(chunks).equals(body))
      throw new StoreError('failed', new Error('it does not return what was written'), false);
  } catch (error) {
    await target.delete(key).catch(() => undefined);
    throw error;
  }
  await target.delete(key);
}

/** Below it, what a target can do is measured. */
export function canaryFolder(keyPrefix: string, migrationId: string): string {
  return `${canaryKey(keyPrefix, migrationId)}-measured/`;
}

function canaryKey(keyPrefix: string, migrationId: string): string {
  return toTargetKey(keyPrefix, `${CANARY_NAME}-${migrationId}`);
}
