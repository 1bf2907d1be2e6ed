import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import {
  breakOff,
  clientFor,
  errorOf,
  hang,
  inTurn,
  json,
  refusal,
  startRawServer,
  startServer,
  startUploadPair,
} from './servers.ts';

const source = Buffer.from('hello');
const hello = { source, fileName: 'a.txt', contentType: 'text/plain' };

describe('upload', () => {
  // spec: retries.one-complete-per-init, upload-sequence.init
  it('asks, puts, completes, and gives back what the service said', async () => {
    const { service, store, calls } = await startUploadPair();
    const result = await clientFor(service).client.upload({ ...hello, priority: 'cold' });
    assert.deepEqual(calls(), ['/v1/upload/init', '/v1/upload/complete']);
    assert.deepEqual(JSON.parse(String(service.arrived[0]?.body)), {
      fileName: 'a.txt',
      contentType: 'text/plain',
      fileSizeBytes: 5,
      priority: 'cold',
    });
    assert.equal(String(store.arrived[0]?.body), 'hello');
    assert.deepEqual(JSON.parse(String(service.arrived[1]?.body)), { fileId: 'f-1' });
    assert.equal(result.status, 'active');
    assert.equal(result.savedVsAwsFixed, '0.090240');
    assert.equal('routingWarning' in result, false);
  });

  // spec: upload-sequence.put
  it('sends the store the required headers, the length, and nothing about the service', async () => {
    const { service, store } = await startUploadPair();
    await clientFor(service).client.upload(hello);
    const { method, headers, rawHeaders } = store.arrived[0] ?? assert.fail();
    assert.equal(method, 'PUT');
    assert.equal(headers['content-type'], 'text/plain');
    assert.equal(headers['content-length'], '5');
    assert.equal(headers['transfer-encoding'], undefined);
    assert.equal(headers.authorization, undefined);
    assert.equal(headers['x-request-id'], undefined);
    const names = rawHeaders.filter((_text, index) => index % 2 === 0).map((n) => n.toLowerCase());
    assert.equal(new Set(names).size, names.length, 'no header twice');
  });

  it('uses one request id for init and complete', async () => {
    const { service } = await startUploadPair();
    await clientFor(service).client.upload({ ...hello, requestId: 'my-upload.1' });
    const ids = service.arrived.map(({ headers }) => headers['x-request-id']);
    assert.deepEqual(ids, ['my-upload.1', 'my-upload.1']);
  });

  it('returns the routing warning', async () => {
    const { store } = await startUploadPair();
    const reply = {
      fileId: 'f-2',
      presignedUrl: `${store.url}/x`,
      provider: 'aws',
      savedVsAws: 0,
      routingWarning: 'r2 is not configured, aws was chosen',
      requiredHeaders: {},
    };
    const { service } = await startUploadPair({ init: json(201, reply) });
    const result = await clientFor(service).client.upload(hello);
    assert.equal(result.routingWarning, reply.routingWarning);
  });
});

describe('a PUT that was refused', () => {
  const xml =
    '<Error><Code>SignatureDoesNotMatch</Code><StringToSign>secret-to-sign</StringToSign></Error>';

  for (const status of [400, 403, 411, 412, 429]) {
    // spec: errors.upload-to-provider-failed, retries.client-never-repeats-put
    it(`with ${status} raises upload_to_provider_failed, without a second PUT or a complete`, async () => {
      const { service, store, calls } = await startUploadPair({
        put: (_request, response) => void response.writeHead(status).end(xml),
      });
      const error = await errorOf(clientFor(service).client.upload(hello));
      assert.equal(error.code, 'upload_to_provider_failed');
      assert.equal(error.status, status);
      assert.equal(error.fileId, 'f-1');
      assert.match(error.message, /SignatureDoesNotMatch/);
      assert.doesNotMatch(error.message, /secret-to-sign/);
      assert.equal(store.arrived.length, 1);
      assert.deepEqual(calls(), ['/v1/upload/init']);
    });
  }

  it('by a redirect does not follow the redirect', async () => {
    const elsewhere = await startServer(json(200, {}));
    const { service, store } = await startUploadPair({
      put: (_request, response) =>
        void response.writeHead(307, { location: `${elsewhere.url}/` }).end(),
      complete: refusal(409, 'file_not_on_provider'),
    });
    const error = await errorOf(clientFor(service).client.upload(hello));
    assert.equal(error.code, 'upload_to_provider_failed');
    assert.equal(store.arrived.length, 1);
    assert.equal(elsewhere.arrived.length, 0);
  });

  it('before its body was read ends the request early', async () => {
    const store = await startRawServer((request, response) => {
      request.on('error', () => undefined);
      response.writeHead(403, { connection: 'close' }).end('<Code>AccessDenied</Code>');
    });
    const init = json(201, {
      fileId: 'f-1',
      presignedUrl: `${store.url}/x`,
      savedVsAws: 0,
      requiredHeaders: {},
    });
    const { service } = await startUploadPair({
      init,
      complete: refusal(409, 'file_not_on_provider'),
    });
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        given += 1;
        yield new Uint8Array(65_536);
      }
    }
    const error = await errorOf(
      clientFor(service).client.upload({
        source: endless(),
        fileName: 'big',
        fileSizeBytes: 2 ** 40,
        multipart: false,
      }),
    );
    assert.equal(error.code, 'upload_to_provider_failed');
    assert.ok(given < 2_000, `${given} pieces were asked for`);
  });
});

describe('a PUT whose outcome is uncertain', () => {
  const uncertain = {
    'a broken connection': breakOff,
    'a 500': refusal(500, 'InternalError'),
    'a 503': refusal(503, 'SlowDown'),
    'no answer': hang,
  };

  for (const [name, put] of Object.entries(uncertain)) {
    // spec: retries.client-completes-after-uncertain-put, retries.client-never-repeats-put
    it(`after ${name} is a success where complete finds the object`, async () => {
      const { service, store, calls } = await startUploadPair({ put });
      const { client } = clientFor(service, { stallTimeoutMs: 1_000 });
      const result = await client.upload(hello);
      assert.equal(result.status, 'active');
      assert.equal(store.arrived.length, 1);
      assert.deepEqual(calls(), ['/v1/upload/init', '/v1/upload/complete']);
    });

    for (const code of ['file_not_on_provider', 'file_size_mismatch']) {
      // spec: retries.client-completes-after-uncertain-put
      it(`after ${name} raises upload_to_provider_failed where complete says ${code}`, async () => {
        const { service, store } = await startUploadPair({ put, complete: refusal(409, code) });
        const { client } = clientFor(service, { stallTimeoutMs: 1_000 });
        const error = await errorOf(client.upload(hello));
        assert.equal(error.code, 'upload_to_provider_failed');
        assert.notEqual(error.status, 409);
        assert.equal(error.fileId, 'f-1');
        assert.equal(store.arrived.length, 1);
      });
    }
  }

  // spec: retries.client-completes-after-uncertain-put
  it('stays uncertain where complete fails otherwise: that error is raised, with the file id', async () => {
    const { service } = await startUploadPair({
      put: breakOff,
      complete: refusal(503, 'unavailable'),
    });
    const error = await errorOf(clientFor(service).client.upload(hello));
    assert.deepEqual([error.code, error.status, error.fileId], ['unavailable', 503, 'f-1']);
  });

  // spec: retries.client-completes-after-uncertain-put
  it('is settled by a complete that is itself repeated while the store does not answer', async () => {
    const done = json(200, { fileId: 'f-1', status: 'active' });
    const { service, calls } = await startUploadPair({
      put: breakOff,
      complete: inTurn(refusal(502, 'provider_error'), breakOff, done),
    });
    assert.equal((await clientFor(service).client.upload(hello)).status, 'active');
    assert.equal(calls().length, 4);
  });

  // spec: retries.client-completes-after-uncertain-put
  it('is not assumed where the PUT succeeded: what complete says is raised as it is', async () => {
    const { service } = await startUploadPair({ complete: refusal(409, 'file_not_on_provider') });
    const error = await errorOf(clientFor(service).client.upload(hello));
    assert.equal(error.code, 'file_not_on_provider');
  });

  // spec: retries.client-completes-after-uncertain-put
  it('ends as upload_to_provider_failed where the store refuses the connection', async () => {
    const { store, service } = await startUploadPair({
      complete: refusal(409, 'file_not_on_provider'),
    });
    await store.close();
    const error = await errorOf(clientFor(service).client.upload(hello));
    assert.equal(error.code, 'upload_to_provider_failed');
    assert.equal(error.status, undefined);
  });
});

describe('an init', () => {
  it('that was refused sends nothing to the store and leaves the source unread', async () => {
    const { service, store } = await startUploadPair({ init: refusal(402, 'plan_limit') });
    const stream = Readable.from([source]);
    const error = await errorOf(
      clientFor(service).client.upload({ source: stream, fileName: 'a', fileSizeBytes: 5 }),
    );
    assert.deepEqual([error.status, error.code, error.fileId], [402, 'plan_limit', undefined]);
    assert.equal(store.arrived.length, 0);
    assert.equal(stream.destroyed, false);
  });

  it('whose answer lacks required fields is an invalid_response', async () => {
    const fits = {
      fileId: 'f-1',
      presignedUrl: 'https://store.example/x',
      savedVsAws: 0,
      requiredHeaders: {},
    };
    const spoilt = [
      { ...fits, presignedUrl: 'file:///etc/passwd' },
      { ...fits, presignedUrl: undefined },
      { ...fits, fileId: 7 },
      { ...fits, savedVsAws: '1' },
      { ...fits, requiredHeaders: undefined },
      [],
    ];
    for (const reply of spoilt) {
      const server = await startServer(json(201, reply));
      const error = await errorOf(clientFor(server).client.upload(hello));
      assert.equal(error.code, 'invalid_response');
    }
  });
});
