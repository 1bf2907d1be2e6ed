import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { CLOCK } from '../../../sdk/src/http/settings.ts';
import type { UploadProgress, UploadRequest } from '../../../sdk/src/index.ts';
import { breakOff, clientFor, errorOf, hang, refusal, serve } from './servers.ts';
import { COMPLETE, startUpload } from './uploads.ts';

const MIB = 1024 * 1024;
const multipart = true;
/** A request for an upload in parts of so many random bytes. */
const random = (size: number) => ({ source: randomBytes(size), fileName: 'x', multipart });

describe('an upload in parts', () => {
  it('begins above 64 MiB by itself, unless it is told otherwise or given an MD5', async () => {
    const { client, server } = await serve(refusal(402, 'plan_limit'));
    const contentMd5 = 'XUFAKrxLKna5cZ2REBfFkg==';
    for (const [request, multipart] of [
      [{ fileSizeBytes: 64 * MIB }, undefined],
      [{ fileSizeBytes: 64 * MIB + 1 }, true],
      [{ fileSizeBytes: 64 * MIB + 1, multipart: false }, undefined],
      [{ fileSizeBytes: 2 ** 40, contentMd5 }, undefined],
      [{ fileSizeBytes: 5, multipart: true }, true],
    ] as const) {
      const upload = { source: Readable.from([]), fileName: 'x', ...request };
      await errorOf(client.upload(upload));
      const body = JSON.parse(String(server.arrived.at(-1)?.body)) as UploadRequest;
      const md5 = 'contentMd5' in request ? contentMd5 : undefined;
      assert.deepEqual([body.multipart, body.contentMd5], [multipart, md5]);
    }
    const both = { ...random(5), contentMd5 };
    assert.equal((await errorOf(client.upload(both))).code, 'invalid_argument');
    assert.equal(server.arrived.length, 5);
  });

  it('sends each part with its length and no other header of its own', async () => {
    const { client, store } = await startUpload();
    const source = new Blob([randomBytes(2_500)], { type: 'a/b' });
    await client.upload({ source, fileName: 'x', multipart });
    for (const { method, headers } of store.arrived) {
      assert.equal(method, 'PUT');
      assert.match(String(headers['content-length']), /^(?:1000|500)$/);
      // What fetch itself sends.
      const own = /^(?:host|connection|content-length|accept(?:-.+)?|sec-fetch-mode|user-agent)$/;
      for (const name of Object.keys(headers)) assert.match(name, own);
    }
  });

  it('has as many parts in flight as it is told', async () => {
    for (const parallelParts of [undefined, 1, 7]) {
      // A busy store would answer the first before the last arrives.
      const { client, file } = await startUpload(5, { heldPuts: parallelParts ?? 4 });
      await client.upload({ ...random(20_000), parallelParts });
      assert.equal(file.mostOpen, parallelParts ?? 4);
    }
    const { client } = clientFor({ url: 'http://127.0.0.1:9' });
    for (const parallelParts of [0, 33, 1.5, Number.NaN]) {
      const error = await errorOf(client.upload({ ...random(5), parallelParts }));
      assert.equal(error.code, 'invalid_argument');
    }
  });

  it('requests URLs in growing batches of up to 100, each part once', async () => {
    const { client, file, numbers } = await startUpload(5, { partSizeBytes: 1 });
    await client.upload(random(300));
    const batches = file.asked.map(({ length }) => length).join();
    assert.equal(batches, '8,16,32,64,100,80');
    assert.deepEqual(file.asked.flat(), numbers());
  });

  it('uses no URL in the second half of its life', async () => {
    let nowMs = Date.now();
    const now = () => (nowMs += 30_000);
    const faults = { partSizeBytes: 1, urlSeconds: 100 };
    const { client, file } = await startUpload(5, faults, {}, { now });
    await client.upload({ ...random(20), parallelParts: 1 });
    assert.ok(file.asked.length > 5, `${file.asked.length} calls`);
    assert.equal(file.puts.length, 20);
  });

  it('tells the file id before the first byte, and stops where that throws', async () => {
    const { client, file } = await startUpload();
    const cause = new Error('cannot be noted');
    const onStarted = (started: object): void => {
      assert.deepEqual(started, { fileId: 'f-1', provider: 'r2', multipart });
      throw cause;
    };
    const error = await errorOf(client.upload({ ...random(1_000), onStarted }));
    assert.deepEqual([error.code, error.cause, error.fileId], ['aborted', cause, 'f-1']);
    assert.equal(file.puts.length, 0);
  });

  it('reports bytes as confirmed once the store has answered', async () => {
    const { client, file, holds } = await startUpload(5, {
      put: (attempt, partNumber) => (partNumber === 2 && attempt < 2 ? breakOff : undefined),
    });
    const seen: UploadProgress[] = [];
    const onProgress = (progress: UploadProgress): void => {
      const arrived = [...file.held.values()].reduce((sum, { length }) => sum + length, 0);
      assert.ok((progress.confirmedBytes ?? 0) <= arrived);
      assert.ok(progress.sentBytes <= 5_500);
      seen.push(progress);
    };
    const request = random(5_500);
    await client.upload({ ...request, onProgress });
    assert.deepEqual(seen[0], { sentBytes: 0, totalBytes: 5_500, confirmedBytes: 0 });
    assert.deepEqual(seen.at(-1), { sentBytes: 5_500, totalBytes: 5_500, confirmedBytes: 5_500 });
    const confirmed = seen.map(({ confirmedBytes = 0 }) => confirmedBytes);
    for (const [index, bytes] of confirmed.entries())
      assert.ok(bytes >= (confirmed[index - 1] ?? 0));
    holds(request.source);
  });
});

describe('an upload in parts that is aborted', () => {
  it('ends at once, with the file id and the reason, and completes nothing', async () => {
    for (const fault of [hang, breakOff]) {
      const controller = new AbortController();
      const reason = new Error('the user went away');
      let started = 0;
      const put = (_earlier: number, partNumber: number) => {
        if (partNumber <= 2) return undefined;
        if (started === 0) setTimeout(() => controller.abort(reason), 100);
        started ||= Date.now();
        return fault;
      };
      const { client, calls } = await startUpload(5, { put }, {}, { sleep: CLOCK.sleep });
      const { signal } = controller;
      const error = await errorOf(client.upload({ ...random(9_000), signal }));
      assert.deepEqual([error.code, error.cause, error.fileId], ['aborted', reason, 'f-1']);
      assert.ok(Date.now() - started < 3_000);
      assert.ok(!calls().includes(COMPLETE));
    }
  });
});
