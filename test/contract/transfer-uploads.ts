import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ListedUpload } from '../../adapters/object-store/multipart-uploads.ts';
import {
  etagOfParts,
  failureOf,
  md5Of,
  readAll,
  type TransferFixture,
} from './transfer-objects.ts';

const MIB = 2 ** 20;

/** Tests the contract of multipart uploads. */
export function transferUploadsContract(fixture: () => TransferFixture): void {
  async function uploadsOf(prefix: string): Promise<ListedUpload[]> {
    const uploads: ListedUpload[] = [];
    for await (const upload of fixture().store.uploads(prefix)) uploads.push(upload);
    return uploads;
  }

  it('writes an object in parts', async () => {
    const { store, freshKey } = fixture();
    const key = freshKey();
    const parts = [randomBytes(5 * MIB), randomBytes(5 * MIB), randomBytes(10)];
    const headers = { 'content-type': 'text/x-parts', 'x-amz-meta-kind': 'in parts' };
    const uploadId = await store.beginUpload(key, headers);
    assert.deepEqual(
      (await uploadsOf(key)).map(({ uploadId: id }) => id),
      [uploadId],
    );
    const etags: string[] = [];
    for (const [index, body] of parts.entries()) {
      const part = { sizeBytes: body.length, md5: md5Of(body), body };
      etags.push(await store.writePart(key, uploadId, index + 1, part));
    }
    assert.deepEqual(
      etags,
      parts.map((part) => md5Of(part).toString('hex')),
    );
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
}
