import type { OnProgress } from './body.ts';
import { throwIfAborted } from './http/deadline.ts';
import { StorageRoutingError } from './http/errors.ts';
import { putBytes } from './put.ts';
import type { CompleteResult, Files, InitResult, Priority } from './resources/files.ts';
import type { Settings } from './http/settings.ts';
import { type OpenedSource, openSource, type UploadSource } from './source.ts';
import { type CallOptions, requestIdFrom } from './http/transport.ts';

/** What to upload, with options. */
export type UploadRequest = UploadSource &
  CallOptions & {
    /** A media type; default: the type of the Blob, or `application/octet-stream`. */
    contentType?: string | undefined;
    /** Default `hot`. */
    priority?: Priority | undefined;
    /** Called after each piece, and last with `sentBytes === totalBytes`. If it throws, the upload is stopped. */
    onProgress?: OnProgress | undefined;
  };

/** A completed upload, with its routing result. */
export interface UploadResult extends CompleteResult {
  /** US dollars per month compared with the hyperscaler's store; may be negative. */
  savedVsAws: number;
  /** The same with exactly six decimals. */
  savedVsAwsFixed: string;
  routingWarning?: string;
}

/**
 * Uploads a source: init, PUT, complete.
 *
 * The PUT is sent once. Where its outcome is uncertain, complete decides: it verifies whether the object is stored.
 *
 * @throws StorageRoutingError `upload_to_provider_failed` where the store refused, or has no complete object after an
 * uncertain PUT; `source_…` and `aborted`; the errors of init and complete. After init, with `fileId`.
 */
export async function upload(
  settings: Settings,
  files: Files,
  request: UploadRequest,
): Promise<UploadResult> {
  const options = { signal: request.signal, requestId: requestIdFrom(request) };
  throwIfAborted(options.signal, options.requestId);
  const source = await openSource(request);
  try {
    const { fileName, sizeBytes } = source;
    const contentType = request.contentType ?? source.contentType ?? 'application/octet-stream';
    const { priority } = request;
    const init = await files.init(
      { fileName, contentType, fileSizeBytes: sizeBytes, priority },
      options,
    );
    const completed = await naming(init.fileId, () =>
      putAndComplete(settings, files, { request, source, init, options }),
    );
    const { savedVsAws, savedVsAwsFixed, routingWarning } = init;
    return {
      ...completed,
      savedVsAws,
      savedVsAwsFixed,
      ...(routingWarning !== undefined && { routingWarning }),
    };
  } finally {
    await source.close();
  }
}

interface Started {
  request: UploadRequest;
  source: OpenedSource;
  init: InitResult;
  options: { signal: AbortSignal | undefined; requestId: string };
}

async function putAndComplete(
  settings: Settings,
  files: Files,
  { request, source, init, options }: Started,
): Promise<CompleteResult> {
  const { presignedUrl, requiredHeaders, fileId } = init;
  const { onProgress } = request;
  const put = { presignedUrl, requiredHeaders, source, onProgress, ...options };
  const outcome = await putBytes(settings, put);
  if (outcome.kind === 'refused') throw outcome.error;
  try {
    return await files.complete(fileId, options);
  } catch (error) {
    if (outcome.kind === 'uncertain' && saysNotThere(error)) throw failedAfterAll(outcome.error);
    throw error;
  }
}

function saysNotThere(error: unknown): boolean {
  if (!(error instanceof StorageRoutingError)) return false;
  return error.code === 'file_not_on_provider' || error.code === 'file_size_mismatch';
}

function failedAfterAll(put: StorageRoutingError): StorageRoutingError {
  return new StorageRoutingError({
    code: 'upload_to_provider_failed',
    message: `${put.message}; the service found no whole object at the store`,
    status: put.status,
    requestId: put.requestId,
    cause: put,
  });
}

/** Runs work on a file and adds the file id to its errors, so that the caller can complete or delete the file. */
async function naming<T>(fileId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageRoutingError) error.fileId = fileId;
    throw error;
  }
}
