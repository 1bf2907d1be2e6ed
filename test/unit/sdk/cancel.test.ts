import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { CLOCK } from '../../../sdk/src/http/settings.ts';
import type { UploadRequest } from '../../../sdk/src/index.ts';
import { startMultipartServers } from './multipart-servers.ts';
import { errorOf, refusal, serve, startRawServer, startUploadPair } from './servers.ts';

const hello: UploadRequest = { source: Buffer.from('hello'), fileName: 'a' };
const limited = refusal(429, 'rate_limited', { 'retry-after': '60' });

describe("the caller's signal", () => {
  it('prevents the request where it is already aborted', async () => {
    const { client, service, store } = await startUploadPair();
    const reason = new Error('the user went away');
    const signal = AbortSignal.abort(reason);
    for (const call of [client.me({ signal }), client.upload({ ...hello, signal })]) {
      const { code, cause } = await errorOf(call);
      assert.deepEqual([code, cause], ['aborted', reason]);
    }
    assert.equal(service.arrived.length + store.arrived.length, 0);
  });

  for (const step of ['init', 'put', 'complete'] as const) {
    it(`ends an upload during ${step} without further requests`, async () => {
      const controller = new AbortController();
      const { client, store, calls } = await startUploadPair({ [step]: () => controller.abort() });
      const error = await errorOf(client.upload({ ...hello, signal: controller.signal }));
      assert.equal(error.code, 'aborted');
      assert.equal(error.fileId, step === 'init' ? undefined : 'f-1');
      assert.equal(store.arrived.length, step === 'init' ? 0 : 1);
      assert.equal(calls().length, step === 'complete' ? 2 : 1);
    });
  }

  it('ends an upload during the PUT, closes the stream and leaves no object', async () => {
    const controller = new AbortController();
    let onClosed: (complete: boolean) => void;
    const closed = new Promise<boolean>((resolve) => {
      onClosed = resolve;
    });
    const store = await startRawServer((request) => {
      request.on('error', () => undefined);
      request.on('data', () => controller.abort());
      request.on('close', () => onClosed(request.complete));
    });
    const { client, calls } = await startUploadPair({ store });
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield new Uint8Array(65_536);
    }
    const source = Readable.from(endless());
    const request = { source, fileName: 'x', fileSizeBytes: 2 ** 40, multipart: false };
    const error = await errorOf(client.upload({ ...request, signal: controller.signal }));
    assert.equal(error.code, 'aborted');
    assert.equal(source.destroyed, true);
    assert.deepEqual(calls(), ['/v1/upload/init']);
    assert.equal(await closed, false, 'the request broke off');
  });

  it('ends an upload whose stream yields no data, in one PUT or in parts', async () => {
    const idle = (abort: () => void) => new Readable({ read: () => void setTimeout(abort, 50) });
    const idleWeb = (abort: () => void) =>
      new ReadableStream<Uint8Array>({ pull: () => new Promise(() => abort()) });
    for (const multipart of [false, true])
      for (const open of [idle, idleWeb]) {
        const { client } = await startMultipartServers(9_000, { isMultipart: multipart });
        const controller = new AbortController();
        const { signal } = controller;
        const source = open(() => controller.abort());
        const request = { source, fileName: 'x', fileSizeBytes: 9_000, multipart, signal };
        assert.equal((await errorOf(client.upload(request))).code, 'aborted');
        if (multipart && source instanceof Readable) assert.equal(source.destroyed, true);
      }
  });

  it('ends a wait before a repeat, on the real clock at once', async () => {
    const controller = new AbortController();
    const { client, server } = await serve(
      (request, response) => {
        limited(request, response);
        response.on('close', () => setImmediate(() => controller.abort()));
      },
      {},
      { sleep: CLOCK.sleep },
    );
    assert.equal((await errorOf(client.me({ signal: controller.signal }))).code, 'aborted');
    assert.equal(server.arrived.length, 1);
  });
});

describe('an onProgress that throws', () => {
  it('stops the upload, with its error as the cause', async () => {
    const { client } = await startUploadPair();
    const cause = new Error('the bar broke');
    const onProgress = (): never => {
      throw cause;
    };
    for (const size of [0, 5, 1_000_000]) {
      const request = { source: Buffer.alloc(size), fileName: 'a', onProgress };
      const error = await errorOf(client.upload(request));
      assert.deepEqual([error.code, error.cause], ['aborted', cause]);
    }
  });
});
