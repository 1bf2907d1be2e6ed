import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../sdk/src/index.ts';
import { keyOf, objectAt, type Started } from './store.ts';
import { baseUrl } from './target.ts';
import { refusal } from '../harness/cloud-customer.ts';
import { one, withStores } from './tenant.ts';

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
    ['an empty file', Buffer.alloc(0), 'hot'],
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
});

describe('A download', () => {
  withStores(one, 'aws', 'r2', 'b2');

  // Of any name: `unit/adapters/download-names`.
  it("is saved under the file's own name, with its type, and supports range requests", async () => {
    const bytes = randomBytes(2048);
    const named = { fileName: 'reports/2026/Résumé – 日本 (1).pdf', contentType: 'text/x-own' };
    const { fileId } = await one.active(bytes, named);
    const { downloadUrl } = await one.file(fileId);
    const response = await fetch(downloadUrl ?? '');
    assert.equal(response.headers.get('content-type'), 'text/x-own');
    assert.equal(response.headers.get('content-length'), String(bytes.length));
    const disposition = response.headers.get('content-disposition') ?? '';
    const [, saved = ''] = /^attachment;.*filename\*=UTF-8''([^;]+)$/.exec(disposition) ?? [];
    assert.equal(decodeURIComponent(saved), 'Résumé – 日本 (1).pdf', disposition);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes);
    const part = await fetch(downloadUrl ?? '', { headers: { range: 'bytes=2-4' } });
    assert.equal(part.status, 206);
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(2, 5));
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
