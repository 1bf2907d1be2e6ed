import { createHash, hash } from 'node:crypto';
import type { ObjectBody, WrittenObject } from '../adapters/object-store/object-store.ts';
import { needsDigests } from '../domain/providers/capabilities.ts';
import { PART_BYTES } from '../domain/common/parts.ts';
import { BUFFERED_BYTES } from '../domain/migrations/copying.ts';
import type { ManifestEntry } from '../domain/migrations/object-ledger.ts';
import { isRefusal } from '../adapters/object-store/errors.ts';
import { CopyError, withCopyErrors } from './copy-error.ts';
import { copyMultipart } from './copy-parts.ts';
import {
  acquireMemory,
  exactBytes,
  fromSource,
  openExactly,
  readBuffered,
  targetHeaders,
} from './transport.ts';
import { checkSourceMd5, guardingMd5, incomplete } from './source-check.ts';
import { type CopiedObject, type ObjectWriteDeps } from './types.ts';
import { checkTarget, putCondition, throwOccupied } from './target-check.ts';

/**
 * Copies one object in one attempt. Each byte is read once, with `If-Match` on the listed ETag, and
 * its SHA-256 is taken on the way; the target's ETag must equal the MD5, unless the target's ETags
 * are none.
 *
 * | size          | how                                                                          |
 * | ------------- | ---------------------------------------------------------------------------- |
 * | up to 8 MiB   | buffered; one PUT with Content-MD5                                           |
 * | up to 64 MiB  | streamed; one PUT, with Content-MD5 if the source's ETag is an MD5           |
 * | more          | multipart, several parts at once; a part that fails is retried by itself     |
 *
 * Where each PUT and part needs a digest (`needsDigests`), an object of more than 8 MiB whose MD5
 * is not known is copied in parts of 8 MiB, which are buffered.
 *
 * Up to 64 MiB the MD5 is the source's ETag, where that is one and the target refuses bytes that
 * differ from Content-MD5; else it is our own.
 *
 * @throws CopyError; the signal's reason if that was aborted
 */
export function copyObject(
  deps: ObjectWriteDeps,
  entry: ManifestEntry,
  targetKey: string,
): Promise<CopiedObject> {
  if (entry.sizeBytes <= BUFFERED_BYTES) return copyBuffered(deps, entry, targetKey);
  if (entry.sizeBytes <= PART_BYTES) return copyStreamed(deps, entry, targetKey);
  return copyMultipart(deps, entry, targetKey);
}

async function copyBuffered(
  deps: ObjectWriteDeps,
  entry: ManifestEntry,
  targetKey: string,
): Promise<CopiedObject> {
  const release = await acquireMemory(deps, entry.sizeBytes);
  try {
    const opened = await openExactly(deps, fromSource(deps, entry), { isBuffered: true });
    const body = await readBuffered(opened).finally(() => opened.close());
    const guard = guardingMd5(deps, opened);
    const md5 = guard ?? hash('md5', body, 'buffer');
    if (!guard) checkSourceMd5(opened, md5.toString('hex'));
    const sha256 = hash('sha256', body, 'hex');
    const headers = targetHeaders(deps, entry, opened);
    const sizeBytes = body.length;
    const writing = put(deps, targetKey, { headers, sizeBytes, md5, body });
    const written = await (guard ? writing.catch(throwIncomplete) : writing);
    await checkTarget(deps, targetKey, written, { etag: md5.toString('hex'), hasDigest: true });
    const { etag: targetEtag } = written;
    const { notCarried } = opened;
    return { bytes: sizeBytes, sourceEtag: entry.etag, sha256, targetEtag, notCarried };
  } finally {
    release();
  }
}

async function copyStreamed(
  deps: ObjectWriteDeps,
  entry: ManifestEntry,
  targetKey: string,
): Promise<CopiedObject> {
  const { sizeBytes, etag: sourceEtag } = entry;
  const opened = await openExactly(deps, fromSource(deps, entry));
  if (opened.md5 === null && needsDigests(deps.capabilities)) {
    opened.close();
    return await copyMultipart(deps, entry, targetKey);
  }
  const guard = guardingMd5(deps, opened);
  const sha256 = createHash('sha256');
  const ownMd5 = guard ? undefined : createHash('md5');
  const body = exactBytes(deps, 'source', opened, (piece) => {
    sha256.update(piece);
    ownMd5?.update(piece);
  });
  try {
    const headers = targetHeaders(deps, entry, opened);
    const md5 = opened.md5 === null ? undefined : Buffer.from(opened.md5, 'hex');
    // The target refuses bytes that differ from the announced MD5: then the source sent wrong ones.
    const writing = put(deps, targetKey, { headers, sizeBytes, md5, body });
    const written = await (md5 ? writing.catch(throwIncomplete) : writing);
    const md5Hex = ownMd5?.digest('hex') ?? opened.md5 ?? '';
    checkSourceMd5(opened, md5Hex);
    await checkTarget(deps, targetKey, written, { etag: md5Hex, hasDigest: md5 !== undefined });
    const { etag: targetEtag } = written;
    const { notCarried } = opened;
    return {
      bytes: sizeBytes,
      sourceEtag,
      sha256: sha256.digest('hex'),
      targetEtag,
      notCarried,
    };
  } finally {
    opened.close();
  }
}

/** Bytes that differ from the source's MD5. */
function throwIncomplete(error: unknown): never {
  const isOther = !(error instanceof CopyError) || !isRefusal(error.cause, 'BadDigest');
  throw isOther ? error : incomplete('source');
}

async function put(
  deps: ObjectWriteDeps,
  targetKey: string,
  { headers, ...body }: ObjectBody & { readonly headers: Record<string, string> },
): Promise<WrittenObject> {
  const { limits, target, signal, confirmOpen } = deps;
  await limits.acquireRequest(signal);
  await confirmOpen?.();
  const request = { ...body, headers: { ...headers, ...putCondition(deps) } };
  const written = target.write(targetKey, request, { signal, keepsSent: true });
  return withCopyErrors('target', written.catch(throwOccupied));
}
