import { checkAnnounced, sourceChanged } from './errors.ts';
import type { OpenedSource, PutSource } from './types.ts';

/** The progress and the stall of an upload are measured in pieces of this size. */
const PIECE_BYTES = 256 * 1024;

/** Bytes in memory as a source. */
export function openBytes(
  bytes: Uint8Array,
  fileName: string,
  announcedBytes: number | undefined,
): OpenedSource {
  checkAnnounced(announcedBytes, bytes.byteLength);
  return {
    ...bytesToPut(bytes),
    fileName,
    contentType: undefined,
    modifiedAtMs: undefined,
    isRepeatable: true,
    part: (start, partBytes) =>
      Promise.resolve(bytesToPut(bytes.subarray(start, start + partBytes))),
    close: () => Promise.resolve(),
  };
}

/** Bytes in memory as the body of one PUT. */
export function bytesToPut(bytes: Uint8Array): PutSource {
  return {
    sizeBytes: bytes.byteLength,
    pieces: () => splitBytes(bytes),
    verifyUnchanged: () => Promise.resolve(),
    whole: bytes,
  };
}

async function* splitBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES);
  }
}

/** A Blob, or a browser's File, as a source. */
export function openBlob(
  blob: Blob,
  fileName: string,
  announcedBytes: number | undefined,
): OpenedSource {
  checkAnnounced(announcedBytes, blob.size);
  const verifyUnchanged = (): Promise<void> => verifyReadable(blob);
  const { lastModified } = blob as { lastModified?: unknown };
  return {
    ...blobToPut(blob, verifyUnchanged),
    fileName,
    contentType: blob.type === '' ? undefined : blob.type,
    modifiedAtMs: typeof lastModified === 'number' ? lastModified : undefined,
    isRepeatable: true,
    // A slice has no type of its own, so fetch adds no Content-Type to its PUT.
    part: (start, partBytes) =>
      Promise.resolve(blobToPut(blob.slice(start, start + partBytes), verifyUnchanged)),
    close: () => Promise.resolve(),
  };
}

function blobToPut(blob: Blob, verifyUnchanged: () => Promise<void>): PutSource {
  return { sizeBytes: blob.size, pieces: () => readBlobPieces(blob), verifyUnchanged, whole: blob };
}

async function* readBlobPieces(blob: Blob): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < blob.size; start += PIECE_BYTES) {
    yield new Uint8Array(await blob.slice(start, start + PIECE_BYTES).arrayBuffer());
  }
}

/** Reading a File that has changed on disk fails: https://w3c.github.io/FileAPI/#file-section. */
async function verifyReadable(blob: Blob): Promise<void> {
  try {
    await blob.slice(0, 1).arrayBuffer();
  } catch (error) {
    throw sourceChanged('the file was changed or removed while it was being sent', error);
  }
}
