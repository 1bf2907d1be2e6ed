import { StorageRoutingError, type UploadCalls } from '@storage-routing/react';

/** The calls of an upload, to your own server: the API key stays there. */
export const uploadCalls: UploadCalls = {
  init: (file, options) => post('/uploads', file, options),
  complete: (fileId, options) => post(`/uploads/${fileId}/complete`, {}, options),
  uploadUrl: (fileId, options) => post(`/uploads/${fileId}/url`, {}, options),
  uploadParts: (fileId, partNumbers, options) =>
    post(`/uploads/${fileId}/parts`, { partNumbers }, options),
};

async function post<Answer>(
  path: string,
  body: object,
  { signal = null }: { signal?: AbortSignal | null | undefined },
): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body), signal };
  const response = await fetch(path, request).catch((cause: unknown) => {
    const message = 'the server cannot be reached';
    throw new StorageRoutingError({ code: 'connection_lost', message, cause });
  });
  const { status } = response;
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const { code = 'invalid_response', error = `the server answered with ${status}` } = answer;
  throw new StorageRoutingError({ code, message: error, status });
}
