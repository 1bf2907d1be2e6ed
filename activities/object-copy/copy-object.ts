import { hash } from 'node:crypto';
import type { ObjectBody } from '../../adapters/object-store/object-store.ts';
import { PART_BYTES } from '../../domain/common/parts.ts';
import { BUFFERED_BYTES } from '../../domain/migration/copying.ts';
import type { ManifestEntry } from '../../domain/migration/object-ledger.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { CopyError, withCopyErrors } from './copy-error.ts';
import { copyMultipart } from './copy-parts.ts';
import {
  acquireMemory,
  checkSourceMd5,
  exactBytes,
  fromSource,
  openExactly,
  readBuffered,
  targetHeaders,
  type CopiedObject,
  type ObjectCopyDeps,
} from './copy-io.ts';
import { StreamHashes } from './stream-hashes.ts';
import { checkTarget } from './target-check.ts';

/**
 * Copies one object in one attempt. Each byte is read once, with `If-Match` on the listed ETag, and
 * hashed on the way; the target's ETag must equal the MD5.
 *
 * | size          | how                                                                          |
 * | ------------- | ---------------------------------------------------------------------------- |
 * | up to 8 MiB   | buffered; one PUT with Content-MD5                                           |
 * | up to 64 MiB  | streamed; one PUT, with Content-MD5 if the source's ETag is an MD5           |
 * | more          | multipart, one part after the other; a part that fails is retried by itself  |
 *
 * @throws CopyError; the signal's reason if that was aborted
 */
export function copyObject(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  targetKey: string,
): Promise<CopiedObject> {
  if (entry.sizeBytes <= BUFFERED_BYTES) return copyBuffered(deps, entry, targetKey);
  if (entry.sizeBytes <= PART_BYTES) return copyStreamed(deps, entry, targetKey);
  return copyMultipart(deps, entry, targetKey);
}

async function copyBuffered(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  targetKey: string,
): Promise<CopiedObject> {
  const release = await acquireMemory(deps, entry.sizeBytes);
  try {
    const opened = await openExactly(deps, fromSource(deps, entry), { isBuffered: true });
    const body = await readBuffered('source', opened).finally(() => opened.close());
    const md5 = hash('md5', body, 'buffer');
    const md5Hex = md5.toString('hex');
    checkSourceMd5(opened, md5Hex);
    const sha256 = hash('sha256', body, 'hex');
    const headers = targetHeaders(deps, entry, opened);
    const sizeBytes = body.length;
    const targetEtag = await put(deps, targetKey, { headers, sizeBytes, md5, body });
    await checkTarget(deps, targetKey, targetEtag, md5Hex);
    const { notCarried } = opened;
    return { bytes: sizeBytes, sourceEtag: entry.etag, sha256, targetEtag, notCarried };
  } finally {
    release();
  }
}

async function copyStreamed(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  targetKey: string,
): Promise<CopiedObject> {
  const { sizeBytes, etag: sourceEtag } = entry;
  const opened = await openExactly(deps, fromSource(deps, entry));
  const hashes = new StreamHashes({ wantsWholeMd5: false });
  let isRead = false;
  async function* body(): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of exactBytes(deps, 'source', opened)) {
      hashes.update(chunk);
      yield chunk;
    }
    isRead = true;
  }
  try {
    const headers = targetHeaders(deps, entry, opened);
    const md5 = opened.md5 === null ? undefined : Buffer.from(opened.md5, 'hex');
    const written = put(deps, targetKey, { headers, sizeBytes, md5, body: body() });
    const targetEtag = await written.catch((error: unknown) => {
      // The target refuses bytes that differ from the announced MD5: then the source sent wrong ones.
      if (isRead) checkSourceMd5(opened, hashes.endPart().toString('hex'));
      throw error;
    });
    const md5Hex = hashes.endPart().toString('hex');
    checkSourceMd5(opened, md5Hex);
    await checkTarget(deps, targetKey, targetEtag, md5Hex);
    const { notCarried } = opened;
    return { bytes: sizeBytes, sourceEtag, sha256: hashes.sha256(), targetEtag, notCarried };
  } finally {
    opened.close();
  }
}

async function put(
  { limits, target, signal, confirmOpen, onlyIfNew = false }: ObjectCopyDeps,
  targetKey: string,
  { headers, ...body }: ObjectBody & { readonly headers: Record<string, string> },
): Promise<string> {
  await limits.acquireRequest(signal);
  await confirmOpen?.();
  const condition = onlyIfNew ? { 'if-none-match': '*' } : {};
  const request = { ...body, headers: { ...headers, ...condition } };
  const written = target.write(targetKey, request, { signal, keepsSent: true });
  return withCopyErrors('target', written.catch(throwOccupied));
}

/** Another writer's object, or this copy's own, whose answer was lost: the next attempt looks at it. */
function throwOccupied(error: unknown): never {
  if (!(error instanceof StoreError) || error.failure !== 'changed') throw error;
  throw new CopyError('target_occupied', { isTransient: true, side: 'target', cause: error });
}
