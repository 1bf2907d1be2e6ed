import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { StoreError, type StoreFailure } from '../../../adapters/object-store/errors.ts';
import { createObjectStores } from '../../../adapters/object-store/s3-store.ts';
import { createStoreHttp } from '../../../adapters/object-store/http-client.ts';
import { listen, type Listener } from '../../contract/connections.ts';
import { answer } from './raw-responses.ts';

const MISSING = answer('404 Not Found');

/** Calls `react` with the method of each request of a connection. */
function onRequest(socket: Socket, react: (method: string) => void): void {
  socket.on('data', (chunk: Buffer) => react(/^[A-Z]+/.exec(chunk.toString())?.[0] ?? ''));
}

describe('an object store with faults', () => {
  const http = createStoreHttp();
  const servers: Listener[] = [];
  after(() => http.close());
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  async function openStore(serve: (socket: Socket, index: number) => void) {
    const server = await listen(serve);
    servers.push(server);
    return createObjectStores({
      http,
      endpoints: { aws: server.origin },
      now: () => new Date(),
    })(
      { provider: 'aws', bucketName: 'photos', region: 'us-east-1' },
      { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' },
    );
  }
  const failsAs = (failure: StoreFailure) => (error: unknown) => {
    assert.ok(error instanceof StoreError, String(error));
    assert.equal(error.failure, failure);
    return true;
  };

  it('fails with timed_out for a response that does not end', async () => {
    const store = await openStore((socket) =>
      onRequest(socket, () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')),
    );
    await assert.rejects(store.get('k', { timeoutMs: 100 }), failsAs('timed_out'));
  });

  it('limits the response that it reads into memory', async () => {
    const store = await openStore((socket) =>
      onRequest(socket, () => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${2 ** 30}\r\n\r\n`);
        for (let part = 0; part < 20; part += 1) socket.write(Buffer.alloc(128 * 1024));
      }),
    );
    await assert.rejects(store.get('k', { timeoutMs: 2_000 }), failsAs('failed'));
  });

  const refusals: [status: string, code: string, failure: StoreFailure][] = [
    ['503 Slow Down', 'SlowDown', 'throttled'],
    ['429 Too Many Requests', 'TooManyRequests', 'throttled'],
    ['500 Internal Server Error', 'InternalError', 'failed'],
    ['301 Moved Permanently', 'PermanentRedirect', 'wrong_region'],
    ['400 Bad Request', 'AuthorizationHeaderMalformed', 'wrong_region'],
    ['403 Forbidden', 'InvalidAccessKeyId', 'access_denied'],
    ['401 Unauthorized', 'Unauthorized', 'access_denied'],
    ['400 Bad Request', 'RequestTimeout', 'timed_out'],
    ['404 Not Found', 'NoSuchBucket', 'bucket_missing'],
    ['418 Teapot', 'Unheard', 'failed'],
  ];
  for (const [status, code, failure] of refusals) {
    it(`reads ${status} ${code} as ${failure}`, async () => {
      const body = `<Error><Code>${code}</Code><Message>raw text</Message></Error>`;
      const store = await openStore((socket) =>
        onRequest(socket, () => socket.write(answer(status, [], body))),
      );
      for (const call of [
        store.get('k', { timeoutMs: 2_000 }),
        store.write(
          'k',
          { headers: {}, sizeBytes: 1, body: Buffer.from('x') },
          { timeoutMs: 2_000 },
        ),
        store.delete('k', { timeoutMs: 2_000 }),
      ]) {
        await assert.rejects(call, (error: Error) => {
          assert.ok(!error.message.includes('raw text') && !error.message.includes(code));
          return failsAs(failure)(error);
        });
      }
    });
  }

  it('bounds a HEAD in time, also where it needs two requests', async () => {
    const store = await openStore((socket) =>
      onRequest(socket, (method) => {
        // The HEAD is answered late, the request for the reason never.
        if (method === 'HEAD') setTimeout(() => socket.write(MISSING), 2_500);
      }),
    );
    const startedAt = performance.now();
    await assert.rejects(store.head('k', { timeoutMs: 3_000 }), failsAs('timed_out'));
    const tookMs = performance.now() - startedAt;
    // Were each request given the whole time, it would end after 5,500.
    assert.ok(tookMs < 5_000, `it took ${Math.round(tookMs)} ms of 3,000`);
  });

  it('counts an object as missing that is written between the two requests of a HEAD', async () => {
    for (const found of [answer('206 Partial Content', [], 'x'), answer('416 Range')]) {
      const store = await openStore((socket) =>
        onRequest(socket, (method) => socket.write(method === 'HEAD' ? MISSING : found)),
      );
      assert.equal(await store.head('k', { timeoutMs: 2_000 }), undefined);
    }
  });

  it('sends no second request to a store that throttles', async () => {
    const methods: string[] = [];
    const store = await openStore((socket) =>
      onRequest(socket, (method) => {
        methods.push(method);
        socket.write(answer('503 Slow Down'));
      }),
    );
    await assert.rejects(store.head('k', { timeoutMs: 2_000 }), failsAs('throttled'));
    assert.deepEqual(methods, ['HEAD']);
  });
});
