import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { CLOCK } from '../../../sdk/src/http/settings.ts';
import type { UploadProgress } from '../../../sdk/src/index.ts';
import { sha256, startMultipartServers } from './multipart-servers.ts';
import { breakOff, clientFor, errorOf, hang, refusal, startServer } from './servers.ts';
import { sourcesOf } from './sources.ts';

const MIB = 1024 * 1024;
const multipart = true;

describe('an upload in parts', () => {
  for (const size of [0, 1, 1_000, 1_001, 9_999]) {
    it(`puts ${size} bytes together again, from every source`, async () => {
      const bytes = randomBytes(size);
      for (const [name, source] of Object.entries(await sourcesOf(bytes))) {
        const servers = await startMultipartServers(size);
        const { client } = clientFor(servers.service);
        const result = await client.upload({ ...source, multipart });
        assert.equal(result.savedVsAwsFixed, '0.090240', name);
        assert.equal(servers.object(), sha256(bytes), name);
        const numbers = Array.from({ length: servers.file.partCount }, (_, index) => index + 1);
        assert.deepEqual(
          [...servers.file.puts].sort((a, b) => a - b),
          numbers,
          name,
        );
      }
    });
  }

  it('begins above 64 MiB by itself, unless it is told otherwise', async () => {
    const init = async (request: object): Promise<unknown> => {
      const server = await startServer(refusal(402, 'plan_limit'));
      const source = { source: Readable.from([]), fileName: 'x' };
      const { client } = clientFor(server);
      await errorOf(client.upload({ ...source, ...request } as never));
      return (JSON.parse(String(server.arrived[0]?.body)) as { multipart?: unknown }).multipart;
    };
    assert.equal(await init({ fileSizeBytes: 64 * MIB }), undefined);
    assert.equal(await init({ fileSizeBytes: 64 * MIB + 1 }), true);
    assert.equal(await init({ fileSizeBytes: 64 * MIB + 1, multipart: false }), undefined);
    assert.equal(await init({ fileSizeBytes: 2 ** 40, contentMd5: 'AAAA' }), undefined);
    assert.equal(await init({ fileSizeBytes: 5, multipart: true }), true);
  });

  it('leaves an MD5 to an upload by a single PUT', async () => {
    const server = await startServer(refusal(402, 'plan_limit'));
    const { client } = clientFor(server);
    const request = {
      source: Buffer.from('hello'),
      fileName: 'x',
      contentMd5: 'XUFAKrxLKna5cZ2REBfFkg==',
    };
    await errorOf(client.upload(request));
    assert.match(String(server.arrived[0]?.body), /"contentMd5":"XUFAKrxLKna5cZ2REBfFkg=="/);
    const error = await errorOf(client.upload({ ...request, multipart }));
    assert.equal(error.code, 'invalid_argument');
    assert.equal(server.arrived.length, 1);
  });

  it('sends each part with its length and no other header of its own', async () => {
    const servers = await startMultipartServers(2_500);
    const { client } = clientFor(servers.service);
    await client.upload({
      source: new Blob([randomBytes(2_500)], { type: 'a/b' }),
      fileName: 'x',
      multipart,
    });
    for (const { method, headers } of servers.store.arrived) {
      assert.equal(method, 'PUT');
      assert.match(String(headers['content-length']), /^(?:1000|500)$/);
      // What fetch itself sends.
      const own = new Set(['host', 'connection', 'content-length', 'accept', 'accept-language']);
      for (const name of ['accept-encoding', 'sec-fetch-mode', 'user-agent']) own.add(name);
      assert.deepEqual(
        Object.keys(headers).filter((name) => !own.has(name)),
        [],
      );
    }
  });

  it('has as many parts in flight as it is told', async () => {
    for (const [parallelParts, most] of [
      [undefined, 4],
      [1, 1],
      [7, 7],
    ] as const) {
      const servers = await startMultipartServers(20_000);
      const { client } = clientFor(servers.service);
      await client.upload({ source: randomBytes(20_000), fileName: 'x', multipart, parallelParts });
      assert.equal(servers.file.mostOpen, most);
    }
    for (const parallelParts of [0, 33, 1.5, Number.NaN]) {
      const { client } = clientFor({ url: 'http://127.0.0.1:9' });
      const request = { source: randomBytes(5), fileName: 'x', multipart, parallelParts };
      assert.equal((await errorOf(client.upload(request))).code, 'invalid_argument');
    }
  });

  it('requests URLs in growing batches of up to 100, each part once', async () => {
    const servers = await startMultipartServers(300, { partSizeBytes: 1 });
    await clientFor(servers.service).client.upload({
      source: randomBytes(300),
      fileName: 'x',
      multipart,
    });
    const { asked } = servers.file;
    assert.deepEqual(
      asked.map(({ length }) => length),
      [8, 16, 32, 64, 100, 80],
    );
    assert.deepEqual(
      asked.flat(),
      Array.from({ length: 300 }, (_, index) => index + 1),
    );
  });

  it('uses no URL in the second half of its life', async () => {
    const servers = await startMultipartServers(20, { partSizeBytes: 1, urlSeconds: 100 });
    let nowMs = Date.now();
    const { client } = clientFor(servers.service, {}, { now: () => (nowMs += 30_000) });
    await client.upload({ source: randomBytes(20), fileName: 'x', multipart, parallelParts: 1 });
    assert.ok(servers.file.asked.length > 5, `${servers.file.asked.length} calls`);
    assert.equal(servers.file.puts.length, 20);
  });

  it('tells the file id before the first byte, and stops where that throws', async () => {
    const servers = await startMultipartServers(1_000);
    const { client } = clientFor(servers.service);
    const cause = new Error('cannot be noted');
    const onStarted = (started: object): void => {
      assert.deepEqual(started, { fileId: 'f-1', provider: 'r2', multipart });
      throw cause;
    };
    const request = { source: randomBytes(1_000), fileName: 'x', multipart, onStarted };
    const error = await errorOf(client.upload(request));
    assert.deepEqual([error.code, error.cause, error.fileId], ['aborted', cause, 'f-1']);
    assert.equal(servers.file.puts.length, 0);
  });

  it('reports bytes as confirmed once the store has answered', async () => {
    const servers = await startMultipartServers(5_500, {
      put: (partNumber, attempt) => (partNumber === 2 && attempt < 2 ? breakOff : undefined),
    });
    const seen: UploadProgress[] = [];
    const onProgress = (progress: UploadProgress): void => {
      const arrived = [...servers.file.held.values()].reduce((sum, { length }) => sum + length, 0);
      assert.ok((progress.confirmedBytes ?? 0) <= arrived);
      assert.ok(progress.sentBytes <= 5_500);
      seen.push(progress);
    };
    const source = randomBytes(5_500);
    await clientFor(servers.service).client.upload({
      source,
      fileName: 'x',
      multipart,
      onProgress,
    });
    assert.deepEqual(seen[0], { sentBytes: 0, totalBytes: 5_500, confirmedBytes: 0 });
    assert.deepEqual(seen.at(-1), { sentBytes: 5_500, totalBytes: 5_500, confirmedBytes: 5_500 });
    const confirmed = seen.map(({ confirmedBytes = 0 }) => confirmedBytes);
    assert.deepEqual(
      confirmed,
      [...confirmed].sort((a, b) => a - b),
    );
    assert.equal(servers.object(), sha256(source));
  });
});

describe('an upload in parts that is aborted', () => {
  it('ends at once, with the file id and the reason, and completes nothing', async () => {
    for (const fault of [hang, breakOff]) {
      const controller = new AbortController();
      const servers = await startMultipartServers(9_000, {
        put: (partNumber) => (partNumber > 2 ? fault : undefined),
      });
      const reason = new Error('the user went away');
      const { client } = clientFor(servers.service, {}, { sleep: CLOCK.sleep });
      const started = Date.now();
      setTimeout(() => controller.abort(reason), 100);
      const { signal } = controller;
      const request = { source: randomBytes(9_000), fileName: 'x', multipart, signal };
      const error = await errorOf(client.upload(request));
      assert.deepEqual([error.code, error.cause, error.fileId], ['aborted', reason, 'f-1']);
      assert.ok(Date.now() - started < 3_000);
      assert.ok(!servers.calls().includes('POST /v1/upload/complete'));
    }
  });

  it('ends while its stream gives nothing, and closes the stream', async () => {
    const servers = await startMultipartServers(9_000);
    const source = new Readable({ read: () => undefined });
    const request = { source, fileName: 'x', fileSizeBytes: 9_000, multipart };
    const { client } = clientFor(servers.service);
    const error = await errorOf(client.upload({ ...request, signal: AbortSignal.timeout(50) }));
    assert.equal(error.code, 'aborted');
    assert.equal(source.destroyed, true);
  });
});

describe('a runtime that sends streams without their length', () => {
  it('sends parts in one piece, also those of a file and a stream', async () => {
    const marked = globalThis as { Deno?: object };
    const bytes = randomBytes(2_500);
    const sources = Object.entries(await sourcesOf(bytes));
    marked.Deno = {};
    try {
      for (const [name, source] of sources) {
        const servers = await startMultipartServers(2_500);
        await clientFor(servers.service).client.upload({ ...source, multipart });
        assert.equal(servers.object(), sha256(bytes), name);
        const [arrived] = servers.store.arrived;
        assert.equal(arrived?.headers['transfer-encoding'], undefined, name);
      }
    } finally {
      delete marked.Deno;
    }
  });
});
