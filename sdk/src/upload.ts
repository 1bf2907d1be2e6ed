import type { OnProgress } from './body.ts';
import { throwIfAborted } from './http/deadline.ts';
import { StorageRoutingError } from './http/errors.ts';
import { putBytes } from './put.ts';
import type { CompleteResult, Files, InitResult, Priority } from './resources/files.ts';
import type { Settings } from './http/settings.ts';
import { type OpenedSource, openSource, type UploadSource } from './source.ts';
import { type CallOptions, requestIdFrom } from './http/transport.ts';

/** What to upload, and how to hear of it. */
export type UploadRequest = UploadSource &
  CallOptions & {
    /** A media type; what a Blob says, or `application/octet-stream`, unless told otherwise. */
    contentType?: string | undefined;
    /** `hot` unless told otherwise. */
    priority?: Priority | undefined;
    /** Called after each piece, and last with `sentBytes === totalBytes`. If it throws, the upload is stopped. */
    onProgress?: OnProgress | undefined;
  };

/** A finished upload, and what the routing said of it. */
export interface UploadResult extends CompleteResult {
  /** US dollars per month against the hyperscaler's store; may be negative. */
  savedVsAws: number;
  /** The same with exactly six decimals. */
  savedVsAwsFixed: string;
  routingWarning?: string;
}

/**
 * Init, PUT, complete.
 *
 * The PUT is sent once. Where its outcome is uncertain, complete is asked: it knows whether the object is there.
 *
 * @throws StorageRoutingError `upload_to_provider_failed` where the store refused, or has no whole object after an
 * uncertain PUT; `source_…` and `aborted`; and whatever init and complete throw. From init on with `fileId`.
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

/** Runs work about a file; what it throws names the file, so that the caller can settle what is left. */
async function naming<T>(fileId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageRoutingError) error.fileId = fileId;
    throw error;
  }
}
