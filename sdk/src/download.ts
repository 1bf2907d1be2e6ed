import { type Limits, throwIfAborted, withDeadline } from './http/deadline.ts';
import { StorageRoutingError } from './http/errors.ts';
import { safeCause } from './http/failure.ts';
import type { FileInfo } from './http/api-types.ts';
import type { Files } from './resources/files.ts';
import type { Settings } from './http/settings.ts';
import { type CallOptions, withRequestId, connectionError } from './http/transport.ts';

/** A file and its bytes. */
export interface Download {
  file: FileInfo;
  /** Errors if the byte count differs from the file's size. Read it to the end, or cancel it. */
  body: ReadableStream<Uint8Array>;
}

/**
 * Requests a file, and streams it from the store. The store is requested once; to retry, call
 * again.
 *
 * @throws StorageRoutingError `file_not_active`, `download_from_provider_failed`, and the errors of
 *   `getFile`.
 */
export async function download(
  settings: Settings,
  files: Files,
  fileId: string,
  callOptions: CallOptions,
): Promise<Download> {
  const options = withRequestId(callOptions);
  const file = await files.getFile(fileId, options);
  if (typeof file.downloadUrl !== 'string') {
    const message = `the file is ${file.status}`;
    throw failed('file_not_active', message, options.requestId, fileId);
  }
  // Not under the deadline, which ends with the headers: the body has no total time limit.
  const body = new AbortController();
  const limits = { ...options, timeoutMs: settings.timeoutMs, what: 'GET from the store' };
  const response = await withDeadline(limits, async (deadline) => {
    deadline.signal.addEventListener('abort', () => body.abort(), { once: true });
    return get(settings, file.downloadUrl ?? '', body.signal, options.requestId);
  });
  if (!response.ok || response.body === null) {
    body.abort();
    const message = `the store answered the GET with ${response.status}`;
    throw failed('download_from_provider_failed', message, options.requestId, fileId, response);
  }
  throwIfAborted(options.signal, options.requestId);
  const stall = { ...limits, timeoutMs: settings.stallTimeoutMs };
  return { file, body: checkedBody(response.body, file, stall, body) };
}

async function get(
  settings: Settings,
  url: string,
  signal: AbortSignal,
  requestId: string,
): Promise<Response> {
  try {
    // Compressed in transit, the byte count would not match the stored size.
    const headers = { 'Accept-Encoding': 'identity' };
    return await settings.fetch(url, { headers, redirect: 'manual', signal });
  } catch (error) {
    throw connectionError('GET from the store', requestId, error);
  }
}

/** The store's bytes, counted; aborted by the caller's signal or after a stall. */
function checkedBody(
  stored: ReadableStream<Uint8Array>,
  file: FileInfo,
  limits: Limits & { requestId: string },
  controller: AbortController,
): ReadableStream<Uint8Array> {
  const { signal, requestId } = limits;
  const reader = stored.getReader();
  const onAbort = (): void => controller.abort();
  const release = (): void => signal?.removeEventListener('abort', onAbort);
  signal?.addEventListener('abort', onAbort, { once: true });
  let receivedBytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(out) {
        try {
          // Timed only while the consumer requests bytes: a slow consumer is not a stall of the
          // store.
          const next = await withDeadline(limits, () => reader.read());
          receivedBytes += next.value?.byteLength ?? 0;
          const fits = next.done ? receivedBytes === file.fileSizeBytes : true;
          if (!fits) throw new Error(`${receivedBytes} of ${file.fileSizeBytes} bytes came`);
          if (!next.done) return out.enqueue(next.value);
          release();
          out.close();
        } catch (error) {
          release();
          controller.abort();
          throwIfAborted(signal, requestId);
          if (error instanceof StorageRoutingError)
            throw Object.assign(error, { fileId: file.fileId });
          const message = 'the store did not send the whole file';
          const code = 'download_from_provider_failed';
          throw failed(code, message, requestId, file.fileId, undefined, error);
        }
      },
      cancel(reason) {
        release();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function failed(
  code: string,
  message: string,
  requestId: string,
  fileId: string,
  response?: Response,
  cause?: unknown,
): StorageRoutingError {
  const status = response?.status;
  const fields = { code, message, status, requestId, fileId, cause: safeCause(cause) };
  return new StorageRoutingError(fields);
}
