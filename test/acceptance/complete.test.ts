import assert from 'node:assert/strict';
import { keyOf, putAsTold, writeObject } from './store.ts';
import { difference, NOTHING, one, withStores } from './tenant.ts';
import { bodyOf, call, requireInvalid, requireRecent, requireRefusal } from './wire.ts';

const BODY = Buffer.from('hello world');
const start = () => one.start({ contentType: 'text/plain', fileSizeBytes: BODY.length });
const MIB = 1024 * 1024;

describe('Upload complete', () => {
  withStores(one, 'aws', 'r2', 'b2');

  // spec: errors.file-not-on-provider, router.complete-checks-the-object
  // spec: state.after-failed-complete, state.pending-missing
  it('says before the PUT that the object is not there, as often as it is asked, and finds it then', async () => {
    const started = await start();
    const { fileId } = started;
    const before = await one.usage();
    for (let times = 0; times < 5; times += 1) {
      requireRefusal(await one.complete(fileId), 409, 'file_not_on_provider');
      assert.equal((await one.file(fileId)).status, 'pending');
    }
    const atOnce = await Promise.all(Array.from({ length: 10 }, () => one.complete(fileId)));
    for (const answer of atOnce) requireRefusal(answer, 409, 'file_not_on_provider');
    assert.deepEqual(difference(before, await one.usage()), NOTHING);
    await putAsTold(started, BODY);
    await one.completed(fileId);
  });

  // spec: endpoint.upload-complete, retries.complete, router.complete-checks-the-object
  // spec: state.pending-active, upload-sequence.records
  it('makes the file active, says so, and says it again without recording anything twice', async () => {
    const { fileId, ...started } = await start();
    await putAsTold({ fileId, ...started }, BODY);
    const before = await one.usage();
    const first = await one.complete(fileId);
    const { completedAt, ...rest } = bodyOf(first, 200) as { completedAt: string };
    const { provider } = started;
    assert.deepEqual(rest, { fileId, status: 'active', provider, fileSizeBytes: BODY.length });
    requireRecent(completedAt);
    const file = await one.file(fileId);
    assert.deepEqual([file.status, file.completedAt], ['active', completedAt]);
    for (let times = 0; times < 5; times += 1) {
      const again = await one.complete(fileId);
      assert.deepEqual([again.status, again.text], [200, first.text]);
    }
    const moved = difference(before, await one.usage());
    assert.deepEqual(moved, { ...NOTHING, routedBytes: BODY.length, uploads: 1 });
  });

  // spec: state.pending-active-usage, upload.records-gigabytes, usage-record.gigabytes
  it('counts in exact bytes, booked at init and routed at complete', async () => {
    const before = await one.usage();
    const sizes = [0, 1, 999, 3 * MIB + 7];
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    const started = await Promise.all(sizes.map((fileSizeBytes) => one.start({ fileSizeBytes })));
    const booked = { bookedBytes: bytes, uploadsBooked: sizes.length };
    assert.deepEqual(difference(before, await one.usage()), { ...NOTHING, ...booked });
    for (const [index, file] of started.entries()) {
      await putAsTold(file, Buffer.alloc(sizes[index] ?? 0));
      await one.completed(file.fileId);
    }
    const routed = { routedBytes: bytes, uploads: sizes.length };
    assert.deepEqual(difference(before, await one.usage()), { ...booked, ...routed });
  });

  it('counts exactly where many files are announced and deleted at once', async () => {
    const before = await one.usage();
    const started = await Promise.all(Array.from({ length: 40 }, start));
    const booked = { bookedBytes: 40 * BODY.length, uploadsBooked: 40 };
    assert.deepEqual(difference(before, await one.usage()), { ...NOTHING, ...booked });
    await Promise.all(started.map(async ({ fileId }) => bodyOf(await one.delete(fileId), 200)));
    assert.deepEqual(difference(before, await one.usage()), NOTHING);
  });

  // spec: retries.complete, usage-record.one-per-upload
  it('called 30 times at once answers all alike, and makes one usage record', async () => {
    const started = await start();
    await putAsTold(started, BODY);
    const before = await one.usage();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => one.complete(started.fileId)),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
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
      for (let times = 0; times < 3; times += 1)
        requireRefusal(await one.complete(started.fileId), 409, 'file_size_mismatch');
      assert.equal((await one.file(started.fileId)).status, 'pending');
      assert.deepEqual(difference(before, await one.usage()), NOTHING);
      await putAsTold(started, announced);
      await one.completed(started.fileId);
    });
  }

  // spec: file.holds, state.pending-active, upload-sequence.verifies
  it('does not take an object under another key for the right one', async () => {
    const started = await start();
    await writeObject(started.provider, `${keyOf(started)}.part`, BODY);
    requireRefusal(await one.complete(started.fileId), 409, 'file_not_on_provider');
  });

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
