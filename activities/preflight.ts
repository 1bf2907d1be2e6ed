import { createHash, randomBytes } from 'node:crypto';
import { StoreError } from '../adapters/object-store/errors.ts';
import type { TransferStore } from '../adapters/object-store/transfer-store.ts';
import { headersFor, targetKeyOf } from '../domain/migration/copying.ts';

/** A migration's stores and keys. */
export interface PreflightDeps {
  readonly source: TransferStore;
  readonly target: TransferStore;
  readonly bucket: string;
  /** The prefix of the keys to copy. */
  readonly prefix: string;
  readonly migrationId: string;
}

const CANARY_BYTES = 64;
const CANARY_NAME = '.storage-routing-canary';

/** Reading counts as refused when this many objects are refused. */
const MAX_READ = 3;
/** Failures that concern one object only; its copy reports them. */
const OF_THE_OBJECT: ReadonlySet<string> = new Set(['archived', 'changed', 'missing']);

/** Lists keys and reads one byte, with the credentials that the copies use. @throws StoreError */
export async function tryReading({ source, prefix }: PreflightDeps): Promise<void> {
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
 * Writes, reads and deletes a small object at the target, with the headers that the copies use.
 *
 * @throws StoreError, also where other bytes or headers come back, or an ETag that is no MD5: copies
 * could not be verified there.
 */
export async function tryWriting(deps: PreflightDeps): Promise<void> {
  const { target, bucket, migrationId } = deps;
  const body = randomBytes(CANARY_BYTES);
  const md5 = createHash('md5').update(body).digest();
  const etag = md5.toString('hex');
  const headers = headersFor(
    {
      headers: { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' },
      etag,
      lastModified: new Date(0).toISOString(),
    },
    migrationId,
  );
  const name = `${CANARY_NAME}-${migrationId}-${randomBytes(4).toString('hex')}`;
  const key = targetKeyOf(bucket, name);
  try {
    const written = await target.write(key, { headers, sizeBytes: body.length, md5, body });
    if (written !== etag) throw new StoreError('failed', new Error('its ETags are no MD5'), false);
    const opened = await target.open(key, { ifMatch: etag });
    const chunks: Buffer[] = [];
    for await (const chunk of opened.body) chunks.push(chunk);
    const isKept = Object.entries(headers).every(
      ([name_, value]) => opened.headers[name_] === value,
    );
    if (!isKept || !Buffer.concat(chunks).equals(body))
      throw new StoreError('failed', new Error('it does not return what was written'), false);
  } catch (error) {
    await target.delete(key).catch(() => undefined);
    throw error;
  }
  await target.delete(key);
}
