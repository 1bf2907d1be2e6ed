import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ListedPart, PartUrlRequest } from '../../adapters/object-store/object-store.ts';
import { sendRaw, type RawAnswer } from './raw-http.ts';
import { BOUNDS, md5Of, type StoreFixture } from './store-under-test.ts';

type Upload = Pick<PartUrlRequest, 'key' | 'uploadId'>;

const BODY = randomBytes(100);
/** 405: without its upload id, a part is no operation of some stores. */
const REFUSALS = new Set([400, 403, 405]);

/**
 * Tests that the presigned URL of a part permits this part of this upload. That a store takes neither another method nor a
 * changed parameter of a signed URL is in test/acceptance/presigned-url.test.ts.
 */
export function presignedPartContract(fixture: () => StoreFixture): void {
  async function begin(key = fixture().freshKey()): Promise<Upload> {
    return { key, uploadId: await fixture().store.beginUpload(key, {}) };
  }
  const abort = ({ key, uploadId }: Upload) => fixture().store.abortUpload(key, uploadId);
  const presign = (upload: Upload, overrides: Partial<PartUrlRequest> = {}) =>
    fixture().store.presignPart({
      ...upload,
      partNumber: 2,
      sizeBytes: BODY.length,
      expiresInSeconds: 60,
      signedAt: new Date(),
      ...overrides,
    });
  const put = (url: string, body = BODY) =>
    sendRaw(url, { method: 'PUT', headers: { 'content-length': String(body.length) }, body });
  const partOf = (body: Buffer, partNumber = 2): ListedPart => ({
    partNumber,
    sizeBytes: body.length,
    etag: md5Of(body).toString('hex'),
  });

  /** The store holds exactly these parts, and no object. */
  async function holds({ key, uploadId }: Upload, parts: readonly ListedPart[]): Promise<void> {
    const page = await fixture().store.parts(key, uploadId, 0);
    assert.deepEqual(page, { parts, isTruncated: false });
    assert.equal(await fixture().store.head(key, BOUNDS), undefined);
  }

  async function refuses(upload: Upload, answer: Promise<RawAnswer>): Promise<void> {
    const { status } = await answer;
    assert.ok(REFUSALS.has(status), `answered ${status}`);
    await holds(upload, []);
  }

  it('accepts a part of each odd key, as one of its own upload', async () => {
    const { given, store } = fixture();
    const begun: Upload[] = [];
    for (const oddKey of given.oddKeys) {
      const upload = await begin(`part-${oddKey}`);
      const body = Buffer.from(oddKey);
      const url = await presign(upload, { partNumber: 1, sizeBytes: body.length });
      assert.equal((await put(url, body)).status, 200, oddKey);
      begun.push(upload);
    }
    // Completed after all were sent: no two keys share an upload.
    for (const [index, { key, uploadId }] of begun.entries()) {
      const body = Buffer.from(given.oddKeys[index] ?? '');
      await store.completeUpload(key, uploadId, [partOf(body).etag]);
      assert.deepEqual(await store.get(key, BOUNDS), body, key);
    }
  });

  it('refuses a part of one byte more, of one byte less and of none', async () => {
    const upload = await begin();
    const url = await presign(upload);
    for (const body of [Buffer.concat([BODY, BODY]).subarray(0, 101), BODY.subarray(1)])
      await refuses(upload, put(url, body));
    await refuses(upload, put(url, Buffer.alloc(0)));
    await abort(upload);
  });

  it('refuses another part number, another upload and another key', async () => {
    const [upload, ofOtherKey] = [await begin(), await begin()];
    const ofSameKey = await begin(upload.key);
    const url = await presign(upload);
    const others = [
      ...[1, 3, 20].map((part) => url.replace('partNumber=2', `partNumber=${part}`)),
      url.replace(upload.uploadId, ofSameKey.uploadId),
      url.replace(upload.key, ofOtherKey.key),
      url.replace(upload.key, ofOtherKey.key).replace(upload.uploadId, ofOtherKey.uploadId),
    ];
    for (const other of others) {
      assert.notEqual(other, url);
      await refuses(upload, put(other));
      await holds(ofSameKey, []);
      await holds(ofOtherKey, []);
    }
    for (const each of [upload, ofSameKey, ofOtherKey]) await abort(each);
  });
}
