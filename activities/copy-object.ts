import { hash } from 'node:crypto';
import type { TransferBody } from '../adapters/object-store/transfer-store.ts';
import { HELD_BYTES, isPlainMd5, PART_BYTES } from '../domain/migration/copying.ts';
import type { ManifestEntry } from '../domain/migration/object-ledger.ts';
import { at } from './copy-error.ts';
import { copyInParts } from './copy-parts.ts';
import {
  checkSourceMd5,
  exactBytes,
  openExactly,
  readHeld,
  targetHeaders,
  type CopiedObject,
  type ObjectCopyDeps,
  type ReadFrom,
} from './object-copy.ts';
import { PassingHashes } from './passing-hashes.ts';
import { checkTarget } from './target-check.ts';

export { CopyError } from './copy-error.ts';
export type { CopiedObject, ObjectCopyDeps } from './object-copy.ts';
export { proveObject } from './prove-object.ts';

/**
 * Copies one object, byte for byte: one try, in which each byte is read once, if it is still the
 * listed object, and hashed on its way, and what the target says of it is held against that.
 *
 * | size          | how                                                                          |
 * | ------------- | ---------------------------------------------------------------------------- |
 * | up to 8 MiB   | held; one PUT with Content-MD5                                               |
 * | up to 64 MiB  | passed through; one PUT, with Content-MD5 where the source's ETag tells it   |
 * | more          | in parts, one after the other; a part that fails is tried again by itself    |
 *
 * @throws CopyError; the signal's reason where that was aborted
 */
export function copyObject(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  targetKey: string,
): Promise<CopiedObject> {
  if (entry.sizeBytes <= HELD_BYTES) return copyHeld(deps, entry, targetKey);
  if (entry.sizeBytes <= PART_BYTES) return copyThrough(deps, entry, targetKey);
  return copyInParts(deps, entry, targetKey);
}

async function copyHeld(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  targetKey: string,
): Promise<CopiedObject> {
  const { gate, signal } = deps;
  const release = await gate.hold(entry.sizeBytes, signal);
  try {
    const opened = await openExactly(deps, sourceOf(deps, entry), { isHeld: true });
    const body = await readHeld('source', opened).finally(() => opened.close());
    const md5 = hash('md5', body, 'buffer');
    const md5Hex = md5.toString('hex');
    checkSourceMd5(entry, md5Hex);
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

async function copyThrough(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  targetKey: string,
): Promise<CopiedObject> {
  const { sizeBytes, etag: sourceEtag } = entry;
  const opened = await openExactly(deps, sourceOf(deps, entry));
  const hashes = new PassingHashes({ wantsWholeMd5: false });
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
    const md5 = isPlainMd5(sourceEtag) ? Buffer.from(sourceEtag, 'hex') : undefined;
    const written = put(deps, targetKey, { headers, sizeBytes, md5, body: body() });
    const targetEtag = await written.catch((error: unknown) => {
      // A target that was promised another MD5 refuses the bytes; the fault was the source's.
      if (isRead) checkSourceMd5(entry, hashes.endPart().toString('hex'));
      throw error;
    });
    const taken = hashes.endPart().toString('hex');
    checkSourceMd5(entry, taken);
    await checkTarget(deps, targetKey, targetEtag, taken);
    const { notCarried } = opened;
    return { bytes: sizeBytes, sourceEtag, sha256: hashes.sha256(), targetEtag, notCarried };
  } finally {
    opened.close();
  }
}

function sourceOf({ source }: ObjectCopyDeps, { key, etag, sizeBytes }: ManifestEntry): ReadFrom {
  return { side: 'source', store: source, key, etag, sizeBytes };
}

async function put(
  { gate, target, signal }: ObjectCopyDeps,
  targetKey: string,
  request: TransferBody & { readonly headers: Record<string, string> },
): Promise<string> {
  await gate.request(signal);
  return at('target', target.write(targetKey, request, { signal }));
}
