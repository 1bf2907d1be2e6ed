import assert from 'node:assert/strict';
import { keyOf, putAsTold, writeObject } from './store.ts';
import { difference, one, withStores } from './tenant.ts';
import { bodyOf, call, requireRefusal } from './wire.ts';

const BODY = Buffer.from('hello world');
const NOTHING = { routedBytes: 0, uploads: 0, bookedBytes: 0, uploadsBooked: 0 };
const start = () => one.start({ contentType: 'text/plain', fileSizeBytes: BODY.length });
const MIB = 1024 * 1024;

describe('Upload complete', () => {
  withStores(one, 'aws', 'r2', 'b2');

  // spec: errors.file-not-on-provider, router.complete-checks-the-object, state.pending-missing
  it('says before the PUT that the object is not there, as often as it is asked', async () => {
    const { fileId } = await start();
    const before = await one.usage();
    for (let times = 0; times < 5; times += 1) {
      requireRefusal(await one.complete(fileId), 409, 'file_not_on_provider');
      assert.equal((await one.file(fileId)).status, 'pending');
    }
    const atOnce = await Promise.all(Array.from({ length: 10 }, () => one.complete(fileId)));
    for (const answer of atOnce) requireRefusal(answer, 409, 'file_not_on_provider');
    assert.deepEqual(difference(before, await one.usage()), NOTHING);
  });

  // spec: state.after-failed-complete
  it('finds the object after it has said that it is not there', async () => {
    const started = await start();
    requireRefusal(await one.complete(started.fileId), 409, 'file_not_on_provider');
    await putAsTold(started, BODY);
    await one.completed(started.fileId);
  });

  // spec: endpoint.upload-complete, router.complete-checks-the-object, state.pending-active
  it('makes the file active, and says so', async () => {
    const started = await start();
    await putAsTold(started, BODY);
    const { completedAt, ...rest } = await one.completed(started.fileId);
    assert.deepEqual(rest, {
      fileId: started.fileId,
      status: 'active',
      provider: started.provider,
      fileSizeBytes: BODY.length,
    });
    assert.match(completedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Math.abs(Date.parse(completedAt) - Date.now()) < 60_000);
    const file = await one.file(started.fileId);
    assert.equal(file.status, 'active');
    assert.equal(file.completedAt, completedAt);
  });

  // spec: retries.complete, upload-sequence.records
  it('gives the same body again, and records nothing twice', async () => {
    const started = await start();
    await putAsTold(started, BODY);
    const before = await one.usage();
    const first = await one.complete(started.fileId);
    bodyOf(first, 200);
    for (let times = 0; times < 5; times += 1) {
      const again = await one.complete(started.fileId);
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

  for (const times of [10, 30]) {
    // spec: retries.complete, usage-record.one-per-upload
    it(`called ${times} times at once answers all alike, and makes one usage record`, async () => {
      const started = await start();
      await putAsTold(started, BODY);
      const before = await one.usage();
      const answers = await Promise.all(
        Array.from({ length: times }, () => one.complete(started.fileId)),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      const moved = difference(before, await one.usage());
      assert.deepEqual(moved, { ...NOTHING, routedBytes: BODY.length, uploads: 1 });
    });
  }

  // spec: usage-record.one-per-upload
  it('of many files at once makes one usage record each', async () => {
    const started = await Promise.all(Array.from({ length: 20 }, start));
    await Promise.all(started.map((file) => putAsTold(file, BODY)));
    const before = await one.usage();
    await Promise.all(started.flatMap(({ fileId }) => [fileId, fileId].map(one.completed)));
    const moved = difference(before, await one.usage());
    assert.deepEqual(moved, { ...NOTHING, routedBytes: 20 * BODY.length, uploads: 20 });
  });

  for (const [what, bytes] of [
    ['too few bytes', BODY.subarray(1)],
    ['too many bytes', Buffer.concat([BODY, BODY])],
    ['no bytes', Buffer.alloc(0)],
  ] as const) {
    // spec: state.pending-active, upload-sequence.verifies
    it(`refuses an object of ${what}, and takes the right one afterwards`, async () => {
      const started = await start();
      await writeObject(started.provider, keyOf(started), bytes);
      const before = await one.usage();
      for (let times = 0; times < 3; times += 1)
        requireRefusal(await one.complete(started.fileId), 409, 'file_size_mismatch');
      assert.equal((await one.file(started.fileId)).status, 'pending');
      assert.deepEqual(difference(before, await one.usage()), NOTHING);
      await putAsTold(started, BODY);
      await one.completed(started.fileId);
    });
  }

  // spec: upload-sequence.verifies
  it('refuses bytes where none were announced', async () => {
    const started = await one.start({ fileSizeBytes: 0 });
    await writeObject(started.provider, keyOf(started), BODY);
    requireRefusal(await one.complete(started.fileId), 409, 'file_size_mismatch');
  });

  // spec: file.holds, state.pending-active, upload-sequence.verifies
  it('does not take an object under another key for the right one', async () => {
    const started = await start();
    await writeObject(started.provider, `${keyOf(started)}.part`, BODY);
    requireRefusal(await one.complete(started.fileId), 409, 'file_not_on_provider');
  });

  // spec: errors.unknown-file, upload-sequence.complete
  it('does not know an id that was never given out', async () => {
    for (let times = 0; times < 3; times += 1)
      requireRefusal(await one.complete(crypto.randomUUID()), 404, 'file_not_found');
  });

  // spec: endpoint.upload-complete
  it('refuses an id that is none', async () => {
    const token = await one.key();
    for (const fileId of [
      '',
      'x',
      null,
      1,
      {},
      { $ne: null },
      [crypto.randomUUID()],
      `${crypto.randomUUID()} `,
    ]) {
      const answer = await call('POST', '/v1/upload/complete', { token, json: { fileId } });
      requireRefusal(answer, 400, 'invalid_request');
    }
  });
});
