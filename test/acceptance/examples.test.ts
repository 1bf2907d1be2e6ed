import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { eventually } from './eventually.ts';
import { deleteObject, listKeys, putAsTold, writeObject } from './store.ts';
import { customerRole, storeAccess } from './target.ts';
import { sendParts } from './send-parts.ts';
import { one, type Started } from './tenant.ts';
import { call, type Answer } from './wire.ts';

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly security: readonly Record<string, unknown>[];
  readonly requestBody?: { readonly content: Record<string, { readonly example?: Json }> };
  readonly responses: Record<string, { readonly content?: Record<string, { example?: unknown }> }>;
}

/** Optional fields of answers. */
const OPTIONAL = new Set([
  'jurisdiction',
  'corsRule',
  'routingWarning',
  'warning',
  'accountId',
  'error',
  'code',
]);
/** Routes whose answer is described by another standard. */
const DOCUMENTS = new Set(['GET /openapi.json', 'GET /docs']);
/** Calls whose result depends on the deployment and on paid plans. */
const BILLING = new Set([
  'GET /v1/billing/subscription',
  'POST /v1/billing/checkout',
  'POST /v1/billing/portal',
  'POST /v1/billing/webhook',
]);
const PREFIX = `examples-${crypto.randomUUID()}/`;
const OBJECTS = 12;
const OBJECT_BYTES = 256 * 1024;

describe('The examples of the description', () => {
  let paths: Record<string, Record<string, Operation>>;
  /** The actual answers, by operation. */
  const answers = new Map<string, Answer>();

  const operationOf = (name: string): Operation => {
    const [method = '', path = ''] = name.split(' ');
    return paths[path]?.[method.toLowerCase()] ?? assert.fail(`${name} is not described`);
  };

  /** Sends the example unchanged, except for values that depend on the deployment. */
  async function send(name: string, known: Json = {}): Promise<Json> {
    const { security, requestBody } = operationOf(name);
    const [method = '', path = ''] = name.split(' ');
    const example = requestBody?.content['application/json']?.example;
    const [scheme = ''] = security.flatMap((each) => Object.keys(each));
    const token = scheme === 'apiKey' ? await one.key() : one.dashboard();
    const answer = await call(
      method,
      path.replaceAll(/\{(\w+)\}/g, (_match, parameter: string) => String(known[parameter])),
      {
        ...(scheme === '' ? {} : { token }),
        ...(example ? { json: withKnown(example, known) } : {}),
      },
    );
    assert.ok(answer.status < 300, `${name}: ${answer.status} ${answer.text.slice(0, 300)}`);
    answers.set(name, answer);
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    return isJson ? (answer.json() as Json) : {};
  }

  before(async () => {
    const document = (await call('GET', '/openapi.json')).json() as { paths: typeof paths };
    ({ paths } = document);
    await one.configure('aws', 'r2', 'b2');
    for (let at = 0; at < OBJECTS; at += 1)
      await writeObject('aws', `${PREFIX}${at}.jpg`, randomBytes(OBJECT_BYTES));
  });
  after(async () => {
    for (const provider of ['aws', 'b2'] as const)
      for (const key of await listKeys(provider))
        if (key.includes(PREFIX)) await deleteObject(provider, key);
    await one.clear();
  });

  it('of the service, the keys and the stores are executed', async () => {
    await send('GET /health');
    await send('GET /ready');
    one.useKey(String((await send('POST /v1/providers/api-key/regenerate'))['apiKey']));
    one.useKey(String((await send('POST /v1/keys/rotate'))['newApiKey']));
    await send('GET /v1/me');
    await send('GET /v1/account');
    await send('GET /v1/providers/api-key');
    await send('POST /v1/providers', { ...storeAccess('r2') });
    await send('GET /v1/providers');
    await send('GET /v1/providers/catalogue');
    await send('POST /v1/providers/test');
    await send('DELETE /v1/providers/{provider}', { provider: 'b2' });
    await one.configure('aws', 'r2', 'b2');
  });

  it('of an upload are executed', async () => {
    const started = (await send('POST /v1/upload/init')) as unknown as Started;
    const body = operationOf('POST /v1/upload/init').requestBody?.content['application/json'];
    const bytes = randomBytes(Number(body?.example?.['fileSizeBytes']));
    await putAsTold(started, bytes);
    const { fileId } = started;
    await send('POST /v1/upload/url', { fileId });
    await send('POST /v1/upload/complete', { fileId });
    const large = await one.startParts({ fileSizeBytes: 3 * 8 * 2 ** 20 });
    await send('POST /v1/upload/parts', { fileId: large.fileId });
    await sendParts(one, large, randomBytes(3 * 8 * 2 ** 20), [1, 3]);
    await send('GET /v1/upload/parts/{fileId}', { fileId: large.fileId });
    await send('GET /v1/file/{fileId}', { fileId });
    await send('GET /v1/analytics/summary');
    await send('GET /v1/analytics/monthly');
    await send('GET /v1/analytics/routing-history');
    await send('GET /v1/analytics/routing-history/{fileId}', { fileId });
    await send('DELETE /v1/file/{fileId}', { fileId });
  });

  it('of a scan and a migration are executed', async () => {
    const regions = [storeAccess('aws').region];
    await send('GET /v1/scanner/service-identity');
    const { connectionId } = await send('POST /v1/scanner/connect', { ...customerRole(), regions });
    await send('GET /v1/scanner/connections');
    const { scanId } = await send('POST /v1/scanner/scan', { connectionId });
    const ended = async (name: string, known: Json) =>
      await eventually(async () => {
        const body = await send(name, known);
        assert.equal(body['status'], 'completed');
        return body;
      });
    const result = await ended('GET /v1/scanner/results/{scanId}', { scanId });
    await send('GET /v1/scanner/results/{scanId}/progress', { scanId });
    await send('GET /v1/scanner/results/{scanId}/report', { scanId });
    await send('GET /v1/scanner/history');
    await send('GET /v1/scanner/recommendations');
    const move = (result['recommendations'] as Json[]).find(({ kind }) => kind === 'move');
    const known = { recommendationId: move?.['recommendationId'] };
    await send('GET /v1/scanner/recommendations/{recommendationId}', known);
    const { migrationId } = await send(
      'POST /v1/scanner/recommendations/{recommendationId}/approve',
      known,
    );
    await ended('GET /v1/scanner/migration/{migrationId}', { migrationId });
    await send('GET /v1/scanner/migrations');
    await send('GET /v1/scanner/migration/{migrationId}/report', { migrationId });
    await send('POST /v1/scanner/migration/{migrationId}/cancel', { migrationId });
    await send('DELETE /v1/scanner/connections/{connectionId}', { connectionId });
  });

  it('of billing are executed where billing is configured', async () => {
    for (const name of BILLING) {
      const { requestBody } = operationOf(name);
      const json = requestBody?.content['application/json']?.example;
      const [method = '', path = ''] = name.split(' ');
      const answer = await call(method, path, {
        token: one.dashboard(),
        ...(json ? { json } : {}),
      });
      if (answer.status === 200) answers.set(name, answer);
      else
        assert.match(answer.text, /"(?:billing_not_configured|no_subscription|invalid_request)"/);
    }
  });

  // spec: endpoints.json-bodies, scan.further-fields
  it('are all executable, and each answer has the documented form', () => {
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(
      described.filter((name) => !answers.has(name) && !DOCUMENTS.has(name) && !BILLING.has(name)),
      [],
    );
    for (const [name, answer] of answers) {
      if (answer.status === 204) continue;
      const [media = ''] = String(answer.headers['content-type']).split(';');
      const shown = operationOf(name).responses[answer.status]?.content?.[media];
      assert.ok(shown?.example !== undefined, `${name} shows nothing of ${media}`);
      if (media === 'text/markdown') continue;
      const { example } = shown;
      if (typeof example === 'string') requireSameShape(ends(answer.text), ends(example), name);
      else requireSameShape(answer.json(), example, name);
    }
  });
});

/** The first and the last line: an object and the summary. */
function ends(lines: string): unknown[] {
  const all = lines.trimEnd().split('\n');
  return [all[0], all.at(-1)].map((line) => JSON.parse(line ?? '') as unknown);
}

function withKnown(example: Json, known: Json): Json {
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, known[name] ?? value]),
  );
}

/** The same fields of the same kinds at every depth; null matches any kind. */
function requireSameShape(actual: unknown, example: unknown, at: string): void {
  if (actual === null || example === null) return;
  assert.equal(typeof actual, typeof example, at);
  if (typeof actual !== 'object' || typeof example !== 'object') return;
  assert.equal(Array.isArray(actual), Array.isArray(example), at);
  if (Array.isArray(actual) && Array.isArray(example)) {
    if (example.length > 0)
      for (const [index, item] of actual.entries())
        requireSameShape(item, example[Math.min(index, example.length - 1)], `${at}/${index}`);
    return;
  }
  const required = (value: object) => Object.keys(value).filter((name) => !OPTIONAL.has(name));
  assert.deepEqual(required(actual).sort(), required(example).sort(), at);
  for (const [name, value] of Object.entries(example))
    if (name in actual) requireSameShape((actual as Json)[name], value, `${at}/${name}`);
}
