import { notify, StorageRoutingError } from '../http/errors.ts';
import type { CompleteResult } from '../http/api-types.ts';
import type { InitResult } from '../resources/files.ts';
import type { OpenedSource } from '../source/types.ts';
import type { SendContext } from './context.ts';
import { putBytes } from './put.ts';

/**
 * Sends the source by one PUT, once, and completes the file. If the outcome of the PUT is
 * uncertain, complete decides: it verifies whether the object is stored.
 *
 * @throws StorageRoutingError `upload_to_provider_failed` if the store refused, or has no complete
 *   object after an uncertain PUT; `source_…` and `aborted`; the errors of complete.
 */
export async function putAndComplete(
  { settings, platform, files, onProgress, options }: SendContext,
  {
    fileId,
    presignedUrl,
    requiredHeaders,
  }: Pick<InitResult, 'fileId' | 'presignedUrl' | 'requiredHeaders'>,
  source: OpenedSource,
): Promise<CompleteResult> {
  const totalBytes = source.sizeBytes;
  const onMoved = (sentBytes: number): void =>
    notify('onProgress', onProgress, { sentBytes, totalBytes }, options.requestId);
  const what = 'PUT to the store';
  const put = { presignedUrl, requiredHeaders, source, parallel: 1, what, onMoved, ...options };
  const outcome = await putBytes({ settings, platform }, put);
  if (outcome.kind === 'refused') throw outcome.error;
  try {
    return await files.complete(fileId, options);
  } catch (error) {
    if (outcome.kind === 'uncertain' && saysNotThere(error)) throw missingAfterPut(outcome.error);
    throw error;
  }
}

/** Does the service say that the whole object is not at the store? */
export function saysNotThere(error: unknown): boolean {
  if (!(error instanceof StorageRoutingError)) return false;
  return error.code === 'file_not_on_provider' || error.code === 'file_size_mismatch';
}

function missingAfterPut(put: StorageRoutingError): StorageRoutingError {
  return new StorageRoutingError({
    code: 'upload_to_provider_failed',
    message: `${put.message}; the service found no whole object at the store`,
    status: put.status,
    requestId: put.requestId,
    cause: put,
  });
}
