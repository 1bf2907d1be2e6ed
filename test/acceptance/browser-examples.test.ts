import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createUploadBackend } from '../../sdk/examples/backend.ts';
import { uploadFile, type UploadMemory } from '../../sdk/examples/browser.ts';
import { createUppyUploads } from '../../sdk/examples/uppy.ts';
import { createClient, type StorageRoutingClient } from '../../sdk/src/index.ts';
import { listUploads, sha256 } from './store.ts';
import { baseUrl } from './target.ts';
import { refusal } from '../contract/refusal.ts';
import { one, withStores } from './tenant.ts';

const MIB = 1024 * 1024;
const TYPE = 'video/mp4';

interface Uppy {
  use(plugin: unknown, options: object): this;
  addPostProcessor(work: (uppyFileIds: string[]) => Promise<void>): void;
  addFile(file: { name: string; type: string; data: Blob }): string;
  on(event: string, listener: (file: unknown, progress: { bytesUploaded: number }) => void): this;
  upload(): Promise<{ successful: Uploaded[]; failed: Uploaded[] }>;
}

interface Uploaded {
  name: string;
  response?: { body?: unknown; uploadURL?: string };
}

/**
 * Imported without its types, which bring the DOM's into the whole project; `test/unit/sdk/package.test.ts` compiles the
 * example with them.
 */
async function importUppy(): Promise<{ Uppy: new () => Uppy; AwsS3: unknown }> {
  const [core, plugin] = await Promise.all(
    ['@uppy/core', '@uppy/aws-s3'].map((name) => import(name) as Promise<{ default: unknown }>),
  );
  return { Uppy: core?.default as new () => Uppy, AwsS3: plugin?.default };
}

/** The page's user, by the token that it sends to its own backend. */
const USERS = new Map([
  ['Bearer of-ada', 'ada'],
  ['Bearer of-bob', 'bob'],
]);

withStores(one, 'r2');

describe('The examples for browsers', () => {
  let backend: Server;
  let pageOfAda: StorageRoutingClient;
  let pageOfBob: StorageRoutingClient;
  let pageOf: (user: string) => StorageRoutingClient;

  before(async () => {
    const owners = new Map<string, string>();
    const answer = createUploadBackend({
      serviceUrl: baseUrl().origin,
      apiKey: await one.key(),
      userOf: ({ headers }) => Promise.resolve(USERS.get(headers.authorization ?? '')),
      owners: {
        add: (fileId, user) => Promise.resolve(void owners.set(fileId, user)),
        ownerOf: (fileId) => Promise.resolve(owners.get(fileId)),
      },
    });
    backend = createServer((request, response) => void answer(request, response, '/uploads'));
    backend.listen(0, '127.0.0.1');
    await once(backend, 'listening');
    const { port } = backend.address() as AddressInfo;
    pageOf = (apiKey) => createClient({ baseUrl: `http://127.0.0.1:${port}/uploads`, apiKey });
    pageOfAda = pageOf('of-ada');
    pageOfBob = pageOf('of-bob');
  });
  after(() => void backend.close());

  async function requireStored(fileId: string, bytes: Buffer): Promise<void> {
    const { contentType, downloadUrl } = await one.file(fileId);
    assert.equal(contentType, TYPE);
    const response = await fetch(downloadUrl ?? '');
    assert.equal(sha256(Buffer.from(await response.arrayBuffer())), sha256(bytes));
    await pageOfAda.deleteFile(fileId);
  }

  describe('a File with progress and resume', () => {
    const memoryOf = (kept: Map<string, string>): UploadMemory => ({
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, fileId) => void kept.set(key, fileId),
      removeItem: (key) => void kept.delete(key),
    });

    it('uploads, and goes on after the page was closed', async () => {
      const bytes = randomBytes(72 * MIB);
      const file = new File([bytes], 'film.mp4', { type: TYPE, lastModified: 1_000 });
      const kept = new Map<string, string>();
      const closed = new AbortController();
      const memory = memoryOf(kept);
      const first = uploadFile(pageOfAda, file, {
        memory,
        signal: closed.signal,
        onProgress: ({ confirmedBytes = 0 }) => confirmedBytes >= 24 * MIB && closed.abort(),
      });
      await assert.rejects(first, { code: 'aborted' });
      assert.equal(kept.size, 1);
      const progress: number[] = [];
      const onProgress = ({ confirmedBytes = 0 }) => progress.push(confirmedBytes);
      const completed = await uploadFile(pageOfAda, file, { memory, onProgress });
      assert.ok((progress[0] ?? 0) >= 24 * MIB);
      assert.equal(progress.at(-1), bytes.length);
      assert.equal(kept.size, 0);
      await requireStored(completed.fileId, bytes);
    });

    it('begins anew where there is nothing to go on with', async () => {
      const bytes = randomBytes(1_000);
      const file = new File([bytes], 'a.mp4', { type: TYPE });
      const memory = memoryOf(new Map());
      const gone = await pageOfAda.init({ fileName: 'a', contentType: TYPE, fileSizeBytes: 1_000 });
      await pageOfAda.deleteFile(gone.fileId);
      memory.setItem(`upload ${file.name} ${file.size} ${file.lastModified}`, gone.fileId);
      await assert.rejects(uploadFile(pageOfAda, file, { memory }), { code: 'file_deleted' });
      const { fileId } = await uploadFile(pageOfAda, file, { memory });
      await requireStored(fileId, bytes);
    });

    it("cannot reach another user's file, nor other calls", async () => {
      const init = { fileName: 'a', contentType: TYPE, fileSizeBytes: 9, multipart: true } as const;
      const { fileId } = await pageOfAda.init(init);
      const unknown = crypto.randomUUID();
      for (const call of [
        () => pageOfBob.getFile(fileId),
        () => pageOfBob.uploadParts(fileId, [1]),
        () => pageOfBob.complete(fileId),
        () => pageOfBob.deleteFile(fileId),
        () => pageOfBob.getFile(unknown),
      ])
        assert.equal((await refusal(call())).code, 'file_not_found');
      assert.equal((await refusal(pageOfAda.me())).code, 'not_found');
      assert.equal((await refusal(pageOf('none').init(init))).code, 'unauthorized');
      await pageOfAda.deleteFile(fileId);
    });
  });

  describe('the callbacks of Uppy', () => {
    const uppyFile = (bytes: Buffer) => {
      return { id: crypto.randomUUID(), name: 'film.mp4', type: TYPE, size: bytes.length };
    };
    it('list what a page has sent for the next one, and remove it when the user cancels', async () => {
      const { options } = createUppyUploads(pageOfAda);
      const bytes = randomBytes(9 * MIB);
      const file = uppyFile(bytes);
      const handle = await options.createMultipartUpload(file);
      const signature = await options.signPart(file, { ...handle, partNumber: 2 });
      const body = new Blob([bytes.subarray(8 * MIB)]);
      const [onProgress, onComplete] = [() => undefined, () => undefined];
      await options.uploadPartBytes({ signature, body, onProgress, onComplete });
      // Another page goes on with the handle that Uppy keeps.
      const reloaded = createUppyUploads(pageOfAda).options;
      const listed = await reloaded.listParts(file, handle);
      const parts = listed.map(({ PartNumber, Size }) => [PartNumber, Size]);
      assert.deepEqual(parts, [[2, MIB]]);
      await reloaded.abortMultipartUpload(file, handle);
      assert.deepEqual(await listUploads('r2', `uploads/${handle.uploadId}/`), []);
    });

    it('give the same file a fresh URL when Uppy tries a single PUT again', async () => {
      const uploads = createUppyUploads(pageOfAda);
      const bytes = randomBytes(500);
      const file = uppyFile(bytes);
      const first = await uploads.options.getUploadParameters(file, {});
      // Uppy calls it for failed files too.
      await uploads.complete([file.id]);
      const second = await uploads.options.getUploadParameters(file, {});
      assert.equal(new URL(first.url).pathname, new URL(second.url).pathname);
      const { url, headers } = second;
      assert.ok((await fetch(url, { method: 'PUT', headers, body: bytes })).ok);
      await uploads.complete([file.id]);
      const fileId = /uploads\/([\w-]+)\//.exec(url)?.[1] ?? '';
      await requireStored(fileId, bytes);
    });

    it('work in Uppy itself', async () => {
      const { Uppy, AwsS3 } = await importUppy();
      const uploads = createUppyUploads(pageOfAda);
      const uppy = new Uppy().use(AwsS3, uploads.options);
      uppy.addPostProcessor(uploads.complete);
      const large = randomBytes(20 * MIB);
      const files = { 'large.mp4': large, 'small.mp4': randomBytes(1_000) };
      for (const [name, bytes] of Object.entries(files))
        uppy.addFile({ name, type: TYPE, data: new Blob([bytes], { type: TYPE }) });
      const seen: number[] = [];
      uppy.on('upload-progress', (_file, { bytesUploaded }) => seen.push(bytesUploaded));
      const { successful, failed } = await uppy.upload();
      assert.deepEqual(failed, []);
      assert.equal(successful.length, 2);
      assert.ok(seen.includes(large.length), seen.join(', '));
      for (const [name, bytes] of Object.entries(files)) {
        const { response } = successful.find((file) => file.name === name) ?? assert.fail(name);
        const fileId =
          (response?.body as { fileId?: string } | undefined)?.fileId ??
          /uploads\/([\w-]+)\//.exec(response?.uploadURL ?? '')?.[1];
        await requireStored(fileId ?? '', bytes);
      }
    });
  });
});
