import assert from 'node:assert/strict';
import { keyOf, objectAt, putAsTold, putTo, type Put } from './store.ts';
import { one, withStores } from './tenant.ts';

const BODY = Buffer.from('hello world');
const TYPE = { 'content-type': 'text/plain' };

/** Changes one property of a valid URL. */
function changed(url: string, change: (url: URL) => void): string {
  const copy = new URL(url);
  change(copy);
  return copy.href;
}

const setQuery = (name: string, value: string | ((before: string) => string)) => (url: URL) => {
  const before = url.searchParams.get(name) ?? '';
  url.searchParams.set(name, typeof value === 'string' ? value : value(before));
};

const otherDigit = (text: string) => (text.endsWith('0') ? '1' : '0');
const WRONG: readonly [what: string, put: Partial<Put>, url?: (url: URL) => void][] = [
  ['another type', { headers: { 'content-type': 'text/html' } }],
  ['a type with another parameter', { headers: { 'content-type': 'text/plain; charset=utf-8' } }],
  ['no type', { headers: {} }],
  ['one byte less', { body: BODY.subarray(1) }],
  ['one byte more', { body: Buffer.concat([BODY, BODY.subarray(0, 1)]) }],
  ['nothing', { body: Buffer.alloc(0) }],
  ['chunks instead of a length', { chunked: true }],
  ['another method', { method: 'DELETE', body: Buffer.alloc(0) }],
  [
    'a tampered signature',
    {},
    setQuery('X-Amz-Signature', (hex) => `${hex.slice(0, -1)}${otherDigit(hex)}`),
  ],
  ['no signature', {}, (url) => url.searchParams.delete('X-Amz-Signature')],
  ['a longer life', {}, setQuery('X-Amz-Expires', '86400')],
  ['another day', {}, setQuery('X-Amz-Date', '20200101T000000Z')],
  ['fewer signed headers', {}, setQuery('X-Amz-SignedHeaders', 'host')],
  ['another key', {}, (url) => void (url.pathname += 'x')],
  [
    'another file',
    {},
    (url) =>
      void (url.pathname = url.pathname.replace(
        /uploads\/[^/]+/,
        `uploads/${crypto.randomUUID()}`,
      )),
  ],
  ['another credential', {}, setQuery('X-Amz-Credential', (scope) => `x${scope}`)],
];

describe('A PUT to the store', () => {
  withStores(one, 'aws', 'r2', 'b2');

  const start = () => one.start({ contentType: 'text/plain', fileSizeBytes: BODY.length });

  for (const priority of ['hot', 'archive']) {
    // spec: router.bytes-go-to-the-store, state.none-pending-url, upload-sequence.put
    it(`as it was told is taken, with the announced type (${priority})`, async () => {
      const started = await one.start({
        contentType: 'text/plain',
        fileSizeBytes: BODY.length,
        priority,
      });
      await putAsTold(started, BODY);
      assert.deepEqual(await objectAt(started.provider, keyOf(started)), {
        sizeBytes: BODY.length,
        contentType: 'text/plain',
      });
    });
  }

  it('requires only the returned header, and accepts further unsigned headers', async () => {
    const started = await start();
    const headers = {
      ...TYPE,
      'user-agent': 'any-client',
      accept: '*/*',
      'cache-control': 'no-cache',
    };
    assert.equal((await putTo(started.presignedUrl, { headers, body: BODY })).status, 200);
  });

  // spec: retries.put
  it('may be sent again while the URL lives', async () => {
    const started = await start();
    await putAsTold(started, BODY);
    await putAsTold(started, Buffer.from('HELLO WORLD'));
    await one.completed(started.fileId);
  });

  it('of zero bytes is accepted where zero bytes were announced', async () => {
    const started = await one.start({ contentType: 'text/plain', fileSizeBytes: 0 });
    await putAsTold(started, Buffer.alloc(0));
    assert.equal((await objectAt(started.provider, keyOf(started)))?.sizeBytes, 0);
  });

  for (const [what, put, url] of WRONG) {
    it(`with ${what} is refused, and leaves no object`, async () => {
      const started = await start();
      const address = url ? changed(started.presignedUrl, url) : started.presignedUrl;
      const answer = await putTo(address, { headers: TYPE, body: BODY, ...put });
      assert.ok(answer.status >= 400 && answer.status < 500, `answered with ${answer.status}`);
      assert.equal(await objectAt(started.provider, keyOf(started)), undefined);
      // A refused PUT does not use up the URL.
      await putAsTold(started, BODY);
    });
  }

  it('does not permit reading the object', async () => {
    const started = await start();
    await putAsTold(started, BODY);
    const answer = await putTo(started.presignedUrl, {
      method: 'GET',
      headers: TYPE,
      body: Buffer.alloc(0),
    });
    assert.ok(answer.status >= 400 && answer.status < 500, `answered with ${answer.status}`);
    assert.doesNotMatch(answer.text, /hello world/);
  });
});
