import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { CLOCK } from '../../../sdk/src/http/settings.ts';
import type { UploadRequest } from '../../../sdk/src/index.ts';
import { clientFor, errorOf, refusal, serve, startRawServer } from './servers.ts';
import { endless } from './sources.ts';
import { INIT, startUpload } from './uploads.ts';

const hello: UploadRequest = { source: Buffer.from('hello'), fileName: 'a' };
const limited = refusal(429, 'rate_limited', { 'retry-after': '60' });

describe("the caller's signal", () => {
  it('prevents the request where it is already aborted', async () => {
    const { client, service, store } = await startUpload();
    const reason = new Error('the user went away');
    const signal = AbortSignal.abort(reason);
    for (const call of [client.me({ signal }), client.upload({ ...hello, signal })]) {
      const { code, cause } = await errorOf(call);
      assert.deepEqual([code, cause], ['aborted', reason]);
    }
    assert.equal(service.arrived.length + store.arrived.length, 0);
  });

  for (const [step, fileId, puts, calls] of [
    ['init', undefined, 0, 1],
    ['put', 'f-1', 1, 1],
    ['complete', 'f-1', 1, 2],
  ] as const)
    it(`ends an upload during ${step} without further requests`, async () => {
      const controller = new AbortController();
      const upload = await startUpload(5, { [step]: () => () => controller.abort() });
      const sent = upload.client.upload({ ...hello, signal: controller.signal });
      const error = await errorOf(sent);
      assert.deepEqual([error.code, error.fileId], ['aborted', fileId]);
      assert.deepEqual([upload.store.arrived.length, upload.calls().length], [puts, calls]);
    });

  it('ends a call without an answer, and closes its connection', async () => {
    const controller = new AbortController();
    let onClosed: () => void;
    const closed = new Promise<void>((resolve) => {
      onClosed = resolve;
    });
    const server = await startRawServer((request) => {
      request.on('close', () => onClosed());
      controller.abort();
    });
    const { client } = clientFor(server);
    assert.equal((await errorOf(client.me({ signal: controller.signal }))).code, 'aborted');
    await closed;
  });

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
    const { client, calls } = await startUpload(5, { store });
    const source = Readable.from(endless().source);
    const request = { source, fileName: 'x', fileSizeBytes: 2 ** 40, multipart: false };
    const error = await errorOf(client.upload({ ...request, signal: controller.signal }));
    assert.deepEqual([error.code, source.destroyed], ['aborted', true]);
    assert.deepEqual(calls(), [INIT]);
    assert.equal(await closed, false, 'the request broke off');
  });

  it('ends an upload whose stream yields no data, in one PUT or in parts', async () => {
    const idle = (abort: () => void) => new Readable({ read: () => void setTimeout(abort, 50) });
    const idleWeb = (abort: () => void) =>
      new ReadableStream<Uint8Array>({ pull: () => new Promise(() => abort()) });
    for (const multipart of [false, true])
      for (const open of [idle, idleWeb]) {
        const { client } = await startUpload();
        const controller = new AbortController();
        const { signal } = controller;
        const source = open(() => controller.abort());
        const request = { source, fileName: 'x', fileSizeBytes: 9_000, multipart, signal };
        assert.equal((await errorOf(client.upload(request))).code, 'aborted');
        if (multipart && source instanceof Readable) assert.equal(source.destroyed, true);
      }
  });

  it('ends a wait before a repeat, of a call and of a part, on the real clock at once', async () => {
    /** Aborts once the wait has begun. */
    const abortingSleep = (controller: AbortController): typeof CLOCK.sleep => {
      return (_ms, signal) => {
        setImmediate(() => controller.abort());
        return CLOCK.sleep(60_000, signal);
      };
    };
    const [calling, sending] = [new AbortController(), new AbortController()];
    const { client, server } = await serve(limited, {}, { sleep: abortingSleep(calling) });
    assert.equal((await errorOf(client.me({ signal: calling.signal }))).code, 'aborted');
    assert.equal(server.arrived.length, 1);
    const upload = await startUpload(
      2_000,
      { put: () => refusal(503, 'SlowDown') },
      {},
      { sleep: abortingSleep(sending) },
    );
    const request = { source: Buffer.alloc(2_000), fileName: 'a', multipart: true };
    const sent = upload.client.upload({ ...request, signal: sending.signal });
    assert.equal((await errorOf(sent)).code, 'aborted');
  });
});

describe('an onProgress that throws', () => {
  it('stops the upload, with its error as the cause', async () => {
    const cause = new Error('the bar broke');
    const onProgress = (): never => {
      throw cause;
    };
    for (const size of [0, 5, 1_000_000]) {
      const { client } = await startUpload();
      const request = { source: Buffer.alloc(size), fileName: 'a', onProgress };
      const error = await errorOf(client.upload(request));
      assert.deepEqual([error.code, error.cause], ['aborted', cause]);
    }
  });
});
