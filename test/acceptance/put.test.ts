import assert from 'node:assert/strict';
import { keyOf, objectAt, putAsTold, putTo, type Put } from './store.ts';
import { one, withStores } from './tenant.ts';

const BODY = Buffer.from('hello world');
const TYPE = { 'content-type': 'text/plain' };
const NONE = Buffer.alloc(0);

const setQuery = (name: string, valueOf: (before: string) => string) => (url: URL) =>
  url.searchParams.set(name, valueOf(url.searchParams.get(name) ?? ''));
const otherDigit = (text: string) => (text.endsWith('0') ? '1' : '0');

/** What is wrong with a PUT, or with its URL. All of it, at each store: `contract/presigned-uploads.ts`. */
const WRONG: readonly [what: string, put: Partial<Put>, change?: (url: URL) => void][] = [
  ['another type', { headers: { 'content-type': 'text/html' } }],
  ['a type with another parameter', { headers: { 'content-type': 'text/plain; charset=utf-8' } }],
  ['no type', { headers: {} }],
  ['one byte less', { body: BODY.subarray(1) }],
  ['one byte more', { body: Buffer.concat([BODY, BODY.subarray(0, 1)]) }],
  ['nothing', { body: NONE }],
  ['chunks instead of a length', { chunked: true }],
  ['another method', { method: 'DELETE', body: NONE }],
  [
    'a tampered signature',
    {},
    setQuery('X-Amz-Signature', (hex) => `${hex.slice(0, -1)}${otherDigit(hex)}`),
  ],
  ['no signature', {}, (url) => url.searchParams.delete('X-Amz-Signature')],
  ['a longer life', {}, setQuery('X-Amz-Expires', () => '86400')],
  ['fewer signed headers', {}, setQuery('X-Amz-SignedHeaders', () => 'host')],
  ['another key', {}, (url) => void (url.pathname += 'x')],
];

describe('A PUT to the store', () => {
  withStores(one, 'aws', 'r2', 'b2');

  const start = (more: object = {}) =>
    one.start({ contentType: 'text/plain', fileSizeBytes: BODY.length, ...more });

  for (const [priority, body] of [
    ['hot', BODY],
    ['archive', BODY],
    ['hot', NONE],
  ] as const) {
    // spec: router.bytes-go-to-the-store, state.none-pending-url, upload-sequence.put
    it(`as it was told is taken, with the announced type (${priority}, ${body.length} bytes)`, async () => {
      const started = await start({ fileSizeBytes: body.length, priority });
      await putAsTold(started, body);
      assert.deepEqual(await objectAt(started.provider, keyOf(started)), {
        sizeBytes: body.length,
        contentType: 'text/plain',
      });
    });
  }

  it('requires only the returned header, and accepts further unsigned headers', async () => {
    const { presignedUrl } = await start();
    const further = { 'user-agent': 'any-client', accept: '*/*', 'cache-control': 'no-cache' };
    const answer = await putTo(presignedUrl, { headers: { ...TYPE, ...further }, body: BODY });
    assert.equal(answer.status, 200);
  });

  // spec: retries.put
  it('may be sent again while the URL lives', async () => {
    const started = await start();
    await putAsTold(started, BODY);
    await putAsTold(started, Buffer.from('HELLO WORLD'));
    await one.completed(started.fileId);
  });

  for (const [what, put, change = () => undefined] of WRONG) {
    it(`with ${what} is refused, and leaves no object`, async () => {
      const started = await start();
      const url = new URL(started.presignedUrl);
      change(url);
      const answer = await putTo(url.href, { headers: TYPE, body: BODY, ...put });
      assert.ok(answer.status >= 400 && answer.status < 500, `answered with ${answer.status}`);
      assert.equal(await objectAt(started.provider, keyOf(started)), undefined);
      // A refused PUT does not use up the URL.
      await putAsTold(started, BODY);
    });
  }

  it('does not permit reading the object', async () => {
    const started = await start();
    await putAsTold(started, BODY);
    const get = { method: 'GET', headers: TYPE, body: NONE };
    const answer = await putTo(started.presignedUrl, get);
    assert.ok(answer.status >= 400 && answer.status < 500, `answered with ${answer.status}`);
    assert.doesNotMatch(answer.text, /hello world/);
  });
});
