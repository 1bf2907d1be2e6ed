import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  Agent,
  request as overHttp,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as TlsAgent, request as overHttps } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { assertDescribed } from './described.ts';
import { baseUrl, PROVIDERS, storeAccess } from './target.ts';

export interface CallOptions {
  /** Sent as `Authorization: Bearer …`. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly json?: unknown;
  /** Sent unchanged. An iterable is sent chunked. */
  readonly body?: string | Buffer | Iterable<Buffer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  json(): unknown;
}

export interface ErrorBody {
  readonly error: string;
  readonly code: string;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
}

const agents = {
  'http:': new Agent({ keepAlive: true }),
  'https:': new TlsAgent({ keepAlive: true }),
};

const REPEATS = 5;
const REPEAT_AFTER_MS = 1_000;

/**
 * Calls the service with exactly the given bytes, and asserts what holds for every answer.
 *
 * A service under load may answer 503 `unavailable`, which asks for a repeat. Repeatable calls are repeated a few times,
 * and the run logs it; the final result must be the same.
 */
export async function call(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  for (let repeat = 0; ; repeat += 1) {
    const answer = await callOnce(method, path, options);
    if (repeat === REPEATS || !isRepeatable(method, path) || !isUnavailable(answer)) return answer;
    process.stderr.write(`503 unavailable, asked again: ${method} ${path}\n`);
    await new Promise((resolve) => setTimeout(resolve, REPEAT_AFTER_MS));
  }
}

function isRepeatable(method: string, path: string): boolean {
  return ['GET', 'HEAD', 'DELETE'].includes(method) || path === '/v1/upload/complete';
}

function isUnavailable({ status, text }: Answer): boolean {
  return status === 503 && text.includes('"unavailable"');
}

async function callOnce(method: string, path: string, options: CallOptions): Promise<Answer> {
  const { token, json } = options;
  const body = json === undefined ? options.body : JSON.stringify(json);
  const answer = await exchange(new URL(baseUrl().origin), {
    method,
    path: `${baseUrl().pathname.replace(/\/$/, '')}${path}`,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(typeof body === 'string' || body instanceof Buffer
        ? { 'content-length': String(Buffer.byteLength(body)) }
        : {}),
      ...options.headers,
    },
    body,
  });
  requireEveryAnswersForm(method, answer);
  await assertDescribed(method, new URL(path, baseUrl().origin), {
    status: answer.status,
    contentType: answer.headers['content-type'] ?? '',
    text: answer.text,
  });
  return answer;
}

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer | Iterable<Buffer> | undefined;
}

/** One request over node:http, which adds only Host and the framing headers. */
export async function exchange(
  origin: URL,
  { method, path, headers, body }: Exchange,
): Promise<Answer> {
  const secure = origin.protocol === 'https:';
  const outgoing = (secure ? overHttps : overHttp)({
    agent: agents[secure ? 'https:' : 'http:'],
    host: origin.hostname,
    port: origin.port || (secure ? 443 : 80),
    method,
    path,
    headers,
  });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  if (body === undefined || typeof body === 'string' || body instanceof Buffer) outgoing.end(body);
  else {
    for (const chunk of body) outgoing.write(chunk);
    outgoing.end();
  }
  const [incoming] = await answered;
  // A refused request may break off while it is still being sent.
  outgoing.on('error', () => undefined);
  return answerOf(incoming.statusCode ?? 0, incoming.headers, await textOf(incoming));
}

/** Writes raw bytes to the service's port, and reads until it closes the connection. */
export async function writeRaw(bytes: string): Promise<Answer> {
  const { protocol, hostname, port } = baseUrl();
  const isSecure = protocol === 'https:';
  const to = { host: hostname, port: Number(port || (isSecure ? 443 : 80)) };
  const socket = isSecure ? connectTls({ ...to, servername: hostname }) : connectTcp(to);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.setTimeout(5_000, () => socket.destroy());
  socket.write(bytes);
  await once(socket, 'close');
  const [head = '', text = ''] = Buffer.concat(chunks)
    .toString()
    .split(/\r\n\r\n(.*)/s);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':')[0]?.toLowerCase(), line.replace(/^[^:]*:\s*/, '')]),
  );
  return answerOf(Number(statusLine.split(' ')[1]), headers, text);
}

const answerOf = (status: number, headers: IncomingHttpHeaders, text: string): Answer => ({
  status,
  headers,
  text,
  json: (): unknown => JSON.parse(text),
});

/** Asserts the contract's rules for every answer. */
export function requireEveryAnswersForm(method: string, answer: Answer): void {
  assert.match(requestIdOf(answer), /^[A-Za-z0-9._-]{1,128}$/, 'it has no X-Request-ID');
  for (const { secretAccessKey } of PROVIDERS.map(storeAccess))
    assert.ok(!answer.text.includes(secretAccessKey), 'a secret of a store is in an answer');
  if (answer.status < 400 || method === 'HEAD') return;
  requireErrorForm(answer);
}

function requireErrorForm(answer: Answer): void {
  assert.match(String(answer.headers['content-type']), /^application\/json\b/);
  const { error, code, details, ...rest } = answer.json() as ErrorBody;
  assert.deepEqual(rest, {}, 'an error body has error, code and perhaps details');
  assert.ok(typeof error === 'string' && error.length > 0, 'error is a sentence');
  assert.match(code, /^[a-z]+(?:_[a-z]+)*$/);
  assert.doesNotMatch(answer.text, /node_modules|\.ts:\d|\n\s+at |Mongo|E11000|ECONN|ajv/);
  if (details === undefined) return;
  assert.ok(details.length > 0, 'details are there only when there are some');
  for (const { path, message } of details) {
    assert.match(path, /^(?:\/.*)?$/s);
    assert.ok(message.length > 0);
  }
}

export function requestIdOf({ headers }: Answer): string {
  const id = headers['x-request-id'];
  return typeof id === 'string' ? id : '';
}

export function requireRefusal(answer: Answer, status: number, code: string): void {
  const said = `${answer.status} ${answer.text.slice(0, 300)}`;
  assert.equal(answer.status, status, `expected ${status} ${code}, got ${said}`);
  assert.equal((answer.json() as ErrorBody).code, code, `expected ${code}, got ${said}`);
}

export function bodyOf(answer: Answer, status: number): unknown {
  const said = `expected ${status}, got ${answer.status} ${answer.text.slice(0, 300)}`;
  assert.equal(answer.status, status, said);
  return answer.json();
}

/** Asserts a refusal of a malformed request that names exactly these fields. */
export function requireInvalid(answer: Answer, ...fields: readonly string[]): void {
  requireRefusal(answer, 400, 'invalid_request');
  const { details = [] } = answer.json() as ErrorBody;
  assert.deepEqual([...new Set(details.map(({ path }) => path))].sort(), [...fields].sort());
}

/** Asserts a moment of the last minute, in milliseconds and UTC. */
export function requireRecent(time: string | null | undefined): void {
  requireMoment(time, Date.now());
}

/** Asserts that it is the moment, up to a minute, in milliseconds and UTC. */
export function requireMoment(time: string | null | undefined, moment: number): void {
  assert.match(time ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(Math.abs(Date.parse(time ?? '') - moment) < 60_000, `${time}`);
}
