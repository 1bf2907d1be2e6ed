import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type {
  ListedPart,
  ListedUpload,
  WriteCondition,
} from '../../adapters/object-store/object-store.ts';
import * as stores from './store-under-test.ts';
import { failureOf, md5Of, MIB, type StoreFixture } from './store-under-test.ts';

const PAGE_PARTS = 1_000;
const PARALLEL_PARTS = 8;

export function multipartUploadContract(fixture: () => StoreFixture): void {
  async function uploadsOf(prefix: string): Promise<ListedUpload[]> {
    const uploads: ListedUpload[] = [];
    for await (const upload of fixture().store.uploads(prefix)) uploads.push(upload);
    return uploads;
  }

  /** An upload, with its own calls to the store. */
  async function begin(headers = {}) {
    const { store, freshKey } = fixture();
    const key = freshKey();
    const uploadId = await store.beginUpload(key, headers);
    return {
      key,
      uploadId,
      /** Sends a part and returns what a listing shall show of it. */
      async send(partNumber: number, body: Buffer, md5?: Buffer): Promise<ListedPart> {
        const request = { sizeBytes: body.length, body, ...(md5 && { md5 }) };
        const { etag } = await store.writePart(key, uploadId, partNumber, request);
        assert.equal(etag, md5Of(body).toString('hex'));
        return { partNumber, sizeBytes: body.length, etag };
      },
      complete: async (...etags: string[]) =>
        (await store.completeUpload(key, uploadId, etags)).etag,
      abort: () => store.abortUpload(key, uploadId),
      parts: (after = 0) => store.parts(key, uploadId, after),
    };
  }

  it('writes an object in parts', async () => {
    const parts = [randomBytes(5 * MIB), randomBytes(5 * MIB), randomBytes(10)];
    const headers = { 'content-type': 'text/x-parts', 'x-amz-meta-kind': 'in parts' };
    const { key, uploadId, send, complete } = await begin(headers);
    const [open, ...others] = await uploadsOf(key);
    assert.deepEqual([open?.uploadId, others], [uploadId, []]);
    const etags: string[] = [];
    for (const [index, body] of parts.entries())
      etags.push((await send(index + 1, body, md5Of(body))).etag);
    const etag = await complete(...etags);
    assert.equal(etag, stores.etagOfParts(parts));
    const opened = await fixture().store.open(key, { ifMatch: etag });
    assert.deepEqual(opened.headers, headers);
    assert.deepEqual(await stores.readAll(opened), Buffer.concat(parts));
    assert.deepEqual(await uploadsOf(key), []);
  });

  it('aborts an upload, also repeatedly', async () => {
    const { key, send, abort } = await begin();
    await send(1, randomBytes(100));
    for (let times = 0; times < 2; times += 1) await abort();
    assert.deepEqual(await uploadsOf(key), []);
    assert.equal(await fixture().store.head(key), undefined);
    assert.equal((await failureOf(send(2, randomBytes(100)))).isTransient, true);
  });

  it('refuses a damaged part and missing parts', async () => {
    const { send, complete, abort } = await begin();
    const body = randomBytes(100);
    const refusal = await failureOf(send(1, body, md5Of(Buffer.from('other'))));
    assert.deepEqual([refusal.failure, refusal.isTransient], ['rejected', true]);
    const missing = complete(md5Of(body).toString('hex'));
    assert.equal((await failureOf(missing)).failure, 'rejected');
    await abort();
  });

  it('completes an upload only where the key has what its condition says, or refuses the condition', async () => {
    const { store, given } = fixture();
    const { key, ...upload } = await begin();
    const { etag } = await upload.send(1, Buffer.from('one'));
    const complete = (condition: WriteCondition) =>
      store.completeUpload(key, upload.uploadId, [etag], { condition });
    if (given.refusesConditionalPut) {
      assert.equal((await failureOf(complete({ ifNoneMatch: '*' }))).refusal?.status, 501);
      await upload.abort();
      return;
    }
    const there = await stores.write(store, key, Buffer.from('there'));
    assert.equal((await failureOf(complete({ ifNoneMatch: '*' }))).failure, 'changed');
    assert.equal((await failureOf(complete({ ifMatch: etag }))).failure, 'changed');
    assert.deepEqual(await store.get(key), Buffer.from('there'));
    await complete({ ifMatch: there });
    assert.deepEqual(await store.get(key), Buffer.from('one'));
  });

  it('lists the parts after a number, in the order of their numbers', async () => {
    const upload = await begin();
    assert.deepEqual(await upload.parts(), { parts: [], isTruncated: false });
    const listed: ListedPart[] = [];
    for (const partNumber of [10, 2, 10_000, 1, 7])
      listed.push(await upload.send(partNumber, randomBytes(partNumber)));
    listed.sort((a, b) => a.partNumber - b.partNumber);
    for (const after of [0, 1, 2, 5, 7, 9, 10, 9_999, 10_000]) {
      const parts = listed.filter(({ partNumber }) => partNumber > after);
      assert.deepEqual(await upload.parts(after), { parts, isTruncated: false }, `after ${after}`);
    }
    await upload.abort();
  });

  it('lists 1,000 parts a page', async () => {
    const upload = await begin();
    const partCount = PAGE_PARTS + 1;
    const listed: ListedPart[] = [];
    let partNumber = 0;
    const sendInTurn = async (): Promise<void> => {
      while (partNumber < partCount) {
        partNumber += 1;
        const index = partNumber - 1;
        listed[index] = await upload.send(partNumber, Buffer.from(`part ${partNumber}`));
      }
    };
    await Promise.all(Array.from({ length: PARALLEL_PARTS }, sendInTurn));
    for (let after = 0; after < partCount; after += PAGE_PARTS) {
      const parts = listed.slice(after, after + PAGE_PARTS);
      const isTruncated = after + PAGE_PARTS < partCount;
      assert.deepEqual(await upload.parts(after), { parts, isTruncated });
    }
    // A last page that is full is not truncated.
    const full = await upload.parts(partCount - PAGE_PARTS);
    assert.deepEqual(full, { parts: listed.slice(-PAGE_PARTS), isTruncated: false });
    await upload.abort();
  });

  it('lists no parts of an upload that does not exist', async () => {
    const { store, freshKey } = fixture();
    const [aborted, completed, open] = [await begin(), await begin(), await begin()];
    for (const upload of [aborted, open]) {
      await upload.send(1, randomBytes(10));
      assert.equal((await upload.parts())?.parts.length, 1);
    }
    await aborted.abort();
    assert.equal(await aborted.parts(), undefined);
    await completed.complete((await completed.send(1, randomBytes(10))).etag);
    assert.equal(await completed.parts(), undefined);
    assert.equal(await store.parts(freshKey(), open.uploadId, 0), undefined);
    assert.equal(await store.parts(open.key, aborted.uploadId, 0), undefined);
    assert.equal((await open.parts())?.parts.length, 1);
    await open.abort();
  });
}
