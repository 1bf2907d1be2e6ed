import { StorageRoutingError } from '../http/errors.ts';
import { safeCause } from '../http/failure.ts';

/** The error for a source whose size differs from the announced one. */
export function sizeMismatch(announcedBytes: number, actual: string): StorageRoutingError {
  const message = `the source was announced with ${announcedBytes} bytes, and has ${actual}`;
  return new StorageRoutingError({ code: 'source_size_mismatch', message });
}

/** @throws StorageRoutingError `source_size_mismatch` if an announced size is wrong */
export function checkAnnounced(announcedBytes: number | undefined, sizeBytes: number): void {
  if (announcedBytes === undefined || announcedBytes === sizeBytes) return;
  throw sizeMismatch(announcedBytes, `${sizeBytes}`);
}

/** The error for a source that was modified during its upload. */
export function sourceChanged(message: string, cause?: unknown): StorageRoutingError {
  return new StorageRoutingError({ code: 'source_changed', message, cause: safeCause(cause) });
}

/** The error for a source that cannot be read. */
export function sourceFailed(message: string, cause?: unknown): StorageRoutingError {
  return new StorageRoutingError({ code: 'source_failed', message, cause: safeCause(cause) });
}

/** The error that stopped the reading of a source, as one of this library. */
export function asSourceFailure(error: unknown): StorageRoutingError {
  if (error instanceof StorageRoutingError) return error;
  return sourceFailed('the source failed while it was being sent', error);
}

/** @throws StorageRoutingError `source_failed` if a stream gives something else than bytes. */
export function checkBytes(piece: unknown): asserts piece is Uint8Array {
  if (piece instanceof Uint8Array) return;
  throw sourceFailed('the stream gave something else than bytes (a text encoding was set?)');
}
