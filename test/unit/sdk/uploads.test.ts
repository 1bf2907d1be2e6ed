import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import * as servers from './servers.ts';
import { breakOff, errorOf, hang, json, refusal, serve } from './servers.ts';
import { endless } from './sources.ts';
import { COMPLETE, completed, INIT, startUpload } from './uploads.ts';

const source = Buffer.from('hello');
const hello = { source, fileName: 'a.txt', contentType: 'text/plain' };
const notThere = () => refusal(409, 'file_not_on_provider');

/** An upload that fails at a service and a store with these answers. */
async function failed(...[, given, options]: Parameters<typeof startUpload>) {
  const upload = await startUpload(5, given, options);
  const error = await errorOf(upload.client.upload(hello));
  return { ...upload, error, said: [error.code, error.status, error.fileId] };
}

describe('upload', () => {
  // spec: retries.one-complete-per-init, upload-sequence.init
  it('asks, puts, completes, and gives back what the service said', async () => {
    const routingWarning = 'r2 is not configured, aws was chosen';
    const { client, service, store, calls } = await startUpload(5, { started: { routingWarning } });
    const result = await client.upload({ ...hello, priority: 'cold', requestId: 'my-upload.1' });
    assert.deepEqual(calls(), [INIT, COMPLETE]);
    const { source: _bytes, ...asked } = hello;
    assert.deepEqual(
      service.arrived.map(({ body }) => JSON.parse(String(body)) as unknown),
      [{ ...asked, fileSizeBytes: 5, priority: 'cold' }, { fileId: 'f-1' }],
    );
    assert.equal(String(store.arrived[0]?.body), 'hello');
    const ids = service.arrived.map(({ headers }) => headers['x-request-id']);
    assert.deepEqual(ids, ['my-upload.1', 'my-upload.1']);
    assert.deepEqual([result.status, result.savedVsAwsFixed], ['active', '0.090240']);
    assert.equal(result.routingWarning, routingWarning);
  });

  // spec: upload-sequence.put
  it('sends the store the required headers, the length, and nothing about the service', async () => {
    const { client, store } = await startUpload();
    assert.equal('routingWarning' in (await client.upload(hello)), false);
    const { method, headers, rawHeaders } = store.arrived[0] ?? assert.fail();
    assert.equal(method, 'PUT');
    assert.equal(headers['content-type'], 'text/plain');
    assert.equal(headers['content-length'], '5');
    for (const name of ['transfer-encoding', 'authorization', 'x-request-id'])
      assert.equal(headers[name], undefined, name);
    const names = rawHeaders.filter((_text, index) => index % 2 === 0).map((n) => n.toLowerCase());
    assert.equal(new Set(names).size, names.length, 'no header twice');
  });
});

describe('a PUT that was refused', () => {
  const xml =
    '<Error><Code>SignatureDoesNotMatch</Code><StringToSign>secret-to-sign</StringToSign></Error>';

  for (const status of [400, 403, 411, 412, 429])
    // spec: errors.upload-to-provider-failed, retries.client-never-repeats-put
    it(`with ${status} raises upload_to_provider_failed, without a second PUT or a complete`, async () => {
      const put = () => servers.text(status, xml);
      const { said, error, store, calls } = await failed(5, { put });
      assert.deepEqual(said, ['upload_to_provider_failed', status, 'f-1']);
      assert.match(error.message, /SignatureDoesNotMatch/);
      assert.doesNotMatch(error.message, /secret-to-sign/);
      assert.equal(store.arrived.length, 1);
      assert.deepEqual(calls(), [INIT]);
    });

  it('by a redirect does not follow the redirect', async () => {
    const elsewhere = await servers.startServer(json(200, {}));
    const put = () => servers.text(307, '', { location: `${elsewhere.url}/` });
    const { error, store } = await failed(5, { put });
    assert.equal(error.code, 'upload_to_provider_failed');
    assert.deepEqual([store.arrived.length, elsewhere.arrived.length], [1, 0]);
  });

  it('before its body was read ends the request early', async () => {
    const store = await servers.startRawServer((request, response) => {
      request.on('error', () => undefined);
      response.writeHead(403, { connection: 'close' }).end('<Code>AccessDenied</Code>');
    });
    const { client } = await startUpload(5, { store });
    const { given, source } = endless();
    const request = { source, fileName: 'big', fileSizeBytes: 2 ** 40, multipart: false };
    assert.equal((await errorOf(client.upload(request))).code, 'upload_to_provider_failed');
    assert.ok(given() < 2 ** 27, `${given()} bytes were asked for`);
  });
});

describe('a PUT whose outcome is uncertain', () => {
  const impatient = { stallTimeoutMs: 1_000 };

  for (const [name, answer] of [
    ['a broken connection', breakOff],
    ['a 500', refusal(500, 'InternalError')],
    ['a 503', refusal(503, 'SlowDown')],
    ['no answer', hang],
  ] as const)
    // spec: retries.client-completes-after-uncertain-put, retries.client-never-repeats-put
    it(`after ${name} is what complete says: a success, or upload_to_provider_failed`, async () => {
      const put = () => answer;
      const { client, store, calls } = await startUpload(
        5,
        { put, complete: () => completed() },
        impatient,
      );
      assert.equal((await client.upload(hello)).status, 'active');
      assert.equal(store.arrived.length, 1);
      assert.deepEqual(calls(), [INIT, COMPLETE]);
      for (const code of ['file_not_on_provider', 'file_size_mismatch']) {
        const refused = await failed(5, { put, complete: () => refusal(409, code) }, impatient);
        const { error } = refused;
        assert.deepEqual([error.code, error.fileId], ['upload_to_provider_failed', 'f-1']);
        assert.notEqual(error.status, 409);
        assert.equal(refused.store.arrived.length, 1);
      }
    });

  // spec: retries.client-completes-after-uncertain-put
  it('raises any other error of complete as it is, also after a PUT that succeeded', async () => {
    const complete = () => refusal(503, 'unavailable');
    const { said } = await failed(5, { put: () => breakOff, complete });
    assert.deepEqual(said, ['unavailable', 503, 'f-1']);
    assert.equal((await failed(5, { complete: notThere })).error.code, 'file_not_on_provider');
  });

  // spec: retries.client-completes-after-uncertain-put
  it('is settled by a complete that is itself repeated while the store does not answer', async () => {
    const answers = [refusal(502, 'provider_error'), breakOff, completed()];
    const { client, calls } = await startUpload(5, {
      put: () => breakOff,
      complete: (earlier) => answers[earlier],
    });
    assert.equal((await client.upload(hello)).status, 'active');
    assert.equal(calls().length, 4);
  });

  // spec: retries.client-completes-after-uncertain-put
  it('ends as upload_to_provider_failed where the store refuses the connection', async () => {
    const { client, store } = await startUpload();
    await store.close();
    const error = await errorOf(client.upload(hello));
    assert.deepEqual([error.code, error.status], ['upload_to_provider_failed', undefined]);
  });
});

describe('an init', () => {
  it('that was refused sends nothing to the store and leaves the source unread', async () => {
    const { client, store } = await startUpload(5, { init: () => refusal(402, 'plan_limit') });
    const stream = Readable.from([source]);
    const request = { source: stream, fileName: 'a', fileSizeBytes: 5 };
    const error = await errorOf(client.upload(request));
    assert.deepEqual([error.status, error.code, error.fileId], [402, 'plan_limit', undefined]);
    assert.deepEqual([store.arrived.length, stream.destroyed], [0, false]);
  });

  it('whose answer lacks required fields is an invalid_response', async () => {
    const presignedUrl = 'https://store.example/x';
    const fits = { fileId: 'f-1', presignedUrl, savedVsAws: 0, requiredHeaders: {} };
    for (const reply of [
      { ...fits, presignedUrl: 'file:///etc/passwd' },
      { ...fits, presignedUrl: undefined },
      { ...fits, fileId: 7 },
      { ...fits, savedVsAws: '1' },
      { ...fits, requiredHeaders: undefined },
      [],
    ]) {
      const { client } = await serve(json(201, reply));
      assert.equal((await errorOf(client.upload(hello))).code, 'invalid_response');
    }
  });
});
