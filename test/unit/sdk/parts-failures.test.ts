import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { UploadProgress, UploadSource } from '../../../sdk/src/index.ts';
import * as servers from './servers.ts';
import { breakOff, errorOf, hang, json, refusal } from './servers.ts';
import { sourcesOf } from './sources.ts';
import { COMPLETE, startUpload, type Upload } from './uploads.ts';

const multipart = true;
/** A request for an upload in parts of so many random bytes. */
const random = (size: number) => ({ source: randomBytes(size), fileName: 'x', multipart });

/** An upload of so many bytes, one part of which always fails. */
async function failed(...[size = 0, given, options]: Parameters<typeof startUpload>) {
  const upload = await startUpload(size, given, options);
  return { ...upload, error: await errorOf(upload.client.upload(random(size))) };
}

describe('a part that fails', () => {
  for (const [name, fault, options] of [
    ['a broken connection', breakOff],
    ['a 500', refusal(500, 'InternalError')],
    ['a 503', refusal(503, 'SlowDown')],
    // Long enough for the parts that are answered, on a machine that stands still for a second.
    ['no answer', hang, { stallTimeoutMs: 3_000 }],
    ['a stalled connection', servers.text(400, '<Error><Code>RequestTimeout</Code></Error>')],
  ] as const) {
    it(`by ${name} is sent again with a fresh URL, from every source`, async () => {
      const bytes = randomBytes(3_500);
      const send = async (kind: string, source: UploadSource) => {
        const put = (attempt: number, part: number) =>
          part === 2 && attempt < 3 ? fault : undefined;
        const upload = await startUpload(5, { put }, options);
        await upload.client.upload({ ...source, multipart });
        upload.holds(bytes, kind);
        assert.deepEqual(upload.sent(), [1, 2, 2, 2, 2, 3, 4]);
        const urls = upload.store.arrived.map(({ path }) => path);
        assert.equal(new Set(urls).size, urls.length, 'each PUT has its own URL');
        assert.deepEqual(upload.waits, [188, 375, 750], 'jittered back-off');
      };
      const sources = Object.entries(await sourcesOf(bytes));
      await Promise.all(sources.map(([kind, source]) => send(kind, source)));
    });
  }

  it('because its URL has expired is sent again, and URLs requested before are not used', async () => {
    const { client, file, holds } = await startUpload();
    const onProgress = ({ confirmedBytes = 0 }: UploadProgress): void => {
      if (confirmedBytes === 3_000) file.expiredUrls ||= file.urls;
    };
    const request = random(10_000);
    await client.upload({ ...request, parallelParts: 1, onProgress });
    holds(request.source);
    assert.equal(file.puts.length, 11, 'one refused PUT');
  });

  it('because the service cannot presign is sent once that works again', async () => {
    const away = refusal(503, 'unavailable');
    const parts = (earlier: number) => (earlier < 6 ? away : undefined);
    const { client, holds } = await startUpload(5, { parts });
    const request = random(3_000);
    await client.upload(request);
    holds(request.source);
  });

  for (const [status, attempts] of [
    [403, 3],
    [404, 3],
    [400, 1],
    [501, 9],
  ] as const) {
    it(`always with ${status} ends the upload after ${attempts} attempts`, async () => {
      const { error, file, calls } = await failed(3_000, {
        put: (_earlier, part) => (part === 3 ? refusal(status, 'No') : undefined),
      });
      const said = [error.code, error.status, error.fileId];
      assert.deepEqual(said, ['upload_to_provider_failed', status, 'f-1']);
      assert.match(error.message, /part 3/);
      assert.equal(file.puts.filter((part) => part === 3).length, attempts);
      assert.ok(!calls().includes(COMPLETE));
    });
  }

  it('is not sent again where maxRetries is 0', async () => {
    const { error, file } = await failed(1_000, { put: () => breakOff }, { maxRetries: 0 });
    assert.deepEqual([error.code, file.puts.length], ['connection_lost', 1]);
  });

  it('because the upload has ended is explained by the service', async () => {
    const gone = refusal(410, 'file_deleted');
    const { error } = await failed(1_000, {
      put: () => refusal(404, 'NoSuchUpload'),
      parts: (earlier) => (earlier > 0 ? gone : undefined),
    });
    assert.deepEqual([error.code, error.fileId], ['file_deleted', 'f-1']);
  });

  it('because its URL does not fit is an invalid_response', async () => {
    const part = { partNumber: 1, sizeBytes: 1_000, presignedUrl: 'https://store.example/x' };
    for (const parts of [
      [],
      [{ ...part, sizeBytes: 999 }],
      [{ ...part, presignedUrl: 'file:///x' }],
    ]) {
      const { error } = await failed(1_000, { parts: () => json(200, { parts, expiresAt: 'x' }) });
      assert.equal(error.code, 'invalid_response');
    }
  });
});

describe('a complete that finds parts missing', () => {
  /** Loses a part just before the first `times` completes. */
  async function lossy(times: number): Promise<Upload> {
    const upload: Upload = await startUpload(5, {
      complete: (earlier) => {
        if (earlier < times) upload.file.held.delete(2);
        return undefined;
      },
    });
    return upload;
  }

  it('has those sent again', async () => {
    const { client, holds, sent } = await lossy(2);
    const request = random(3_500);
    await client.upload(request);
    holds(request.source);
    assert.deepEqual(sent(), [1, 2, 2, 2, 3, 4]);
  });

  it('has them sent at most twice again, and not those of a stream, which cannot be read again', async () => {
    const source = Readable.from([randomBytes(3_500)]);
    const stream = { source, fileName: 'x', fileSizeBytes: 3_500, multipart };
    for (const [request, puts] of [
      [random(3_500), 6],
      [stream, 4],
    ] as const) {
      const { client, file } = await lossy(9);
      const error = await errorOf(client.upload(request));
      assert.deepEqual([error.code, error.fileId], ['file_incomplete', 'f-1']);
      assert.equal(file.puts.length, puts);
    }
  });
});
