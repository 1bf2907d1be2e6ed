import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import type { Started } from './store.ts';
import { difference, NOTHING, one, withStores } from './tenant.ts';
import { bodyOf, call } from './wire.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIMES = 3;

describe('A repeated', () => {
  withStores(one, 'aws', 'r2', 'b2');

  const underOneKey = () => ({ 'idempotency-key': crypto.randomUUID() });

  // spec: file.id, retries.init, retries.no-idempotency-key, state.none-pending-file-id
  // spec: versioning.not-in-v1
  it('init makes a new pending file each time, with any Idempotency-Key header', async () => {
    const before = await one.usage();
    const headers = underOneKey();
    const json = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 5 };
    const token = await one.key();
    const started: Started[] = [];
    for (let times = 0; times < TIMES; times += 1) {
      const answer = await call('POST', '/v1/upload/init', { token, headers, json });
      started.push(bodyOf(answer, 201) as Started);
    }
    assert.equal(new Set(started.map(({ fileId }) => fileId)).size, TIMES);
    assert.equal(new Set(started.map(({ presignedUrl }) => presignedUrl)).size, TIMES);
    for (const { fileId } of started) {
      assert.match(fileId, UUID_V4);
      assert.equal((await one.file(fileId)).status, 'pending');
    }
    const booked = { bookedBytes: TIMES * json.fileSizeBytes, uploadsBooked: TIMES };
    assert.deepEqual(difference(before, await one.usage()), { ...NOTHING, ...booked });
    for (const { fileId } of started)
      await eventually(async () => bodyOf(await one.delete(fileId), 200));
  });

  // spec: retries.no-idempotency-key, retries.rotate, versioning.not-in-v1
  it('rotation issues a new key each time, with any Idempotency-Key header', async () => {
    const headers = underOneKey();
    const issued: string[] = [];
    for (let times = 0; times < TIMES; times += 1) {
      const options = { token: one.dashboard(), headers, json: {} };
      const answer = await call('POST', '/v1/keys/rotate', options);
      const { newApiKey } = bodyOf(answer, 200) as { newApiKey: string };
      one.useKey(newApiKey);
      issued.push(newApiKey);
    }
    assert.equal(new Set(issued).size, TIMES);
    const statuses = issued.map(async (token) => (await call('GET', '/v1/me', { token })).status);
    assert.deepEqual(await Promise.all(statuses), [401, 401, 200]);
  });

  // spec: retries.file-get, retries.no-idempotency-key, versioning.not-in-v1
  it('get gives the same file, and changes nothing', async () => {
    const { fileId } = await one.active(Buffer.from('abc'));
    const before = await one.usage();
    const seen = await Promise.all(
      Array.from({ length: TIMES }, async () => {
        const { downloadUrl, expiresAt, ...kept } = await one.file(fileId);
        assert.ok(expiresAt);
        assert.equal(await (await fetch(downloadUrl ?? '')).text(), 'abc');
        return kept;
      }),
    );
    for (const file of seen) assert.deepEqual(file, seen[0]);
    assert.deepEqual(difference(before, await one.usage()), NOTHING);
  });
});
