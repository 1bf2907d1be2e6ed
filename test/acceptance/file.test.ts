import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { deleteObject, keyOf, objectAt, putAsTold, writeObject } from './store.ts';
import { endpointOverride, storeAccess } from './target.ts';
import { difference, NOTHING, one, withStores } from './tenant.ts';
import { bodyOf, call, requireInvalid, requireMoment, requireRecent } from './wire.ts';
import { requireRefusal, type Answer } from './wire.ts';

const BODY = Buffer.from('hello world');
const start = () => one.start({ contentType: 'text/plain', fileSizeBytes: BODY.length });

async function requireRepeated(first: Answer, ask: () => Promise<Answer>): Promise<void> {
  for (const again of await Promise.all(Array.from({ length: 10 }, ask)))
    assert.deepEqual([again.status, again.text], [200, first.text]);
}

describe('A file', () => {
  withStores(one, 'aws', 'r2', 'b2');

  // spec: file.further-fields, file.holds, file.status, state.none-pending, state.values
  // spec: upload-sequence.inserts
  it('that waits for its bytes is pending, with nulls where there is nothing yet', async () => {
    const announcement = { fileName: 'a b.txt', contentType: 'text/plain', fileSizeBytes: 3 };
    const { fileId, provider } = await one.start({ ...announcement, priority: 'archive' });
    const { createdAt, routing, ...rest } = await one.file(fileId);
    assert.deepEqual(rest, {
      fileId,
      status: 'pending',
      ...announcement,
      priority: 'archive',
      provider,
      completedAt: null,
      downloadUrl: null,
      expiresAt: null,
    });
    requireRecent(createdAt);
    assert.equal(routing.provider, provider);
  });

  // spec: endpoint.file-get, file.status, retries.file-get, retries.no-idempotency-key
  // spec: state.values, versioning.not-in-v1
  it('that is active has a URL for an hour, that reads and does nothing else, and is the same again', async () => {
    const { fileId, provider } = await one.active(BODY);
    const before = await one.usage();
    const { downloadUrl, expiresAt, ...kept } = await one.file(fileId);
    assert.equal(kept.status, 'active');
    const url = new URL(downloadUrl ?? '');
    const override = endpointOverride(provider);
    if (override !== undefined) assert.equal(url.origin, new URL(override).origin);
    assert.equal(url.searchParams.get('X-Amz-Expires'), '3600');
    assert.equal(url.searchParams.get('X-Amz-SignedHeaders'), 'host');
    requireMoment(expiresAt, Date.now() + 3_600_000);
    assert.ok(!url.href.includes(storeAccess(provider).secretAccessKey));
    for (const method of ['DELETE', 'PUT']) {
      const response = await fetch(url, { method, body: method === 'PUT' ? 'xyz' : null });
      assert.ok(response.status >= 400 && response.status < 500, `${method}: ${response.status}`);
    }
    const elsewhere = new URL(url);
    elsewhere.pathname += 'x';
    assert.equal((await fetch(elsewhere)).status, 403);
    assert.equal(await (await fetch(url)).text(), BODY.toString());
    const again = await one.file(fileId);
    assert.deepEqual(again, { ...again, ...kept });
    assert.deepEqual(await one.usage(), before, 'reading it changes no usage');
  });
});

describe('Upload complete', () => {
  withStores(one, 'aws', 'r2', 'b2');

  // spec: errors.file-not-on-provider, router.complete-checks-the-object
  // spec: file.holds, state.after-failed-complete, state.pending-missing, upload-sequence.verifies
  it('says before the PUT that the object is not there, also beside another key, and finds it then', async () => {
    const started = await start();
    const { fileId } = started;
    await writeObject(started.provider, `${keyOf(started)}.part`, BODY);
    const before = await one.usage();
    for (const answer of await Promise.all(Array.from({ length: 10 }, () => one.complete(fileId))))
      requireRefusal(answer, 409, 'file_not_on_provider');
    assert.equal((await one.file(fileId)).status, 'pending');
    assert.deepEqual(difference(before, await one.usage()), NOTHING);
    await putAsTold(started, BODY);
    await one.completed(fileId);
  });

  // spec: endpoint.upload-complete, retries.complete, router.complete-checks-the-object
  // spec: state.pending-active, state.pending-active-usage, upload.records-gigabytes
  // spec: upload-sequence.records, usage-record.gigabytes, usage-record.one-per-upload
  it('called ten times at once makes the file active, says so alike, and makes one usage record', async () => {
    const { fileId, ...started } = await start();
    await putAsTold({ fileId, ...started }, BODY);
    const before = await one.usage();
    const [first = assert.fail(), ...others] = await Promise.all(
      Array.from({ length: 10 }, () => one.complete(fileId)),
    );
    const { completedAt, ...rest } = bodyOf(first, 200) as { completedAt: string };
    const { provider } = started;
    assert.deepEqual(rest, { fileId, status: 'active', provider, fileSizeBytes: BODY.length });
    requireRecent(completedAt);
    const file = await one.file(fileId);
    assert.deepEqual([file.status, file.completedAt], ['active', completedAt]);
    for (const { status, text } of others) assert.deepEqual([status, text], [200, first.text]);
    await requireRepeated(first, () => one.complete(fileId));
    const moved = difference(before, await one.usage());
    assert.deepEqual(moved, { ...NOTHING, routedBytes: BODY.length, uploads: 1 });
  });

  for (const [what, announced, bytes] of [
    ['too few bytes', BODY, BODY.subarray(1)],
    ['too many bytes', BODY, Buffer.concat([BODY, BODY])],
    ['no bytes', BODY, Buffer.alloc(0)],
    ['bytes where none were announced', Buffer.alloc(0), BODY],
  ] as const) {
    // spec: state.pending-active, upload-sequence.verifies
    it(`refuses an object of ${what}, and takes the right one afterwards`, async () => {
      const started = await one.start({ fileSizeBytes: announced.length });
      await writeObject(started.provider, keyOf(started), bytes);
      const before = await one.usage();
      requireRefusal(await one.complete(started.fileId), 409, 'file_size_mismatch');
      assert.equal((await one.file(started.fileId)).status, 'pending');
      assert.deepEqual(difference(before, await one.usage()), NOTHING);
      await putAsTold(started, announced);
      await one.completed(started.fileId);
    });
  }

  // spec: endpoint.upload-complete, errors.unknown-file, upload-sequence.complete
  it('does not know an id that was never given out, and refuses one that is none', async () => {
    const token = await one.key();
    const fileId = crypto.randomUUID();
    requireRefusal(await one.complete(fileId), 404, 'file_not_found');
    for (const none of ['', 'x', null, 1, {}, { $ne: null }, [fileId], `${fileId} `]) {
      const json = { fileId: none };
      requireInvalid(await call('POST', '/v1/upload/complete', { token, json }), '/fileId');
    }
  });
});

describe('A delete', () => {
  withStores(one, 'aws', 'r2', 'b2');

  async function requireDeleted(fileId: string): Promise<void> {
    requireRefusal(await one.get(fileId), 410, 'file_deleted');
    requireRefusal(await one.complete(fileId), 410, 'file_deleted');
  }

  for (const priority of ['hot', 'archive']) {
    // spec: endpoint.file-delete, errors.deleted-twice, retries.file-delete
    // spec: retries.file-deleted-already, state.after-delete
    it(`takes the object from the store, changes no usage, and is answered alike again (${priority})`, async () => {
      const { fileId, ...started } = await one.active(BODY, { priority });
      const before = await one.usage();
      const { downloadUrl } = await one.file(fileId);
      const first = await one.delete(fileId);
      const { deletedAt, ...rest } = bodyOf(first, 200) as { deletedAt: string };
      assert.deepEqual(rest, { fileId, status: 'deleted' });
      requireRecent(deletedAt);
      assert.equal(await objectAt(started.provider, keyOf({ fileId, ...started })), undefined);
      assert.equal((await fetch(downloadUrl ?? '')).status, 404);
      await requireRepeated(first, () => one.delete(fileId));
      await requireDeleted(fileId);
      assert.deepEqual(difference(before, await one.usage()), NOTHING);
    });
  }

  it('of a pending file releases its reservation once, and deletes what is already uploaded', async () => {
    const before = await one.usage();
    const started = await start();
    const booked = { ...NOTHING, bookedBytes: BODY.length, uploadsBooked: 1 };
    assert.deepEqual(difference(before, await one.usage()), booked);
    await putAsTold(started, BODY);
    for (let times = 0; times < 3; times += 1) {
      bodyOf(await one.delete(started.fileId), 200);
      assert.deepEqual(difference(before, await one.usage()), NOTHING);
    }
    assert.equal(await objectAt(started.provider, keyOf(started)), undefined);
    await requireDeleted(started.fileId);
  });

  it('of an object that is already missing from the store succeeds', async () => {
    const started = await one.active(BODY);
    await deleteObject(started.provider, keyOf(started));
    bodyOf(await one.delete(started.fileId), 200);
    await requireDeleted(started.fileId);
  });
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
