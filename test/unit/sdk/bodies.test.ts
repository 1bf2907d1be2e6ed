import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFileSync, truncateSync, utimesSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { UploadProgress, UploadRequest } from '../../../sdk/src/index.ts';
import { breakOff, errorOf, startRawServer } from './servers.ts';
import { endless, pieces, sourcesOf, temporaryPath } from './sources.ts';
import { COMPLETE, INIT, startUpload } from './uploads.ts';

const WAYS = [
  { way: 'in one PUT', multipart: false, sizes: [0, 1, 262_144, 262_145, 1_000_003] },
  { way: 'in parts', multipart: true, sizes: [0, 1, 1_000, 1_001, 9_999] },
];

describe('the bytes of an upload', () => {
  for (const { way, multipart, sizes } of WAYS)
    for (const size of sizes)
      it(`arrive complete ${way}, with a length and unchunked, from every source: ${size} bytes`, async () => {
        const bytes = randomBytes(size);
        const sources = await sourcesOf(bytes, multipart ? 337 : 10_007);
        for (const [name, source] of Object.entries(sources)) {
          const { client, numbers, sent, holds } = await startUpload();
          const seen: UploadProgress[] = [];
          const onProgress = (progress: UploadProgress): void => void seen.push(progress);
          const result = await client.upload({ ...source, multipart, onProgress });
          assert.equal(result.savedVsAwsFixed, '0.090240', name);
          holds(bytes, name);
          assert.deepEqual(sent(), numbers(), name);
          if (!multipart) assertProgress(seen, size, name);
        }
      });

  it('arrive unchunked where the runtime sends streams without their length', async () => {
    const marked = globalThis as { Deno?: object };
    const bytes = randomBytes(2_500);
    const sources = Object.entries(await sourcesOf(bytes));
    marked.Deno = {};
    try {
      for (const multipart of [true, false])
        for (const [name, source] of sources) {
          if (!multipart && !/Buffer|Array|Blob/.test(name)) continue;
          const { client, holds } = await startUpload();
          await client.upload({ ...source, multipart });
          holds(bytes, name);
        }
    } finally {
      delete marked.Deno;
    }
  });

  it('are read with backpressure from the store', async () => {
    const { given, source } = endless();
    const store = await startRawServer((request) => void request.pause());
    const { client } = await startUpload(5, { store }, { stallTimeoutMs: 300 });
    await errorOf(
      client.upload({ source, fileName: 'x', fileSizeBytes: 2 ** 40, multipart: false }),
    );
    assert.ok(given() < 32 * 2 ** 20, `${given()} bytes were read ahead`);
  });
});

function assertProgress(seen: UploadProgress[], size: number, name: string): void {
  assert.equal(seen.at(-1)?.sentBytes, size, name);
  for (const [index, { sentBytes, totalBytes }] of seen.entries()) {
    assert.equal(totalBytes, size, name);
    const last = seen[index - 1]?.sentBytes ?? -1;
    assert.ok(sentBytes > last, `${name}: ${sentBytes} after ${last}`);
  }
}

/** The error of an upload that is never completed, and whose last bytes never reach the store. */
async function refused(request: UploadRequest, multipart = false) {
  const { client, file, numbers, calls } = await startUpload(5, { partSizeBytes: 300_000 });
  const error = await errorOf(client.upload({ ...request, multipart, parallelParts: 1 }));
  assert.ok(!file.puts.includes(numbers().length), 'the last bytes reached the store');
  assert.ok(!calls().includes(COMPLETE));
  return { error, said: [error.code, error.fileId], calls: calls() };
}

describe('a source that differs from its announcement', () => {
  const upTo = (size: number) => pieces(Buffer.alloc(size, 7), 100_000);

  for (const { way, multipart } of WAYS) {
    for (const [size, fileSizeBytes] of [
      [999_999, 1_000_000],
      [1_000_001, 1_000_000],
      [1_100_000, 1_000_000],
      [0, 1],
      [1, 0],
    ] as const)
      it(`never becomes an object ${way}: a stream of ${size} bytes instead of ${fileSizeBytes}`, async () => {
        for (const source of [upTo(size), Readable.from(upTo(size))]) {
          const request = { source, fileName: 'x', fileSizeBytes };
          const { said, calls } = await refused(request, multipart);
          assert.deepEqual(said, ['source_size_mismatch', 'f-1']);
          if (!multipart) assert.deepEqual(calls, [INIT]);
        }
      });

    for (const [name, change, inOnePut] of [
      ['grows', (path: string) => appendFileSync(path, 'more'), 'source_size_mismatch'],
      ['shrinks', (path: string) => truncateSync(path, 900_000), 'source_size_mismatch'],
      ['is written to', (path: string) => utimesSync(path, 1, 1), 'source_changed'],
    ] as const)
      it(`never becomes an object ${way}: a file that ${name} meanwhile`, async () => {
        const path = await temporaryPath(`changing-${name.length}-${way.length}.bin`);
        await writeFile(path, Buffer.alloc(1_000_000));
        let isChanged = false;
        // The file changes after the first piece was sent; pieces are read one by one.
        const onProgress = ({ sentBytes, confirmedBytes = sentBytes }: UploadProgress): void => {
          if (!isChanged && confirmedBytes > 0) change(path);
          isChanged ||= confirmedBytes > 0;
        };
        const { said } = await refused({ source: path, onProgress }, multipart);
        assert.deepEqual(said, [multipart ? 'source_changed' : inOnePut, 'f-1']);
      });

    it(`is source_failed where it fails during the upload ${way}`, async () => {
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield* upTo(500_000);
        throw new Error('the disk is gone');
      }
      const cut = { source: failing(), fileName: 'x', fileSizeBytes: 1_000_000 };
      const { said, error } = await refused(cut, multipart);
      assert.deepEqual(said, ['source_failed', 'f-1']);
      assert.match((error.cause as Error).message, /the disk is gone/);
    });
  }

  it('never becomes an object: a File of a browser whose file was replaced', async () => {
    const source = new Blob([randomBytes(3_000)]);
    const unreadable = { arrayBuffer: () => Promise.reject(new Error('NotReadable')) };
    const { client } = await startUpload(5, {
      put: (_earlier, partNumber) => {
        if (partNumber !== 2) return undefined;
        source.slice = () => unreadable as never;
        return breakOff;
      },
    });
    const request = { source, fileName: 'x', multipart: true, parallelParts: 1 };
    assert.equal((await errorOf(client.upload(request))).code, 'source_changed');
  });

  it('is source_failed where it was never opened, or yields text', async () => {
    const broken = Readable.from([]).on('error', () => undefined);
    broken.destroy(new Error('never opened'));
    const text = Readable.from(['hello']) as AsyncIterable<never>;
    for (const request of [
      { source: broken, fileSizeBytes: 0 },
      { source: text, fileSizeBytes: 5 },
    ])
      assert.equal((await refused({ fileName: 'x', ...request })).error.code, 'source_failed');
  });

  it('is a timeout where it stalls', async () => {
    const source = new Readable({ read: () => undefined });
    source.push(randomBytes(2_500));
    const { client } = await startUpload(5, {}, { stallTimeoutMs: 1_000 });
    const request = { source, fileName: 'x', fileSizeBytes: 5_000, multipart: true };
    assert.equal((await errorOf(client.upload(request))).code, 'timeout');
    assert.equal(source.destroyed, true);
  });

  it('books no quota where that is known before it is read', async () => {
    const path = await temporaryPath('known.bin');
    await writeFile(path, 'hello');
    const missing = await temporaryPath('missing');
    const named = (source: unknown, fileSizeBytes: number) => ({
      source,
      fileName: 'x',
      fileSizeBytes,
    });
    for (const [code, requests] of [
      [
        'source_size_mismatch',
        [Buffer.from('hello'), new Blob(['hello']), path].map((source) => named(source, 6)),
      ],
      ['source_failed', [{ source: missing }, { source: import.meta.dirname }]],
      ['invalid_argument', [undefined, null, 7, {}, ['a']].map((source) => named(source, 5))],
      ['invalid_argument', [{ source: Buffer.from('a') }, { source: upTo(1), fileName: 'x' }]],
      ['invalid_argument', [-1, 1.5, Number.NaN, 2 ** 53].map((size) => named(upTo(1), size))],
    ] as const)
      for (const request of requests) {
        const { error, calls } = await refused(request as UploadRequest);
        assert.deepEqual([error.code, calls], [code, []]);
      }
  });
});

describe('the default name and type of a source', () => {
  it('are the base name of a path, and the type of a Blob or application/octet-stream', async () => {
    const path = await temporaryPath('report ü.txt');
    await writeFile(path, 'hello');
    const blob = { source: new Blob(['hello'], { type: 'image/png' }), fileName: 'a' };
    for (const [request, fileName, contentType] of [
      [{ source: path }, 'report ü.txt', 'application/octet-stream'],
      [blob, 'a', 'image/png'],
      [{ ...blob, contentType: 'text/plain' }, 'a', 'text/plain'],
    ] as const) {
      const { client, service } = await startUpload();
      await client.upload(request);
      const announced = { fileName, contentType, fileSizeBytes: 5 };
      assert.deepEqual(JSON.parse(String(service.arrived[0]?.body)), announced);
    }
  });
});
