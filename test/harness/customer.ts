import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { MongoClient, type Db } from 'mongodb';
import { toCredentials } from '../../dev/first-account.ts';
import { assertDescribed } from '../acceptance/described.ts';
import { isSoon } from '../../dev/system/probes.ts';
import type { ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';

/** An answer of the service and its duration. */
export interface Answer {
  status: number;
  headers: Headers;
  /** The parsed body; an empty object where there is none. */
  body: Readonly<Record<string, unknown>>;
  text: string;
  ms: number;
}

export interface CallOptions {
  bearer?: string;
  body?: unknown;
  requestId?: string;
}

/** Above every deadline of the service: a hanging call fails its test, not the run. */
const CALL_TIMEOUT_MS = 30_000;

/** Sends one call, without any retry. */
export async function call(
  baseUrl: string,
  route: string,
  options: CallOptions = {},
): Promise<Answer> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const headers: Record<string, string> = {
    ...(options.bearer !== undefined && { authorization: `Bearer ${options.bearer}` }),
    ...(options.body !== undefined && { 'content-type': 'application/json' }),
    ...(options.requestId !== undefined && { 'x-request-id': options.requestId }),
  };
  const startedAt = performance.now();
  const response = await fetch(baseUrl + path, {
    method,
    headers,
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  const ms = performance.now() - startedAt;
  const contentType = response.headers.get('content-type') ?? '';
  const { status } = response;
  await assertDescribed(method, new URL(baseUrl + path), { status, contentType, text });
  const isJson = contentType.includes('json');
  return {
    status,
    headers: response.headers,
    body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
    text,
    ms,
  };
}

/** An announced file and its upload URL. */
export interface Upload {
  fileId: string;
  presignedUrl: string;
  requiredHeaders: Record<string, string>;
  bytes: Buffer;
}

export interface Announcement {
  fileName?: string;
  sizeBytes?: number;
  priority?: 'hot' | 'archive' | 'cold';
}

/** A customer with its own account and API key. */
export type Customer = ReturnType<typeof customerOf>;

export type ProviderName = 'aws' | 'r2' | 'b2';
export type Send = typeof call;

/** Creates an account with an API key and the given stores, through the API. */
export async function createCustomer(
  stack: Stack,
  baseUrl: string,
  providers: readonly ProviderName[] = ['r2'],
  send: Send = call,
): Promise<Customer> {
  const accountId = `customer-${randomUUID().slice(0, 8)}`;
  assert.ok(stack.identity);
  const token = stack.identity.issueToken({ account: accountId, algorithm: 'ES256' });
  const issued = await send(baseUrl, 'POST /v1/providers/api-key/regenerate', { bearer: token });
  assert.equal(issued.status, 200, issued.text);
  for (const provider of providers) {
    const body = toCredentials(provider, stack.environment);
    const saved = await send(baseUrl, 'POST /v1/providers', { bearer: token, body });
    assert.equal(saved.status, 200, saved.text);
  }
  return customerOf({ accountId, token, apiKey: String(issued.body['apiKey']), baseUrl }, send);
}

interface Identity {
  readonly accountId: string;
  readonly token: string;
  readonly apiKey: string;
  readonly baseUrl: string;
}

function customerOf(identity: Identity, send: Send) {
  const { baseUrl, apiKey, token } = identity;
  /** `at` names another API process. */
  const callWith =
    (bearer: string) =>
    async (route: string, body?: unknown, at = baseUrl): Promise<Answer> =>
      await send(at, route, { bearer, body });
  const [asKey, manage] = [callWith(apiKey), callWith(token)];
  const announce = async (announcement: Announcement = {}, at?: string) => {
    const { fileName = 'report.txt', sizeBytes = 8, priority = 'hot' } = announcement;
    const body = { fileName, contentType: 'text/plain', fileSizeBytes: sizeBytes, priority };
    return await asKey('POST /v1/upload/init', body, at);
  };
  const init = async (announcement: Announcement = {}): Promise<Upload> => {
    const answer = await announce(announcement);
    assert.equal(answer.status, 201, answer.text);
    const bytes = Buffer.alloc(announcement.sizeBytes ?? 8, 'x');
    return { ...(answer.body as unknown as Omit<Upload, 'bytes'>), bytes };
  };
  const put = async ({ presignedUrl, requiredHeaders, bytes }: Upload) => {
    const body = new Uint8Array(bytes);
    const stored = await fetch(presignedUrl, { method: 'PUT', headers: requiredHeaders, body });
    assert.equal(stored.status, 200, await stored.text());
  };
  const given = { announce, init, put };
  return {
    ...identity,
    /** With the API key. */
    call: asKey,
    /** With the dashboard token. */
    manage,
    ...given,
    /** Announces a file and sends its bytes. */
    async send(announcement?: Announcement) {
      const upload = await init(announcement);
      await put(upload);
      return upload;
    },
    complete: (fileId: string, at?: string) => asKey('POST /v1/upload/complete', { fileId }, at),
    delete: (fileId: string, at?: string) => asKey(`DELETE /v1/file/${fileId}`, undefined, at),
    get: (fileId: string, at?: string) => asKey(`GET /v1/file/${fileId}`, undefined, at),
    async uploadsBooked() {
      const { body } = await asKey('GET /v1/me');
      return (body['usage'] as { uploadsBooked: number }).uploadsBooked;
    },
  };
}

/** What a customer's document in one of the collections looks like from beside the service. */
export interface StoredDocument {
  _id: string;
  accountId: string;
  status?: string;
  completedAt?: Date;
  [field: string]: unknown;
}

/** The service's database, for looking beside the service. */
export async function openDatabase(stack: Stack): Promise<{
  db: Db;
  read: (name: string, filter: object) => Promise<StoredDocument[]>;
  close(): Promise<void>;
}> {
  const client = await MongoClient.connect(stack.environment['MONGODB_URI'] ?? '');
  const db = client.db(stack.environment['MONGODB_DATABASE']);
  return {
    db,
    read: async (name, filter) => await db.collection<StoredDocument>(name).find(filter).toArray(),
    close: async () => await client.close(),
  };
}

/** Longer than the sweep needs to find the work of a dead worker, on a busy machine. */
const TIMEOUT_MS = 120_000;

/** Polls until the condition holds. @throws Error naming the condition if the deadline passes first */
export async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const options = { withinMs: TIMEOUT_MS, everyMs: 50 };
  assert.ok(await isSoon(isSo, options), `not within ${TIMEOUT_MS} ms: ${what}`);
}

/** Waits until a process has logged the text. A line is written beside the answer, not before it. */
export async function untilLogged(
  { name, readLog }: Pick<ServiceProcess, 'name' | 'readLog'>,
  text: string,
): Promise<void> {
  await eventually(`${name} logs ${text}`, async () => (await readLog()).includes(text));
}

/** The bound for an answer while a dependency hangs, with slack for a busy machine. */
export const IN_TIME_MS = 15_000;

/** The answer has the status and the code, in time. */
export function assertRefused(
  { status, body, text, ms, headers }: Answer,
  expected: { status: number; code: string },
  what = '',
): void {
  assert.equal(status, expected.status, `${what}: ${status} ${text}`);
  assert.equal(body['code'], expected.code, `${what}: ${text}`);
  assert.ok(ms < IN_TIME_MS, `${what} took ${Math.round(ms)} ms`);
  assert.ok(headers.get('x-request-id'), `${what}: no X-Request-ID`);
  if (status === 503) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/, what);
}
