/**
 * The server of a page that uploads: it has the API key, and makes the calls before and after the PUT. The bytes do not
 * come through here.
 *
 * ```sh
 * npm install @storage-routing/client
 * SRS_BASE_URL=https://routing.example.com SRS_API_KEY=svc_… node server.js
 * ```
 *
 * The bucket has to allow the address that it prints (docs/guides/browser-uploads.md).
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createClient, StorageRoutingError } from '@storage-routing/client';

const { SRS_BASE_URL = 'http://127.0.0.1:8080', SRS_API_KEY, PORT = '3000' } = process.env;
const storage = createClient({ baseUrl: SRS_BASE_URL, apiKey: SRS_API_KEY });

/** Which user started which file. Keep it in your database. */
const owners = /** @type {Map<string, string>} */ (new Map());

/**
 * Yours: the user of a cookie or token, undefined for none.
 *
 * @param {import('node:http').IncomingMessage} _request
 * @returns {string | undefined}
 */
function findUser(_request) {
  return 'ada';
}

const LARGEST_FILE_BYTES = 100e6;
const LARGEST_BODY_BYTES = 4096;

const server = createServer(async (request, response) => {
  try {
    const { status = 200, type = 'application/json', body } = await answer(request);
    response.writeHead(status, { 'content-type': type });
    response.end(type === 'application/json' ? JSON.stringify(body) : body);
  } catch (error) {
    const known = error instanceof StorageRoutingError ? error : undefined;
    response.writeHead(known?.status ?? 500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: known?.message ?? 'a defect', code: known?.code }));
  }
});

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<{ status?: number, type?: string, body: unknown }>}
 */
async function answer(request) {
  const { method, url = '' } = request;
  if (method === 'GET') return await pageFile(url);
  const user = findUser(request);
  if (user === undefined) return refusal(401, 'log in first');
  if (Number(request.headers['content-length']) > LARGEST_BODY_BYTES) {
    return refusal(413, 'too large');
  }
  if (url === '/uploads') {
    return await startUpload(user, /** @type {Announced} */ (await json(request)));
  }
  const [, fileId = ''] = /^\/uploads\/([\w-]+)\/complete$/.exec(url) ?? [];
  if (owners.get(fileId) !== user) return refusal(404, 'no such upload');
  return { body: await storage.complete(fileId) };
}

/** @typedef {{ name: string, type: string, size: number }} Announced */

/**
 * @param {string} user
 * @param {Announced} file
 */
async function startUpload(user, { name, type, size }) {
  // Yours: what may this user upload? The URL then takes exactly this type and size.
  if (size > LARGEST_FILE_BYTES) return refusal(413, 'the file is too large');
  const { fileId, presignedUrl, requiredHeaders } = await storage.init({
    fileName: name,
    contentType: type || 'application/octet-stream',
    fileSizeBytes: size,
  });
  owners.set(fileId, user);
  return { status: 201, body: { fileId, presignedUrl, requiredHeaders } };
}

/** The page, and the client library as its package has it: plain modules, no bundler. */
const LIBRARY = new URL('.', import.meta.resolve('@storage-routing/client'));

/** @param {string} path */
async function pageFile(path) {
  const [, module] = /^\/client\/([\w/-]+\.js)$/.exec(path) ?? [];
  if (module !== undefined) return script(new URL(module, LIBRARY));
  if (path === '/page.js') return script(new URL('page.js', import.meta.url));
  if (path !== '/') return refusal(404, 'no such page');
  return { type: 'text/html', body: await readFile(new URL('index.html', import.meta.url)) };
}

/** @param {URL} file */
async function script(file) {
  return { type: 'text/javascript', body: await readFile(file) };
}

/**
 * @param {number} status
 * @param {string} error
 */
function refusal(status, error) {
  return { status, body: { error } };
}

server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : PORT;
  process.stdout.write(`http://localhost:${port}\n`);
});
