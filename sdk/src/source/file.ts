import type { FileHandle } from 'node:fs/promises';
import { StorageRoutingError } from '../http/errors.ts';
import { checkAnnounced, sourceChanged, sourceFailed } from './errors.ts';
import type { OpenedSource } from './types.ts';

/** Balances the number of system calls and memory. */
const PIECE_BYTES = 256 * 1024;

/**
 * Opens a file by its path.
 *
 * @throws StorageRoutingError `source_failed` for an unreadable file, `source_size_mismatch` if its
 *   size differs from the announced one.
 */
export async function openFile(
  path: string,
  fileName: string | undefined,
  announcedBytes: number | undefined,
): Promise<OpenedSource> {
  // Imported on demand, so that the library loads in runtimes without a file system.
  const [files, paths] = await Promise.all([import('node:fs/promises'), import('node:path')]);
  const handle = await files.open(path, 'r').catch((error: unknown) => {
    const { code = 'no reason was given' } = error as NodeJS.ErrnoException;
    throw sourceFailed(`the file cannot be opened (${code})`, error);
  });
  try {
    const opened = await handle.stat({ bigint: true });
    if (!opened.isFile()) throw sourceFailed('the path does not lead to a regular file');
    const sizeBytes = Number(opened.size);
    checkAnnounced(announcedBytes, sizeBytes);
    const verifyUnchanged = async (): Promise<void> => {
      const current = await handle.stat({ bigint: true });
      if (current.size === opened.size && current.mtimeNs === opened.mtimeNs) return;
      throw sourceChanged('the file was written to while it was being sent');
    };
    return {
      fileName: fileName ?? paths.basename(path),
      sizeBytes,
      contentType: undefined,
      modifiedAtMs: Number(opened.mtimeMs),
      isRepeatable: true,
      pieces: () => readFilePieces(handle, 0, Number.POSITIVE_INFINITY),
      part: (start, partBytes) =>
        Promise.resolve({
          sizeBytes: partBytes,
          pieces: () => readPartPieces(handle, start, start + partBytes, verifyUnchanged),
          verifyUnchanged,
          whole: undefined,
        }),
      verifyUnchanged,
      whole: undefined,
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error instanceof StorageRoutingError
      ? error
      : sourceFailed('the file cannot be read', error);
  }
}

/**
 * Reads the handle directly: with a stream on the handle, `close` would wait until the consumer
 * ends that stream. Each piece has its own memory, because the socket may still use the previous
 * one.
 */
async function* readFilePieces(
  handle: FileHandle,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  for (let position = start; position < end;) {
    const piece = new Uint8Array(Math.min(PIECE_BYTES, end - position));
    const { bytesRead } = await handle.read(piece, 0, piece.byteLength, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

/** A file that was cut while the part was read is the error, not the part's size. */
async function* readPartPieces(
  handle: FileHandle,
  start: number,
  end: number,
  verifyUnchanged: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let position = start;
  for await (const piece of readFilePieces(handle, start, end)) {
    position += piece.byteLength;
    yield piece;
  }
  if (position < end) await verifyUnchanged();
}
