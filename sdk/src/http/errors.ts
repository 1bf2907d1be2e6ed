import type { ServiceErrorCode } from './api-types.ts';

/**
 * The error codes of the client library.
 *
 * | code | meaning |
 * |---|---|
 * | `upload_to_provider_failed` | the PUT to the store failed, of the object or of a part; it is not at the store |
 * | `download_from_provider_failed` | the store did not return the file, or returned less than announced |
 * | `file_not_active` | a download of a file whose upload is not completed, or has expired |
 * | `connection_failed` | no connection was made: the request did not arrive |
 * | `connection_lost` | the connection broke: the request may have been executed |
 * | `timeout` | no answer in time: the request may have been executed |
 * | `aborted` | the caller's signal, or an exception in the caller's `onProgress` |
 * | `invalid_response` | the answer does not come from the service (a proxy's page, a redirect) |
 * | `invalid_argument` | an error of the caller, found before anything was sent |
 * | `no_credentials` | the client has no key or token for this call |
 * | `source_failed` | the file or stream to upload cannot be read |
 * | `source_changed` | the file was modified while it was sent |
 * | `source_size_mismatch` | the source has more or fewer bytes than announced |
 */
export type ClientErrorCode =
  | 'upload_to_provider_failed'
  | 'download_from_provider_failed'
  | 'file_not_active'
  | 'connection_failed'
  | 'connection_lost'
  | 'timeout'
  | 'aborted'
  | 'invalid_response'
  | 'invalid_argument'
  | 'no_credentials'
  | 'source_failed'
  | 'source_changed'
  | 'source_size_mismatch';

/** Unknown codes of a newer service are passed through. */
export type ErrorCode = ServiceErrorCode | ClientErrorCode | (string & {});

/** One problem in a request's body: its path (a JSON pointer), and a message. */
export interface ErrorDetail {
  path: string;
  message: string;
}

type Fields = Pick<StorageRoutingError, 'code' | 'message'> &
  Partial<Omit<StorageRoutingError, 'code' | 'message' | 'name' | 'stack'>>;

/**
 * The only error that this library rejects with. Decide by `code`, never by `message`.
 * No key, token or presigned URL is in any of its fields, causes included.
 */
export class StorageRoutingError extends Error {
  override readonly name = 'StorageRoutingError';
  readonly code: ErrorCode;
  /** The HTTP status of the service, or of the store for a failed PUT or download. */
  readonly status: number | undefined;
  /** The id to give the service's operator when you ask about this call. */
  readonly requestId: string | undefined;
  readonly details: readonly ErrorDetail[] | undefined;
  /** The wait that the service requested, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Set once `upload` has a file id, for `resume(fileId, source)` or `deleteFile(fileId)`. */
  fileId: string | undefined;

  constructor(fields: Fields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.code = fields.code;
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.details = fields.details;
    this.retryAfterMs = fields.retryAfterMs;
    this.fileId = fields.fileId;
  }
}

/** Is it an error of this library with that code? */
export function hasCode(error: unknown, code: ErrorCode): error is StorageRoutingError {
  return error instanceof StorageRoutingError && error.code === code;
}

/** An error of the caller, found before anything was sent. */
export function invalidArgument(message: string): StorageRoutingError {
  return new StorageRoutingError({ code: 'invalid_argument', message });
}

/**
 * Calls a function of the caller.
 *
 * @throws StorageRoutingError `aborted` if it throws: the call stops, the work at the service
 *   continues.
 */
export function notify<Event>(
  name: 'onProgress' | 'onStarted' | 'onRetry',
  listener: ((event: Event) => void) | undefined,
  event: Event,
  requestId?: string,
): void {
  try {
    listener?.(event);
  } catch (cause) {
    const message = `${name} threw, so the call was stopped`;
    throw new StorageRoutingError({ code: 'aborted', message, requestId, cause });
  }
}
