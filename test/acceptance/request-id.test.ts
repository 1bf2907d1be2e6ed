import assert from 'node:assert/strict';
import { baseUrl } from './target.ts';
import { one } from './tenant.ts';
import { call, requestIdOf, requireEveryAnswersForm, requireRefusal, writeRaw } from './wire.ts';
import type { CallOptions } from './wire.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MAX_HEADERS = 'x'.repeat(64 * 1024);

interface Row {
  readonly what: string;
  readonly status: number;
  readonly method: string;
  readonly path: string;
  options(): Promise<CallOptions>;
}

const withKey = async (more: CallOptions = {}): Promise<CallOptions> => ({
  token: await one.key(),
  ...more,
});
const json = { 'content-type': 'application/json' };

const ANSWERS: readonly Row[] = [
  row('a success', 200, 'GET', '/health', {}),
  row('a success with a key', 200, 'GET', '/v1/me', withKey),
  row('a HEAD', 200, 'HEAD', '/v1/me', withKey),
  row('bad JSON', 400, 'POST', '/v1/upload/init', () => withKey({ headers: json, body: '{"a":' })),
  row('a body that does not fit', 400, 'POST', '/v1/upload/init', () => withKey({ json: {} })),
  row('missing credentials', 401, 'GET', '/v1/me', {}),
  row('an unknown path', 404, 'GET', `/v1/${crypto.randomUUID()}`, {}),
  row('an unknown file', 404, 'GET', `/v1/file/${crypto.randomUUID()}`, withKey),
  row('another method', 405, 'PUT', '/v1/me', withKey),
  row('a body that is too large', 413, 'POST', '/v1/upload/complete', () =>
    withKey({ headers: json, body: `"${'a'.repeat(70_000)}"` }),
  ),
  row('another type', 415, 'POST', '/v1/upload/init', () =>
    withKey({ headers: { 'content-type': 'text/plain' }, body: '{}' }),
  ),
];

function row(
  what: string,
  status: number,
  method: string,
  path: string,
  options: CallOptions | (() => Promise<CallOptions>),
): Row {
  const given = typeof options === 'function' ? options : () => Promise.resolve(options);
  return { what, status, method, path, options: given };
}

async function ask({ method, path, options, status }: Row, id?: string | string[]) {
  const { headers, ...rest } = await options();
  const ids = id === undefined ? {} : { 'x-request-id': id };
  const answer = await call(method, path, { ...rest, headers: { ...headers, ...ids } });
  assert.equal(answer.status, status);
  return requestIdOf(answer);
}

describe('X-Request-ID', () => {
  for (const answer of ANSWERS) {
    // spec: endpoints.request-id
    it(`is made for ${answer.what} (${answer.status}), and differs each time`, async () => {
      const [first, second] = [await ask(answer), await ask(answer)];
      assert.match(first, UUID);
      assert.match(second, UUID);
      assert.notEqual(first, second);
    });

    // spec: endpoints.request-id
    it(`is kept for ${answer.what} (${answer.status})`, async () => {
      const id = `Kept.${crypto.randomUUID()}_1-2`;
      assert.equal(await ask(answer, id), id);
    });
  }

  const health = row('', 200, 'GET', '/health', {});

  // spec: endpoints.request-id
  it('is kept from one character up to 128', async () => {
    for (const id of ['a', '0', '.', '_', '-', 'Az09._-', 'x'.repeat(128)])
      assert.equal(await ask(health, id), id);
  });

  // spec: endpoints.request-id
  it('is replaced where it is not well-formed', async () => {
    for (const id of [
      '',
      ' ',
      'x'.repeat(129),
      'a b',
      'a/b',
      'a,b',
      'a"b',
      'é',
      '<script>',
      'a%0ab',
    ])
      assert.match(await ask(health, id), UUID);
  });

  // spec: endpoints.request-id
  it('is replaced where two were sent', async () => {
    assert.match(await ask(health, ['first', 'second']), UUID);
  });

  // spec: endpoints.request-id
  it('is on the answer to headers that are too large', async () => {
    const { host } = baseUrl();
    const answer = await writeRaw(
      `GET /health HTTP/1.1\r\nHost: ${host}\r\nX-A: ${MAX_HEADERS}\r\n\r\n`,
    );
    requireEveryAnswersForm('GET', answer);
    requireRefusal(answer, 431, 'invalid_request');
  });

  for (const [what, bytes] of [
    ['no HTTP at all', 'HELLO\r\n\r\n'],
    ['an unknown version', 'GET /health HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['a header without a colon', 'GET /health HTTP/1.1\r\nHost: a\r\nbroken\r\n\r\n'],
    ['a control character in a header', 'GET /health HTTP/1.1\r\nHost: a\r\nX-A: \u0001\r\n\r\n'],
    [
      'a length that is no number',
      'POST /v1/keys/rotate HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
    ],
    [
      'two framings at once',
      'POST /v1/keys/rotate HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ] as const) {
    // spec: endpoints.request-id
    it(`is on the answer to malformed HTTP: ${what}`, async () => {
      const answer = await writeRaw(bytes);
      requireEveryAnswersForm('GET', answer);
      requireRefusal(answer, 400, 'invalid_request');
    });
  }

  // spec: endpoints.request-id
  it('is on the answer to an expectation that the service does not know', async () => {
    const answer = await call('GET', '/health', { headers: { expect: 'a-miracle' } });
    assert.match(requestIdOf(answer), UUID);
  });

  // spec: endpoints.request-id
  it('is on the answer to a call that would rather speak another protocol', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    assert.equal((await call('GET', '/health', { headers })).status, 200);
  });
});

describe('X-Request-ID of a request without a Host', () => {
  // spec: endpoints.request-id
  it('is on the answer like on every other', async () => {
    const answer = await writeRaw('GET /health HTTP/1.1\r\nConnection: close\r\n\r\n');
    requireEveryAnswersForm('GET', answer);
    requireRefusal(answer, 400, 'invalid_request');
  });
});
