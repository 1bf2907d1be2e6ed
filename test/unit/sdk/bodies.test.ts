import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, truncateSync, utimesSync } from 'node:fs';
import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { UploadProgress, UploadRequest, UploadSource } from '../../../sdk/src/index.ts';
import { clientFor, errorOf, json, startRawServer, startUploadPair } from './servers.ts';

const MIB = 1024 * 1024;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'srs-sdk-'));
});
after(() => rm(folder, { recursive: true }));

/** A store that records hash, size and headers of each complete object. */
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
  const presignedUrl = `${store.url}/x`;
  const init = json(201, { fileId: 'f-1', presignedUrl, savedVsAws: 0, requiredHeaders: {} });
  const { service, calls } = await startUploadPair({ init });
  return { ...clientFor(service), whole, calls };
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function* slices(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The same bytes as every kind of source. */
async function sourcesOf(bytes: Buffer): Promise<Record<string, UploadSource>> {
  const path = join(folder, `file-${bytes.length}.bin`);
  await writeFile(path, bytes);
  const fileName = 'f.bin';
  const fileSizeBytes = bytes.length;
  const parts = (): Generator<Buffer> => slices(bytes, 10_007);
  async function* generator(): AsyncGenerator<Uint8Array> {
    yield* parts();
  }
  return {
    'a file path': { source: path },
    'a Buffer': { source: bytes, fileName },
    'a Uint8Array': { source: new Uint8Array(bytes), fileName },
    'an ArrayBuffer': { source: new Uint8Array(bytes).buffer, fileName },
    'a Blob': { source: new Blob([bytes]), fileName },
    'a Node stream': { source: Readable.from(parts()), fileName, fileSizeBytes },
    'a web stream': { source: new Blob([bytes]).stream(), fileName, fileSizeBytes },
    'a generator': { source: generator(), fileName, fileSizeBytes },
  };
}

describe('the body of the PUT', () => {
  for (const size of [0, 1, 262_144, 262_145, 1_000_003]) {
    it(`arrives complete, with a length and unchunked, from every source, with ${size} bytes`, async () => {
      const bytes = randomBytes(size);
      for (const [name, source] of Object.entries(await sourcesOf(bytes))) {
        const { client, whole } = await startHashingStore();
        const seen: UploadProgress[] = [];
        await client.upload({ ...source, onProgress: (progress) => seen.push(progress) });
        const expected = { sha256: sha256(bytes), bytes: size, length: String(size) };
        assert.deepEqual(whole, [expected], name);
        assertProgress(seen, size, name);
      }
    });
  }

  it('arrives unchanged from a file of 64 MiB', async () => {
    const path = join(folder, 'large.bin');
    const block = randomBytes(MIB);
    const hash = createHash('sha256');
    for (let n = 0; n < 64; n += 1) {
      await appendFile(path, block);
      hash.update(block);
    }
    const { client, whole } = await startHashingStore();
    const seen: UploadProgress[] = [];
    const onProgress = (progress: UploadProgress): void => void seen.push(progress);
    await client.upload({ source: path, onProgress });
    assert.deepEqual(whole, [
      { sha256: hash.digest('hex'), bytes: 64 * MIB, length: String(64 * MIB) },
    ]);
    assertProgress(seen, 64 * MIB, 'large');
    assert.equal(seen.length, 256);
  });

  it('does not make memory grow with the file', async () => {
    const path = join(folder, 'sparse.bin');
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
    const presignedUrl = `${store.url}/x`;
    const init = json(201, { fileId: 'f', presignedUrl, savedVsAws: 0, requiredHeaders: {} });
    const { service } = await startUploadPair({ init });
    const { client } = clientFor(service, { stallTimeoutMs: 300 });
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
  async function* upTo(size: number): AsyncGenerator<Uint8Array> {
    yield* slices(Buffer.alloc(size, 7), 100_000);
  }

  async function refused(request: UploadRequest) {
    const { client, whole, calls } = await startHashingStore();
    const error = await errorOf(client.upload(request));
    assert.deepEqual(whole, [], 'no whole object may reach the store');
    return { error, calls: calls() };
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
        const { error, calls } = await refused(request);
        assert.equal(error.code, 'source_size_mismatch');
        assert.equal(error.fileId, 'f-1');
        assert.deepEqual(calls, ['/v1/upload/init']);
      }
    });
  }

  const changes: Record<string, [string, (path: string) => void]> = {
    grows: ['source_size_mismatch', (path) => appendFileSync(path, 'more')],
    shrinks: ['source_size_mismatch', (path) => truncateSync(path, 900_000)],
    'is written to': ['source_changed', (path) => utimesSync(path, 1, 1)],
  };
  for (const [name, [code, change]] of Object.entries(changes)) {
    it(`never becomes an object: a file that ${name} during the upload`, async () => {
      const path = join(folder, `changing-${code}-${name.length}.bin`);
      await writeFile(path, Buffer.alloc(1_000_000));
      let isChanged = false;
      const { client, whole, calls } = await startHashingStore();
      // The file changes after the first piece was sent; pieces are read one by one.
      const onProgress = (): void => {
        if (!isChanged) change(path);
        isChanged = true;
      };
      const error = await errorOf(client.upload({ source: path, onProgress }));
      assert.equal(error.code, code);
      assert.deepEqual(whole, []);
      assert.deepEqual(calls(), ['/v1/upload/init']);
    });
  }

  it('is detected before init where the size is known', async () => {
    const path = join(folder, 'known.bin');
    await writeFile(path, 'hello');
    const fileSizeBytes = 6;
    const announced = { fileName: 'x', fileSizeBytes };
    const requests: UploadRequest[] = [
      { source: Buffer.from('hello'), ...announced },
      { source: new Blob(['hello']), ...announced },
      { source: path, ...announced },
    ];
    for (const request of requests) {
      const { error, calls } = await refused(request);
      assert.equal(error.code, 'source_size_mismatch');
      assert.deepEqual(calls, []);
    }
  });

  it('books no quota where it cannot be read', async () => {
    for (const source of [join(folder, 'missing'), folder]) {
      const { error, calls } = await refused({ source });
      assert.equal(error.code, 'source_failed');
      assert.deepEqual(calls, []);
    }
  });

  it('rejects with source_failed where it fails during the upload', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield* upTo(500_000);
      throw new Error('the disk is gone');
    }
    const { error } = await refused({ source: failing(), fileName: 'x', fileSizeBytes: 1_000_000 });
    assert.equal(error.code, 'source_failed');
    assert.match((error.cause as Error).message, /the disk is gone/);
    const broken = Readable.from([]).on('error', () => undefined);
    broken.destroy(new Error('never opened'));
    const second = await refused({ source: broken, fileName: 'x', fileSizeBytes: 0 });
    assert.equal(second.error.code, 'source_failed');
  });

  it('rejects with source_failed where it yields text', async () => {
    const source = Readable.from(['hello']) as AsyncIterable<never>;
    const { error } = await refused({ source, fileName: 'x', fileSizeBytes: 5 });
    assert.equal(error.code, 'source_failed');
  });

  it('rejects with invalid_argument where it is no known kind of source', async () => {
    for (const source of [undefined, null, 7, {}, ['a']]) {
      const request = { source, fileName: 'x', fileSizeBytes: 5 } as unknown as UploadRequest;
      assert.equal((await refused(request)).error.code, 'invalid_argument');
    }
    const nameless = { source: Buffer.from('a') } as unknown as UploadRequest;
    assert.equal((await refused(nameless)).error.code, 'invalid_argument');
    const sizeless = { source: upTo(1), fileName: 'x' } as unknown as UploadRequest;
    assert.equal((await refused(sizeless)).error.code, 'invalid_argument');
    for (const fileSizeBytes of [-1, 1.5, Number.NaN, 2 ** 53]) {
      const request = { source: upTo(1), fileName: 'x', fileSizeBytes };
      assert.equal((await refused(request)).error.code, 'invalid_argument');
    }
  });
});

describe('the default name and type of a source', () => {
  async function announcedFor(request: UploadRequest): Promise<Record<string, unknown>> {
    const { service } = await startUploadPair();
    await clientFor(service).client.upload(request);
    return JSON.parse(String(service.arrived[0]?.body)) as Record<string, unknown>;
  }

  it('is the base name of a path, and application/octet-stream', async () => {
    const path = join(folder, 'report ü.txt');
    await writeFile(path, 'hello');
    assert.deepEqual(await announcedFor({ source: path }), {
      fileName: 'report ü.txt',
      contentType: 'application/octet-stream',
      fileSizeBytes: 5,
    });
  });

  it('is the type of a Blob by default', async () => {
    const source = new Blob(['hello'], { type: 'image/png' });
    assert.equal((await announcedFor({ source, fileName: 'a' }))['contentType'], 'image/png');
    const told = await announcedFor({ source, fileName: 'a', contentType: 'text/plain' });
    assert.equal(told['contentType'], 'text/plain');
  });
});
