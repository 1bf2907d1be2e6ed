/**
 * The page: it sends a file straight to the store. It has no API key; its own server (`server.js`) makes the two calls
 * that need one.
 */
import { put, StorageRoutingError } from '@storage-routing/client';

const input = /** @type {HTMLInputElement} */ (document.querySelector('#file'));
const bar = /** @type {HTMLProgressElement} */ (document.querySelector('#bar'));
const stop = /** @type {HTMLButtonElement} */ (document.querySelector('#stop'));
const outcome = /** @type {HTMLOutputElement} */ (document.querySelector('#outcome'));

let stopped = new AbortController();
stop.addEventListener('click', () => stopped.abort());
input.addEventListener('change', () => void sendChosen());

async function sendChosen() {
  const [file] = input.files ?? [];
  if (file === undefined) return;
  stopped = new AbortController();
  outcome.value = 'sending';
  try {
    const { fileId } = await upload(file, stopped.signal);
    outcome.value = `stored: ${fileId}`;
  } catch (error) {
    outcome.value = `failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * @param {File} file
 * @param {AbortSignal} signal
 * @returns {Promise<{ fileId: string }>}
 */
async function upload(file, signal) {
  const init = await post('/uploads', { name: file.name, type: file.type, size: file.size });
  try {
    await put(init, file, {
      signal,
      onProgress: ({ sentBytes, totalBytes }) => (bar.value = sentBytes / (totalBytes || 1)),
    });
  } catch (error) {
    if (!isUncertain(error)) throw error;
  }
  return await post(`/uploads/${init.fileId}/complete`, {});
}

/**
 * After a broken connection or an error of the store's server the file may be stored all the same: `complete` decides.
 * A connection that CORS forbids looks the same to a page.
 *
 * @param {unknown} error
 */
function isUncertain(error) {
  if (!(error instanceof StorageRoutingError)) return false;
  const { code, status = 0 } = error;
  return code === 'connection_lost' || code === 'timeout' || status >= 500;
}

/**
 * @param {string} path
 * @param {object} body
 */
async function post(path, body) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
}
