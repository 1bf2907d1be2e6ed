import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, truncateSync, utimesSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { UploadProgress, UploadRequest } from '../../../sdk/src/index.ts';
import { sha256 } from './multipart-servers.ts';
import { errorOf, startRawServer, startUploadPair } from './servers.ts';
import { pieces, sourcesOf, temporaryPath } from './sources.ts';

const MIB = 1024 * 1024;

/** A store that records hash, size and headers of each complete object, with a service and its client. */
async function startHashingStore() {
  const whole: { sha256: string; bytes: number; length?: string; chunked?: string }[] = [];
  const store = await startRawServer((request, response) => {
    const hash = createHash('sha256');
    let bytes = 0;
    request.on('error', () => undefined);
    request.on('data', (part: Buffer) => {
      hash.update(part);
      bytes += part.byteLength;
    });
    // 'end' is emitted only after all announced bytes.
    request.on('end', () => {
      const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
      whole.push({
        sha256: hash.digest('hex'),
        bytes,
        ...(length !== undefined && { length }),
        ...(chunked !== undefined && { chunked }),
      });
      response.end();
    });
  });
  const { client, calls } = await startUploadPair({ store });
  return { client, whole, calls };
}

describe('the body of the PUT', () => {
  for (const size of [0, 1, 262_144, 262_145, 1_000_003]) {
    it(`arrives complete, with a length and unchunked, from every source, with ${size} bytes`, async () => {
      const bytes = randomBytes(size);
      for (const [name, source] of Object.entries(await sourcesOf(bytes, 10_007))) {
        const { client, whole } = await startHashingStore();
        const seen: UploadProgress[] = [];
        await client.upload({ ...source, onProgress: (progress) => seen.push(progress) });
        const expected = { sha256: sha256(bytes), bytes: size, length: String(size) };
        assert.deepEqual(whole, [expected], name);
        assertProgress(seen, size, name);
      }
    });
  }

  it('does not make memory grow with the file', async () => {
    const path = await temporaryPath('sparse.bin');
    await writeFile(path, '');
    await truncate(path, 512 * MIB);
    const { client, whole } = await startHashingStore();
    const before = process.memoryUsage.rss();
    let highest = before;
    const onProgress = (): void => void (highest = Math.max(highest, process.memoryUsage.rss()));
    await client.upload({ source: path, multipart: false, onProgress });
    assert.equal(whole[0]?.bytes, 512 * MIB);
    // Client and server share this process, and garbage is counted until it is collected.
    const grownMib = Math.round((highest - before) / MIB);
    assert.ok(grownMib < 160, `memory grew by ${grownMib} MiB`);
  });

  it('is read with backpressure from the store', async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        given += 65_536;
        yield new Uint8Array(65_536);
      }
    }
    const store = await startRawServer((request) => void request.pause());
    const { client } = await startUploadPair({ store }, { stallTimeoutMs: 300 });
    const fileSizeBytes = 2 ** 40;
    await client.upload({ source: endless(), fileName: 'x', fileSizeBytes, multipart: false });
    // The store never answered, and complete reported that the object exists.
    assert.ok(given < 32 * MIB, `${given} bytes were read ahead`);
  });

  it('sends sources in memory as one piece where streams lose their length', async () => {
    const marked = globalThis as { Deno?: object };
    marked.Deno = {};
    try {
      for (const source of [Buffer.from('hello'), new Blob(['hello'])]) {
        const { client, whole } = await startHashingStore();
        await client.upload({ source, fileName: 'a' });
        assert.equal(whole[0]?.length, '5');
        assert.equal(whole[0]?.chunked, undefined);
      }
    } finally {
      delete marked.Deno;
    }
  });
});

function assertProgress(seen: UploadProgress[], size: number, name: string): void {
  assert.ok(seen.length > 0, name);
  assert.ok(
    seen.every(({ totalBytes }) => totalBytes === size),
    name,
  );
  assert.equal(seen.at(-1)?.sentBytes, size, name);
  for (const [index, { sentBytes }] of seen.entries()) {
    const last = seen[index - 1]?.sentBytes ?? -1;
    assert.ok(sentBytes > last, `${name}: ${sentBytes} after ${last}`);
  }
}

describe('a source that differs from its announcement', () => {
  const upTo = (size: number) => pieces(Buffer.alloc(size, 7), 100_000);

  /** The error of an upload of which no whole object reaches the store, and the calls to the service. */
  async function refused(request: UploadRequest) {
    const { client, whole, calls } = await startHashingStore();
    const error = await errorOf(client.upload(request));
    assert.deepEqual(whole, [], 'no whole object may reach the store');
    return { error, code: error.code, calls: calls() };
  }

  for (const [size, announced] of [
    [999_999, 1_000_000],
    [1_000_001, 1_000_000],
    [1_100_000, 1_000_000],
    [0, 1],
    [1, 0],
  ] as const) {
    it(`never becomes an object: ${size} bytes instead of ${announced}`, async () => {
      for (const source of [upTo(size), Readable.from(upTo(size))]) {
        const request = { source, fileName: 'x', fileSizeBytes: announced };
        const { error, code, calls } = await refused(request);
        assert.deepEqual([code, error.fileId], ['source_size_mismatch', 'f-1']);
        assert.deepEqual(calls, ['/v1/upload/init']);
      }
    });
  }

  const changes: Record<string, [string, (path: string) => void]> = {
    grows: ['source_size_mismatch', (path) => appendFileSync(path, 'more')],
    shrinks: ['source_size_mismatch', (path) => truncateSync(path, 900_000)],
    'is written to': ['source_changed', (path) => utimesSync(path, 1, 1)],
  };
  for (const [name, [expected, change]] of Object.entries(changes)) {
    it(`never becomes an object: a file that ${name} during the upload`, async () => {
      const path = await temporaryPath(`changing-${name.length}.bin`);
      await writeFile(path, Buffer.alloc(1_000_000));
      let isChanged = false;
      // The file changes after the first piece was sent; pieces are read one by one.
      const onProgress = (): void => {
        if (!isChanged) change(path);
        isChanged = true;
      };
      const { code, calls } = await refused({ source: path, onProgress });
      assert.deepEqual([code, calls], [expected, ['/v1/upload/init']]);
    });
  }

  it('is detected before init where the size is known', async () => {
    const path = await temporaryPath('known.bin');
    await writeFile(path, 'hello');
    for (const source of [Buffer.from('hello'), new Blob(['hello']), path]) {
      const request = { source, fileName: 'x', fileSizeBytes: 6 } as UploadRequest;
      const { code, calls } = await refused(request);
      assert.deepEqual([code, calls], ['source_size_mismatch', []]);
    }
  });

  it('books no quota where it cannot be read', async () => {
    const missing = await temporaryPath('missing');
    for (const source of [missing, import.meta.dirname]) {
      const { code, calls } = await refused({ source });
      assert.deepEqual([code, calls], ['source_failed', []]);
    }
  });

  it('rejects with source_failed where it fails during the upload, or yields text', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield* upTo(500_000);
      throw new Error('the disk is gone');
    }
    const cut = { source: failing(), fileName: 'x', fileSizeBytes: 1_000_000 };
    const { error } = await refused(cut);
    assert.equal(error.code, 'source_failed');
    assert.match((error.cause as Error).message, /the disk is gone/);
    const broken = Readable.from([]).on('error', () => undefined);
    broken.destroy(new Error('never opened'));
    const unopened = { source: broken, fileName: 'x', fileSizeBytes: 0 };
    assert.equal((await refused(unopened)).code, 'source_failed');
    const text = Readable.from(['hello']) as AsyncIterable<never>;
    const written = { source: text, fileName: 'x', fileSizeBytes: 5 };
    assert.equal((await refused(written)).code, 'source_failed');
  });

  it('rejects with invalid_argument where it is no known kind of source', async () => {
    const requests: object[] = [
      ...[undefined, null, 7, {}, ['a']].map((source) => ({
        source,
        fileName: 'x',
        fileSizeBytes: 5,
      })),
      { source: Buffer.from('a') },
      { source: upTo(1), fileName: 'x' },
      ...[-1, 1.5, Number.NaN, 2 ** 53].map((fileSizeBytes) => ({
        source: upTo(1),
        fileName: 'x',
        fileSizeBytes,
      })),
    ];
    for (const request of requests)
      assert.equal((await refused(request as UploadRequest)).code, 'invalid_argument');
  });
});

describe('the default name and type of a source', () => {
  async function announcedFor(request: UploadRequest): Promise<unknown> {
    const { client, service } = await startUploadPair();
    await client.upload(request);
    return JSON.parse(String(service.arrived[0]?.body));
  }
  const fileSizeBytes = 5;

  it('is the base name of a path, and application/octet-stream', async () => {
    const path = await temporaryPath('report ü.txt');
    await writeFile(path, 'hello');
    assert.deepEqual(await announcedFor({ source: path }), {
      fileName: 'report ü.txt',
      contentType: 'application/octet-stream',
      fileSizeBytes,
    });
  });

  it('is the type of a Blob by default', async () => {
    const source = new Blob(['hello'], { type: 'image/png' });
    const fileName = 'a';
    const contentType = 'text/plain';
    assert.deepEqual(await announcedFor({ source, fileName }), {
      fileName,
      contentType: 'image/png',
      fileSizeBytes,
    });
    assert.deepEqual(await announcedFor({ source, fileName, contentType }), {
      fileName,
      contentType,
      fileSizeBytes,
    });
  });
});
