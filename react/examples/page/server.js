/**
 * The server of the example. In a checkout of the service:
 *
 * ```sh
 * npm run example -w react     # builds the page
 * SRS_BASE_URL=… SRS_API_KEY=… node react/examples/page/server.js
 * ```
 *
 * The bucket has to allow the address that it prints (docs/guides/browser-uploads.md).
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { continueUpload, describeFailure, startUpload } from './routes.js';

const { PORT = '3000' } = process.env;
const PAGE = new URL('dist/', import.meta.url);
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css' };

/**
 * Yours: the user of a cookie or token, undefined for none.
 *
 * @param {import('node:http').IncomingMessage} _request
 * @returns {string | undefined}
 */
function findUser(_request) {
  return 'ada';
}

const server = createServer((request, response) => {
  const { method, url = '' } = request;
  void (method === 'GET' ? sendPage(url, response) : sendAnswer(request, response));
});

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function sendAnswer(request, response) {
  const { status, body } = await answer(request).catch(describeFailure);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<{ status: number, body: unknown }>}
 */
async function answer(request) {
  const user = findUser(request);
  if (user === undefined) return { status: 401, body: { code: 'unauthorized', error: 'log in' } };
  const body = /** @type {any} */ (await json(request));
  const { url = '' } = request;
  if (url === '/uploads') return { status: 201, body: await startUpload(user, body) };
  const [, fileId = '', call = ''] = /^\/uploads\/([\w-]+)\/([\w-]+)$/.exec(url) ?? [];
  return { status: 200, body: await continueUpload(user, fileId, call, body) };
}

/**
 * @param {string} url
 * @param {import('node:http').ServerResponse} response
 */
async function sendPage(url, response) {
  const name = url === '/' ? 'index.html' : url.slice(1);
  const [, ending] = /^(?:index|assets\/[\w-]+)\.(html|js|css)$/.exec(name) ?? [];
  const type = TYPES[/** @type {keyof typeof TYPES} */ (ending)];
  const file = type && (await readFile(new URL(name, PAGE)).catch(() => undefined));
  response.writeHead(file === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain' });
  response.end(file);
}

server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : PORT;
  process.stdout.write(`http://localhost:${port}\n`);
});
