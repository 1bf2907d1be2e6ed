/**
 * A `File` of a page goes to the customer's own stores, with progress. When the connection breaks, or the page is
 * reloaded, the same file goes on where it stood.
 *
 * ```ts
 * const client = createClient({ baseUrl: `${location.origin}/uploads`, apiKey: 'page' });
 * input.addEventListener('change', async () => {
 *   const stopped = new AbortController();
 *   stop.onclick = () => stopped.abort();
 *   await uploadFile(client, input.files[0], {
 *     memory: localStorage,
 *     signal: stopped.signal,
 *     onProgress: ({ sentBytes, totalBytes }) => (bar.value = sentBytes / totalBytes),
 *   });
 * });
 * ```
 *
 * `baseUrl` is your own backend (`backend.ts`): the API key must not be in a page. What the page gives as `apiKey` is
 * sent to that backend as a bearer token: its user's, or any text if a cookie says who the user is.
 */
import {
  type CompleteResult,
  type OnProgress,
  type StorageRoutingClient,
  StorageRoutingError,
} from '@storage-routing/client';

/** Keeps the ids of unfinished uploads: a page's `localStorage`. */
export interface UploadMemory {
  getItem(key: string): string | null;
  setItem(key: string, fileId: string): void;
  removeItem(key: string): void;
}

interface Options {
  memory: UploadMemory;
  onProgress?: OnProgress;
  signal?: AbortSignal;
}

/** After these there is nothing to go on with: the next attempt begins anew. */
const FINAL_CODES = new Set<string>([
  'file_expired',
  'file_deleted',
  'file_not_found',
  'source_changed',
]);

/** Uploads the file, or goes on with its upload. */
export async function uploadFile(
  client: Pick<StorageRoutingClient, 'upload' | 'resume'>,
  file: File,
  { memory, onProgress, signal }: Options,
): Promise<CompleteResult> {
  const key = `upload ${file.name} ${file.size} ${file.lastModified}`;
  const begun = memory.getItem(key);
  try {
    const completed =
      begun === null
        ? await client.upload({
            source: file,
            fileName: file.name,
            onStarted: ({ fileId }) => memory.setItem(key, fileId),
            onProgress,
            signal,
          })
        : await client.resume(begun, file, { onProgress, signal });
    memory.removeItem(key);
    return completed;
  } catch (error) {
    const isFinal = error instanceof StorageRoutingError && FINAL_CODES.has(error.code);
    if (isFinal) memory.removeItem(key);
    throw error;
  }
}
