import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type UploadProgress } from '../../sdk/src/index.ts';
import { hashOf, keyOf, objectAt, sha256, type Started } from './store.ts';
import { baseUrl } from './target.ts';
import { refusal } from '../harness/cloud-customer.ts';
import { one, withStores } from './tenant.ts';
import { exchange } from './wire.ts';

const MIB = 1024 * 1024;

describe('A whole upload', () => {
  let folder: string;
  withStores(one, 'aws', 'r2', 'b2');
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'acceptance-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function fileOf(bytes: Buffer): Promise<string> {
    const path = join(folder, crypto.randomUUID());
    await writeFile(path, bytes);
    return path;
  }

  for (const [what, bytes, priority, provider] of [
    ['a few bytes', randomBytes(1234), 'hot', 'r2'],
    ['nothing at all', Buffer.alloc(0), 'archive', 'b2'],
    ['three pieces and a bit', randomBytes(3 * 256 * 1024 + 1), 'cold', 'b2'],
  ] as const) {
    it(`of ${what} goes out by the client library, and comes back the same`, async () => {
      const client = await one.client();
      const fileName = `${crypto.randomUUID()}.bin`;
      const uploaded = await client.upload({ source: bytes, fileName, priority });
      assert.equal(uploaded.provider, provider);
      assert.equal(uploaded.status, 'active');
      assert.equal(uploaded.fileSizeBytes, bytes.length);
      const { file, body } = await client.download(uploaded.fileId);
      assert.equal(file.fileName, fileName);
      assert.equal(await hashOf(body), sha256(bytes));
      await client.deleteFile(uploaded.fileId);
    });
  }

  for (const [priority, provider] of [
    ['hot', 'r2'],
    ['archive', 'b2'],
  ] as const) {
    it(`of 40 MiB goes out in parts from a file to ${provider}, and comes back the same`, async () => {
      const bytes = randomBytes(40 * MIB + 7);
      const client = await one.client();
      const seen: UploadProgress[] = [];
      const uploaded = await client.upload({
        source: await fileOf(bytes),
        priority,
        multipart: true,
        onProgress: (progress) => void seen.push(progress),
      });
      assert.deepEqual(
        [uploaded.status, uploaded.provider, uploaded.fileSizeBytes],
        ['active', provider, bytes.length],
      );
      const steps = new Set(seen.map(({ confirmedBytes }) => confirmedBytes));
      assert.equal(steps.size, 7, 'each of the six parts, and the beginning');
      assert.equal(seen.at(-1)?.confirmedBytes, bytes.length);
      const { body } = await client.download(uploaded.fileId);
      assert.equal(await hashOf(body), sha256(bytes));
      await client.deleteFile(uploaded.fileId);
    });
  }

  // spec: errors.upload-to-provider-failed
  it('that the store refuses is upload_to_provider_failed, and names the file', async () => {
    const { fetch } = globalThis;
    const client = createClient({
      baseUrl: baseUrl().href,
      apiKey: await one.key(),
      maxRetries: 0,
      // The bytes are sent with another type than the signed one.
      fetch: (input, init) => {
        const headers = new Headers(init?.headers);
        if (init?.method === 'PUT') headers.set('content-type', 'text/html');
        return fetch(input, { ...init, headers });
      },
    });
    const abc = { source: Buffer.from('abc'), fileName: 'a', contentType: 'text/plain' };
    const error = await refusal(client.upload(abc));
    assert.equal(error.code, 'upload_to_provider_failed');
    const fileId = error.fileId ?? assert.fail('the error names no file');
    assert.equal((await one.file(fileId)).status, 'pending');
    await client.deleteFile(fileId);
  });

  for (const [what, bytes, priority] of [
    ['a small file', randomBytes(4321), 'hot'],
    ['an empty file', Buffer.alloc(0), 'archive'],
    ['5 MiB, for which it first asks leave', randomBytes(5 * MIB), 'archive'],
  ] as const) {
    // spec: router.presigned-url, upload-sequence.init
    it(`by plain curl works: ${what}`, async () => {
      const contentType = 'image/png';
      const started = await one.start({ contentType, fileSizeBytes: bytes.length, priority });
      assert.equal(await curl(started, contentType, await fileOf(bytes)), '200');
      await one.completed(started.fileId);
      assert.deepEqual(await objectAt(started.provider, keyOf(started)), {
        sizeBytes: bytes.length,
        contentType,
      });
    });
  }

  it('by curl with another type is refused by the store', async () => {
    const started = await one.start({ contentType: 'image/png', fileSizeBytes: 3 });
    const status = await curl(started, 'image/gif', await fileOf(Buffer.from('abc')));
    assert.match(status, /^4\d\d$/);
  });
});

describe('A download', () => {
  withStores(one, 'aws', 'r2', 'b2');

  for (const [fileName, saved] of [
    ['plain.txt', 'plain.txt'],
    ['Résumé – 日本語 (final).pdf', 'Résumé – 日本語 (final).pdf'],
    ['😀 100% "quoted"; a=b, \'c\'.txt', '😀 100% "quoted"; a=b, \'c\'.txt'],
    ['reports/2026/ünï.csv', 'ünï.csv'],
  ] as const) {
    it(`is saved under the file's own name: ${JSON.stringify(fileName)}`, async () => {
      const bytes = randomBytes(2048);
      const { fileId } = await one.active(bytes, { fileName, contentType: 'text/x-own' });
      const { downloadUrl } = await one.file(fileId);
      const { origin, pathname, search } = new URL(downloadUrl ?? '');
      const path = `${pathname}${search}`;
      const answer = await exchange(new URL(origin), { method: 'GET', path, headers: {} });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['content-type'], 'text/x-own');
      assert.equal(answer.headers['content-length'], String(bytes.length));
      assert.deepEqual(dispositionOf(answer.headers['content-disposition']), ['attachment', saved]);
      const response = await fetch(downloadUrl ?? '');
      assert.equal(sha256(Buffer.from(await response.arrayBuffer())), sha256(bytes));
    });
  }

  it('supports range requests of players and resuming clients', async () => {
    const { fileId } = await one.active(Buffer.from('0123456789'));
    const { downloadUrl } = await one.file(fileId);
    const response = await fetch(downloadUrl ?? '', { headers: { range: 'bytes=2-4' } });
    assert.equal(response.status, 206);
    assert.equal(await response.text(), '234');
  });
});

/** Sends the file as documented. The URL is a secret until it expires: no error quotes it. */
function curl({ presignedUrl }: Started, contentType: string, path: string): Promise<string> {
  const options = ['-sS', '--max-time', '20', '-o', '/dev/null', '-w', '%{http_code}'];
  const told = [...options, '-T', path, '-H', `Content-Type: ${contentType}`, presignedUrl];
  return new Promise((resolve, reject) => {
    execFile('curl', told, (error, status, complaint) => {
      if (!error) return resolve(status);
      if (error.code === 'ENOENT') return reject(new Error('This test needs curl on the PATH.'));
      reject(new Error(`curl ended with ${error.code}: ${complaint}`));
    });
  });
}

/** Type and file name of a Content-Disposition by RFC 6266 and RFC 8187: `filename*` wins. */
function dispositionOf(header: string | undefined): [type: string, fileName: string | undefined] {
  const [, type = '', rest = ''] = /^([\w-]+)(.*)$/s.exec(header ?? '') ?? [];
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, token] of rest.matchAll(
    /;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/gs,
  ))
    parameters.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/gs, '$1') ?? token ?? '');
  const [, extended] = /^UTF-8''(.*)$/i.exec(parameters.get('filename*') ?? '') ?? [];
  const plain = parameters.get('filename');
  return [type, extended === undefined ? plain : decodeURIComponent(extended)];
}
