import { invalidArgument } from '../http/errors.ts';
import type { Platform } from './platform.ts';
import { openBlob, openBytes } from './memory.ts';
import { openStream } from './stream.ts';
import type { ByteStream, OpenedSource, UploadSource } from './types.ts';

/**
 * Opens the source before init, so that an unreadable source books no quota.
 *
 * @throws StorageRoutingError `source_failed` for an unreadable file, `source_size_mismatch` if its
 *   size differs from the announced one, `invalid_argument` for any other kind of source.
 */
export async function openSource(platform: Platform, request: UploadSource): Promise<OpenedSource> {
  const { source, fileName, fileSizeBytes } = request;
  if (typeof source === 'string') return platform.openFile(source, fileName, fileSizeBytes);
  if (fileName === undefined) throw invalidArgument('fileName is needed if no path is given');
  if (source instanceof Blob) return openBlob(source, fileName, fileSizeBytes);
  if (source instanceof Uint8Array) return openBytes(source, fileName, fileSizeBytes);
  if (source instanceof ArrayBuffer) {
    return openBytes(new Uint8Array(source), fileName, fileSizeBytes);
  }
  if (!isByteStream(source)) {
    throw invalidArgument('source must be a path, bytes, a Blob or a stream of bytes');
  }
  if (fileSizeBytes === undefined) throw invalidArgument('a stream needs its fileSizeBytes');
  return openStream(source, fileName, fileSizeBytes);
}

function isByteStream(source: unknown): source is ByteStream {
  if (typeof source !== 'object' || source === null) return false;
  return Symbol.asyncIterator in source || 'getReader' in source;
}
