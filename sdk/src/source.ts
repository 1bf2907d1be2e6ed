import type { FileHandle } from 'node:fs/promises';
import { invalidArgument, StorageRoutingError } from './http/errors.ts';
import { shownCause } from './http/failure.ts';

/** A stream of bytes: Node's `Readable`, a web `ReadableStream`, or any generator of byte arrays. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** What can be uploaded: a file by path, bytes in memory, or a stream of known size. */
export type UploadSource =
  | {
      /** The path of a file; its base name is the default file name. */
      source: string;
      fileName?: string | undefined;
      /** Verified where given. */
      fileSizeBytes?: number | undefined;
    }
  | {
      source: Blob | Uint8Array | ArrayBuffer;
      fileName: string;
      /** Verified where given. */
      fileSizeBytes?: number | undefined;
    }
  | {
      source: ByteStream;
      fileName: string;
      /** Stores require the size before the first byte. */
      fileSizeBytes: number;
    };

/** A source that can be read once. */
export interface OpenedSource {
  fileName: string;
  sizeBytes: number;
  /** The media type of the source itself, if known. */
  contentType: string | undefined;
  pieces(): AsyncIterable<Uint8Array>;
  /** @throws StorageRoutingError `source_changed` where the source was modified since it was opened. */
  verifyUnchanged(): Promise<void>;
  /** The whole source in memory, for runtimes that send streams without a length. Undefined for files and streams. */
  whole: Blob | Uint8Array | undefined;
  /** Releases what was opened; a stream that has been started is ended. */
  close(): Promise<void>;
}

/** Balances the number of system calls and memory. */
const PIECE_BYTES = 256 * 1024;

/**
 * Opens the source before init, so that an unreadable source books no quota.
 *
 * @throws StorageRoutingError `source_failed` for an unreadable file, `source_size_mismatch` where its size differs from
 * the announced one, `invalid_argument` for any other kind of source.
 */
export async function openSource(request: UploadSource): Promise<OpenedSource> {
  const { source, fileName, fileSizeBytes } = request;
  if (typeof source === 'string') return openFile(source, fileName, fileSizeBytes);
  if (fileName === undefined) throw invalidArgument('fileName is needed where no path is given');
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

/** The error for a source whose size differs from the announced one. */
export function sizeMismatch(announcedBytes: number, found: string): StorageRoutingError {
  const message = `the source was announced with ${announcedBytes} bytes, and has ${found}`;
  return new StorageRoutingError({ code: 'source_size_mismatch', message });
}

async function openFile(
  path: string,
  fileName: string | undefined,
  announcedBytes: number | undefined,
): Promise<OpenedSource> {
  // Imported on demand, so that the library loads in runtimes without a file system.
  const [files, paths] = await Promise.all([import('node:fs/promises'), import('node:path')]);
  const handle = await files.open(path, 'r').catch((error: unknown) => {
    throw sourceFailed('the file cannot be opened', error);
  });
  try {
    const before = await handle.stat({ bigint: true });
    if (!before.isFile()) throw sourceFailed('the path does not lead to a regular file');
    const sizeBytes = Number(before.size);
    checkAnnounced(announcedBytes, sizeBytes);
    return {
      fileName: fileName ?? paths.basename(path),
      sizeBytes,
      contentType: undefined,
      pieces: () => piecesOfFile(handle),
      async verifyUnchanged() {
        const after = await handle.stat({ bigint: true });
        if (after.size === before.size && after.mtimeNs === before.mtimeNs) return;
        const message = 'the file was written to while it was being sent';
        throw new StorageRoutingError({ code: 'source_changed', message });
      },
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
 * Reads the handle directly: with a stream on the handle, `close` would wait until the consumer ends that stream. Each
 * piece has its own memory, because the socket may still use the previous one.
 */
async function* piecesOfFile(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (;;) {
    const piece = new Uint8Array(PIECE_BYTES);
    const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES, null);
    if (bytesRead === 0) return;
    yield piece.subarray(0, bytesRead);
  }
}

function openBytes(bytes: Uint8Array, fileName: string, announcedBytes?: number): OpenedSource {
  checkAnnounced(announcedBytes, bytes.byteLength);
  return {
    fileName,
    sizeBytes: bytes.byteLength,
    contentType: undefined,
    pieces: () => piecesOfBytes(bytes),
    verifyUnchanged: () => Promise.resolve(),
    whole: bytes,
    close: () => Promise.resolve(),
  };
}

async function* piecesOfBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES);
  }
}

function openBlob(blob: Blob, fileName: string, announcedBytes?: number): OpenedSource {
  checkAnnounced(announcedBytes, blob.size);
  return {
    fileName,
    sizeBytes: blob.size,
    contentType: blob.type === '' ? undefined : blob.type,
    pieces: () => piecesOfBlob(blob),
    verifyUnchanged: () => Promise.resolve(),
    whole: blob,
    close: () => Promise.resolve(),
  };
}

async function* piecesOfBlob(blob: Blob): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < blob.size; start += PIECE_BYTES) {
    yield new Uint8Array(await blob.slice(start, start + PIECE_BYTES).arrayBuffer());
  }
}

function openStream(source: ByteStream, fileName: string, sizeBytes: number): OpenedSource {
  let end: (() => unknown) | undefined;
  return {
    fileName,
    sizeBytes,
    contentType: undefined,
    pieces() {
      if ('getReader' in source) {
        const reader = source.getReader();
        end = () => reader.cancel();
        return piecesOfReader(reader);
      }
      // Node's Readable requires `destroy`: its iterator ends only after the pending read.
      const destroy = 'destroy' in source ? source.destroy : undefined;
      if (typeof destroy === 'function') end = () => destroy.call(source);
      return source;
    },
    verifyUnchanged: () => Promise.resolve(),
    whole: undefined,
    async close() {
      try {
        await end?.();
      } catch {
        // An error of the caller's stream while it closes does not affect the upload.
      }
    },
  };
}

async function* piecesOfReader(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

function isByteStream(source: unknown): source is ByteStream {
  if (typeof source !== 'object' || source === null) return false;
  return Symbol.asyncIterator in source || 'getReader' in source;
}

function checkAnnounced(announcedBytes: number | undefined, sizeBytes: number): void {
  if (announcedBytes === undefined || announcedBytes === sizeBytes) return;
  throw sizeMismatch(announcedBytes, `${sizeBytes}`);
}

function sourceFailed(message: string, cause?: unknown): StorageRoutingError {
  return new StorageRoutingError({ code: 'source_failed', message, cause: shownCause(cause) });
}
