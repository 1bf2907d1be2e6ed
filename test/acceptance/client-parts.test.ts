import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  createClient,
  type StorageRoutingClient,
  StorageRoutingError,
  type UploadProgress,
} from '../../sdk/src/index.ts';
import { sha256 } from './store.ts';
import { baseUrl } from './target.ts';
import { one, withStores } from './tenant.ts';

const MIB = 1024 * 1024;
const multipart = true;

describe('The client library in parts', () => {
  let folder: string;
  let client: StorageRoutingClient;
  withStores(one, 'aws', 'r2', 'b2');
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'acceptance-parts-'));
    client = createClient({ baseUrl: baseUrl().href, apiKey: await one.key() });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function fileOf(bytes: Buffer): Promise<string> {
    const path = join(folder, `${crypto.randomUUID()}.bin`);
    await writeFile(path, bytes);
    return path;
  }

  async function requireStored(fileId: string, bytes: Buffer): Promise<void> {
    const { body } = await client.download(fileId);
    assert.equal(await hashOf(body), sha256(bytes));
    await client.deleteFile(fileId);
  }

  for (const [priority, provider] of [
    ['hot', 'r2'],
    ['archive', 'b2'],
  ] as const) {
    it(`sends 40 MiB from a file to ${provider}, which come back the same`, async () => {
      const bytes = randomBytes(40 * MIB + 7);
      const seen: UploadProgress[] = [];
      const onProgress = (progress: UploadProgress): void => void seen.push(progress);
      const source = await fileOf(bytes);
      const uploaded = await client.upload({ source, priority, multipart, onProgress });
      assert.deepEqual(
        [uploaded.status, uploaded.provider, uploaded.fileSizeBytes],
        ['active', provider, bytes.length],
      );
      const steps = new Set(seen.map(({ confirmedBytes }) => confirmedBytes));
      assert.equal(steps.size, 7, 'each of the six parts, and the beginning');
      assert.equal(seen.at(-1)?.confirmedBytes, bytes.length);
      await requireStored(uploaded.fileId, bytes);
    });
  }

  it('sends every kind of source', async () => {
    const bytes = randomBytes(9 * MIB);
    const [fileName, fileSizeBytes] = ['x.bin', bytes.length];
    for (const source of [
      { source: bytes, fileName },
      { source: new Blob([bytes]), fileName },
      {
        source: Readable.from([bytes.subarray(0, MIB), bytes.subarray(MIB)]),
        fileName,
        fileSizeBytes,
      },
      { source: new Blob([bytes]).stream(), fileName, fileSizeBytes },
    ]) {
      const { fileId } = await client.upload({ ...source, multipart });
      await requireStored(fileId, bytes);
    }
  });

  it('goes in parts by itself above 64 MiB', async () => {
    const bytes = randomBytes(64 * MIB + 1);
    const started: boolean[] = [];
    const { fileId } = await client.upload({
      source: bytes,
      fileName: 'large.bin',
      onStarted: (file) => started.push(file.multipart),
    });
    assert.deepEqual(started, [true]);
    await requireStored(fileId, bytes);
  });

  it('goes on after an abort with what the store does not hold', async () => {
    const bytes = randomBytes(60 * MIB);
    const path = await fileOf(bytes);
    const stopped = new AbortController();
    const error = await errorOf(
      client.upload({
        source: path,
        multipart,
        parallelParts: 2,
        signal: stopped.signal,
        onProgress: ({ confirmedBytes = 0 }) => confirmedBytes >= 24 * MIB && stopped.abort(),
      }),
    );
    assert.equal(error.code, 'aborted');
    const fileId = error.fileId ?? assert.fail('the error names no file');
    assert.equal((await client.getFile(fileId)).status, 'pending');
    const held: number[] = [];
    for await (const { partNumber } of client.listParts(fileId)) held.push(partNumber);
    assert.ok(held.length >= 3 && held.length < 8, `${held.length} parts`);

    const seen: UploadProgress[] = [];
    const onProgress = (progress: UploadProgress): void => void seen.push(progress);
    const completed = await client.resume(fileId, path, { onProgress });
    assert.equal(completed.status, 'active');
    assert.ok((seen[0]?.confirmedBytes ?? 0) >= 24 * MIB, 'it begins with what is there');
    assert.deepEqual(await client.resume(fileId, path), completed);
    await requireStored(fileId, bytes);
  });

  it('goes on with a stream from its beginning', async () => {
    const bytes = randomBytes(20 * MIB);
    const started = await client.init({
      fileName: 'stream.bin',
      contentType: 'application/octet-stream',
      fileSizeBytes: bytes.length,
      multipart,
    });
    const { parts } = await client.uploadParts(started.fileId, [2]);
    const [part] = parts;
    assert.equal(part?.sizeBytes, 8 * MIB);
    const body = bytes.subarray(8 * MIB, 16 * MIB);
    assert.ok((await fetch(part.presignedUrl, { method: 'PUT', body })).ok);
    await client.resume(started.fileId, Readable.from([bytes]));
    await requireStored(started.fileId, bytes);
  });

  it('refuses to go on with another file', async () => {
    const { fileId } = await client.init({
      fileName: 'a',
      contentType: 'a/b',
      fileSizeBytes: 10,
      multipart,
    });
    const error = await errorOf(client.resume(fileId, randomBytes(11)));
    assert.deepEqual([error.code, error.fileId], ['source_size_mismatch', fileId]);
    await client.deleteFile(fileId);
    assert.equal((await errorOf(client.resume(fileId, randomBytes(10)))).code, 'file_deleted');
  });

  it('goes on with an upload by a single PUT', async () => {
    for (const isThere of [false, true]) {
      const bytes = randomBytes(1_000);
      const { fileId, presignedUrl, requiredHeaders } = await client.init({
        fileName: 'small.bin',
        contentType: 'application/octet-stream',
        fileSizeBytes: bytes.length,
      });
      const put = { method: 'PUT', headers: requiredHeaders, body: bytes };
      if (isThere) assert.ok((await fetch(presignedUrl, put)).ok);
      assert.equal((await client.resume(fileId, bytes)).status, 'active');
      await requireStored(fileId, bytes);
    }
  });

  it('lets the store compare an MD5', async () => {
    const bytes = randomBytes(1_000);
    const md5 = (of: Buffer): string => createHash('md5').update(of).digest('base64');
    const request = { source: bytes, fileName: 'x' };
    const { fileId } = await client.upload({ ...request, contentMd5: md5(bytes) });
    await requireStored(fileId, bytes);
    const other = client.upload({ ...request, contentMd5: md5(randomBytes(9)) });
    const error = await errorOf(other);
    assert.equal(error.code, 'upload_to_provider_failed');
    await client.deleteFile(error.fileId ?? '');
  });
});

async function errorOf(call: Promise<unknown>): Promise<StorageRoutingError> {
  const error = await call.then(
    () => assert.fail('the call succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StorageRoutingError, String(error));
  return error;
}

async function hashOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of body) hash.update(piece);
  return hash.digest('hex');
}
