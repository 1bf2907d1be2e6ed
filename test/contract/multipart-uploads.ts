import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ListedPart, ListedUpload } from '../../adapters/object-store/object-store.ts';
import {
  etagOfParts,
  failureOf,
  md5Of,
  MIB,
  readAll,
  type StoreFixture,
} from './store-under-test.ts';

const PAGE_PARTS = 1_000;
const PARALLEL_PARTS = 8;

/** Tests the contract of multipart uploads. */
export function multipartUploadContract(fixture: () => StoreFixture): void {
  async function uploadsOf(prefix: string): Promise<ListedUpload[]> {
    const uploads: ListedUpload[] = [];
    for await (const upload of fixture().store.uploads(prefix)) uploads.push(upload);
    return uploads;
  }

  /** Sends a part and returns what a listing shall show of it. */
  async function sendPart(
    upload: { readonly key: string; readonly uploadId: string },
    partNumber: number,
    body: Buffer,
  ): Promise<ListedPart> {
    const { key, uploadId } = upload;
    const request = { sizeBytes: body.length, body };
    const etag = await fixture().store.writePart(key, uploadId, partNumber, request);
    assert.equal(etag, md5Of(body).toString('hex'));
    return { partNumber, sizeBytes: body.length, etag };
  }

  async function begin(key = fixture().freshKey()): Promise<{ key: string; uploadId: string }> {
    return { key, uploadId: await fixture().store.beginUpload(key, {}) };
  }

  it('writes an object in parts', async () => {
    const { store, freshKey } = fixture();
    const key = freshKey();
    const parts = [randomBytes(5 * MIB), randomBytes(5 * MIB), randomBytes(10)];
    const headers = { 'content-type': 'text/x-parts', 'x-amz-meta-kind': 'in parts' };
    const uploadId = await store.beginUpload(key, headers);
    const [open, ...others] = await uploadsOf(key);
    assert.deepEqual([open?.uploadId, others], [uploadId, []]);
    const etags: string[] = [];
    for (const [index, body] of parts.entries()) {
      const part = { sizeBytes: body.length, md5: md5Of(body), body };
      const etag = await store.writePart(key, uploadId, index + 1, part);
      assert.equal(etag, md5Of(body).toString('hex'));
      etags.push(etag);
    }
    const etag = await store.completeUpload(key, uploadId, etags);
    assert.equal(etag, etagOfParts(parts));
    const opened = await store.open(key, { ifMatch: etag });
    assert.deepEqual(opened.headers, headers);
    assert.deepEqual(await readAll(opened), Buffer.concat(parts));
    assert.deepEqual(await uploadsOf(key), []);
  });

  it('aborts an upload, also repeatedly', async () => {
    const { store, freshKey } = fixture();
    const key = freshKey();
    const uploadId = await store.beginUpload(key, {});
    const body = randomBytes(100);
    await store.writePart(key, uploadId, 1, { sizeBytes: body.length, body });
    await store.abortUpload(key, uploadId);
    await store.abortUpload(key, uploadId);
    assert.deepEqual(await uploadsOf(key), []);
    assert.equal(await store.head(key), undefined);
    const late = store.writePart(key, uploadId, 2, { sizeBytes: body.length, body });
    assert.equal((await failureOf(late)).isTransient, true);
  });

  it('refuses a damaged part and missing parts', async () => {
    const { store, freshKey } = fixture();
    const key = freshKey();
    const uploadId = await store.beginUpload(key, {});
    const body = randomBytes(100);
    const damaged = { sizeBytes: body.length, md5: md5Of(Buffer.from('other')), body };
    const refusal = await failureOf(store.writePart(key, uploadId, 1, damaged));
    assert.deepEqual([refusal.failure, refusal.isTransient], ['rejected', true]);
    const missing = store.completeUpload(key, uploadId, [md5Of(body).toString('hex')]);
    assert.equal((await failureOf(missing)).failure, 'rejected');
    await store.abortUpload(key, uploadId);
  });

  it('lists the parts after a number, in the order of their numbers', async () => {
    const { store } = fixture();
    const upload = await begin();
    const { key, uploadId } = upload;
    assert.deepEqual(await store.parts(key, uploadId, 0), { parts: [], isTruncated: false });
    const listed: ListedPart[] = [];
    for (const partNumber of [10, 2, 10_000, 1, 7])
      listed.push(await sendPart(upload, partNumber, randomBytes(partNumber)));
    listed.sort((a, b) => a.partNumber - b.partNumber);
    for (const after of [0, 1, 2, 5, 7, 9, 10, 9_999, 10_000]) {
      const parts = listed.filter(({ partNumber }) => partNumber > after);
      const page = await store.parts(key, uploadId, after);
      assert.deepEqual(page, { parts, isTruncated: false }, `after ${after}`);
    }
    await store.abortUpload(key, uploadId);
  });

  it('lists 1,000 parts a page', async () => {
    const { store } = fixture();
    const upload = await begin();
    const { key, uploadId } = upload;
    const partCount = PAGE_PARTS + 1;
    const listed: ListedPart[] = [];
    let partNumber = 0;
    const sendInTurn = async (): Promise<void> => {
      while (partNumber < partCount) {
        partNumber += 1;
        const index = partNumber - 1;
        listed[index] = await sendPart(upload, partNumber, Buffer.from(`part ${partNumber}`));
      }
    };
    await Promise.all(Array.from({ length: PARALLEL_PARTS }, sendInTurn));
    for (let after = 0; after < partCount; after += PAGE_PARTS) {
      const parts = listed.slice(after, after + PAGE_PARTS);
      const isTruncated = after + PAGE_PARTS < partCount;
      assert.deepEqual(await store.parts(key, uploadId, after), { parts, isTruncated });
    }
    // A last page that is full is not truncated.
    const full = await store.parts(key, uploadId, partCount - PAGE_PARTS);
    assert.deepEqual(full, { parts: listed.slice(-PAGE_PARTS), isTruncated: false });
    await store.abortUpload(key, uploadId);
  });

  it('lists a part that was sent twice once, as it was sent last', async () => {
    const { store } = fixture();
    const upload = await begin();
    const { key, uploadId } = upload;
    await sendPart(upload, 1, randomBytes(100));
    const second = await sendPart(upload, 2, randomBytes(10));
    for (const sizeBytes of [200, 50, 50]) {
      const first = await sendPart(upload, 1, randomBytes(sizeBytes));
      const page = await store.parts(key, uploadId, 0);
      assert.deepEqual(page, { parts: [first, second], isTruncated: false });
    }
    await store.abortUpload(key, uploadId);
  });

  it('lists no parts of an upload that does not exist', async () => {
    const { store, freshKey } = fixture();
    const aborted = await begin();
    const completed = await begin();
    const open = await begin();
    for (const upload of [aborted, completed, open]) await sendPart(upload, 1, randomBytes(10));
    const partsOf = ({ key, uploadId } = open) => store.parts(key, uploadId, 0);
    assert.equal((await partsOf(aborted))?.parts.length, 1);
    await store.abortUpload(aborted.key, aborted.uploadId);
    assert.equal(await partsOf(aborted), undefined);
    const [part] = (await partsOf(completed))?.parts ?? [];
    await store.completeUpload(completed.key, completed.uploadId, [part?.etag ?? '']);
    assert.equal(await partsOf(completed), undefined);
    assert.equal(await partsOf({ ...open, key: freshKey() }), undefined);
    assert.equal(await partsOf({ ...open, uploadId: aborted.uploadId }), undefined);
    assert.equal((await partsOf(open))?.parts.length, 1);
    await store.abortUpload(open.key, open.uploadId);
  });
}
