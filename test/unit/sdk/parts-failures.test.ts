import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { UploadProgress, UploadSource } from '../../../sdk/src/index.ts';
import { sha256, startMultipartServers } from './multipart-servers.ts';
import { type Answer, breakOff, clientFor, errorOf, hang, refusal } from './servers.ts';
import { sourcesOf } from './sources.ts';

const multipart = true;

describe('a part that fails', () => {
  const stalled: Answer = (_request, response) =>
    void response.writeHead(400).end('<Error><Code>RequestTimeout</Code></Error>');
  const transient: Record<string, Answer> = {
    'a broken connection': breakOff,
    'a 500': refusal(500, 'InternalError'),
    'a 503': refusal(503, 'SlowDown'),
    'no answer': hang,
    'a stalled connection': stalled,
  };
  for (const [name, fault] of Object.entries(transient)) {
    it(`by ${name} is sent again with a fresh URL, from every source`, async () => {
      const bytes = randomBytes(3_500);
      const send = async (kind: string, source: UploadSource) => {
        const servers = await startMultipartServers(3_500, {
          put: (partNumber, attempt) => (partNumber === 2 && attempt < 3 ? fault : undefined),
        });
        const { client, waits } = clientFor(servers.service, { stallTimeoutMs: 1_000 });
        await client.upload({ ...source, multipart });
        assert.equal(servers.object(), sha256(bytes), kind);
        assert.equal(servers.file.puts.filter((part) => part === 2).length, 4);
        const urls = servers.store.arrived.map(({ path }) => path);
        assert.equal(new Set(urls).size, urls.length, 'each PUT has its own URL');
        assert.deepEqual(waits, [188, 375, 750], 'jittered back-off');
      };
      const sources = Object.entries(await sourcesOf(bytes));
      await Promise.all(sources.map(([kind, source]) => send(kind, source)));
    });
  }

  it('because its URL has expired is sent again, and URLs requested before are not used', async () => {
    const bytes = randomBytes(10_000);
    const servers = await startMultipartServers(10_000);
    const onProgress = ({ confirmedBytes = 0 }: UploadProgress): void => {
      if (confirmedBytes === 3_000) servers.file.expiredUrls ||= servers.file.urls;
    };
    const request = { source: bytes, fileName: 'x', multipart, parallelParts: 1, onProgress };
    await clientFor(servers.service).client.upload(request);
    assert.equal(servers.object(), sha256(bytes));
    assert.equal(servers.file.puts.length, 11, 'one refused PUT');
  });

  it('because the service cannot presign is sent once that works again', async () => {
    const servers = await startMultipartServers(3_000, {
      call: (call, earlier) =>
        call === 'POST /v1/upload/parts' && earlier < 6 ? refusal(503, 'unavailable') : undefined,
    });
    const source = randomBytes(3_000);
    await clientFor(servers.service).client.upload({ source, fileName: 'x', multipart });
    assert.equal(servers.object(), sha256(source));
  });

  for (const [status, attempts] of [
    [403, 3],
    [404, 3],
    [400, 1],
    [501, 9],
  ] as const) {
    it(`always with ${status} ends the upload after ${attempts} attempts`, async () => {
      const servers = await startMultipartServers(3_000, {
        put: (partNumber) => (partNumber === 3 ? refusal(status, 'No') : undefined),
      });
      const source = randomBytes(3_000);
      const { client } = clientFor(servers.service);
      const error = await errorOf(client.upload({ source, fileName: 'x', multipart }));
      assert.deepEqual(
        [error.code, error.status, error.fileId],
        ['upload_to_provider_failed', status, 'f-1'],
      );
      assert.match(error.message, /part 3/);
      assert.equal(servers.file.puts.filter((part) => part === 3).length, attempts);
      assert.ok(!servers.calls().includes('POST /v1/upload/complete'));
    });
  }

  it('is not sent again where maxRetries is 0', async () => {
    const servers = await startMultipartServers(1_000, { put: () => breakOff });
    const { client } = clientFor(servers.service, { maxRetries: 0 });
    const request = { source: randomBytes(1_000), fileName: 'x', multipart };
    assert.equal((await errorOf(client.upload(request))).code, 'connection_lost');
    assert.equal(servers.file.puts.length, 1);
  });

  it('because the upload has ended is explained by the service', async () => {
    const servers = await startMultipartServers(1_000, {
      put: () => refusal(404, 'NoSuchUpload'),
      call: (call, earlier) =>
        call === 'POST /v1/upload/parts' && earlier > 0 ? refusal(410, 'file_deleted') : undefined,
    });
    const { client } = clientFor(servers.service);
    const request = { source: randomBytes(1_000), fileName: 'x', multipart };
    const error = await errorOf(client.upload(request));
    assert.deepEqual([error.code, error.fileId], ['file_deleted', 'f-1']);
  });

  it('because URLs are invalidAnswer is an invalid_response', async () => {
    const part = { partNumber: 1, sizeBytes: 1_000, presignedUrl: 'https://store.example/x' };
    for (const parts of [
      [],
      [{ ...part, sizeBytes: 999 }],
      [{ ...part, presignedUrl: 'file:///x' }],
    ]) {
      const servers = await startMultipartServers(1_000, {
        call: (call) =>
          call === 'POST /v1/upload/parts'
            ? (_request, response) => void response.end(JSON.stringify({ parts, expiresAt: 'x' }))
            : undefined,
      });
      const { client } = clientFor(servers.service);
      const request = { source: randomBytes(1_000), fileName: 'x', multipart };
      assert.equal((await errorOf(client.upload(request))).code, 'invalid_response');
    }
  });
});

describe('a complete that finds parts missing', () => {
  /** Loses a part just before the first `times` completes. */
  const losing = (times: number) => (servers: () => { held: Map<number, Buffer> }) => ({
    call: (call: string, earlier: number) => {
      if (call === 'POST /v1/upload/complete' && earlier < times) servers().held.delete(2);
      return undefined;
    },
  });

  async function lossy(times: number) {
    let file: { held: Map<number, Buffer> } | undefined;
    const servers = await startMultipartServers(
      3_500,
      losing(times)(() => file ?? assert.fail()),
    );
    file = servers.file;
    return servers;
  }

  it('has those sent again', async () => {
    const bytes = randomBytes(3_500);
    const servers = await lossy(2);
    await clientFor(servers.service).client.upload({ source: bytes, fileName: 'x', multipart });
    assert.equal(servers.object(), sha256(bytes));
    assert.deepEqual(
      [...servers.file.puts].sort((a, b) => a - b),
      [1, 2, 2, 2, 3, 4],
    );
  });

  it('has them sent at most twice again', async () => {
    const servers = await lossy(9);
    const { client } = clientFor(servers.service);
    const request = { source: randomBytes(3_500), fileName: 'x', multipart };
    const error = await errorOf(client.upload(request));
    assert.deepEqual([error.code, error.fileId], ['file_incomplete', 'f-1']);
    assert.equal(servers.file.puts.length, 6);
  });

  it('ends the upload of a stream, which cannot be read again', async () => {
    const servers = await lossy(9);
    const { client } = clientFor(servers.service);
    const source = Readable.from([randomBytes(3_500)]);
    const request = { source, fileName: 'x', fileSizeBytes: 3_500, multipart };
    assert.equal((await errorOf(client.upload(request))).code, 'file_incomplete');
    assert.equal(servers.file.puts.length, 4);
  });
});
