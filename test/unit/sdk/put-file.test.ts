import assert from 'node:assert/strict';
import { put } from '../../../sdk/src/index.ts';
import { errorOf, json, startServer, text, URL_SECRET } from './servers.ts';

const HEADERS = { 'Content-Type': 'image/png', 'Content-MD5': 'XrY7u+Ae7tCTyyK7j1rNww==' };
const bytes = Buffer.from('hello world');

const initAt = (url: string) => ({
  fileId: 'f-1',
  presignedUrl: `${url}/bucket/key?X-Amz-Signature=${URL_SECRET}`,
  requiredHeaders: HEADERS,
});

/**
 * How a PUT fails and is cancelled: `uploads.test.ts`, `cancel.test.ts`; in a page: `test/browser/page-upload.test.ts`.
 */
describe('put', () => {
  it('sends every kind of file with the required headers, and tells of progress to the end', async () => {
    for (const [source, sent] of [
      [bytes, bytes],
      [new Uint8Array(bytes).buffer, bytes],
      [new Blob([bytes], { type: 'text/plain' }), bytes],
      [new File([bytes], 'a.png', { type: 'image/png' }), bytes],
      [new Blob([]), Buffer.alloc(0)],
    ] as const) {
      const store = await startServer(json(200, {}));
      let told = -1;
      const onProgress = ({ sentBytes }: { sentBytes: number }) => void (told = sentBytes);
      await put(initAt(store.url), source, { onProgress });
      const [{ method, headers, body } = assert.fail()] = store.arrived;
      assert.deepEqual([method, body], ['PUT', sent]);
      assert.equal(headers['content-type'], 'image/png');
      assert.equal(headers['content-md5'], HEADERS['Content-MD5']);
      assert.equal(headers['content-length'], String(sent.length));
      assert.equal(headers['authorization'], undefined);
      assert.equal(told, sent.length);
    }
  });

  it('takes an init of another size for what the store says of it, without the URL', async () => {
    const store = await startServer(text(403, '<Error><Code>SignatureDoesNotMatch</Code></Error>'));
    const error = await errorOf(put(initAt(store.url), bytes));
    const said = [error.code, error.status, error.fileId];
    assert.deepEqual(said, ['upload_to_provider_failed', 403, 'f-1']);
    assert.match(error.message, /SignatureDoesNotMatch/);
    assert.ok(!JSON.stringify(error).includes(URL_SECRET));
  });

  it('refuses what it cannot send before anything is sent', async () => {
    const store = await startServer(json(200, {}));
    const init = initAt(store.url);
    for (const call of [
      () => put({ requiredHeaders: {}, presignedUrl: '' }, bytes),
      () => put(JSON.parse('{ "multipart": {}, "requiredHeaders": {} }') as typeof init, bytes),
      () => put(init, 'a path' as unknown as Uint8Array),
      () => put(init, bytes, { stallTimeoutMs: 0 }),
    ]) {
      assert.equal((await errorOf(call())).code, 'invalid_argument');
    }
    assert.equal(store.arrived.length, 0);
  });
});
