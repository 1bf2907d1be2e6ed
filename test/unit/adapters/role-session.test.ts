import assert from 'node:assert/strict';
import type { RoleSession } from '../../../adapters/cloud-account/roles.ts';
import { createRoleSession } from '../../../adapters/cloud-account/session.ts';

const ROLE = { roleArn: 'arn:aws:iam::111122223333:role/r', externalId: 'secret' };
const MINUTE_MS = 60_000;

/** The session of a fake STS, whose sessions of an hour are numbered; and a clock. */
function createFixture() {
  const sts = { nowMs: Date.parse('2026-11-21T00:00:00Z'), assumed: 0, isRefusing: false };
  const assume = async (): Promise<RoleSession> => {
    await Promise.resolve();
    if (sts.isRefusing) throw new Error('refused');
    sts.assumed += 1;
    const accessKeyId = `key-${sts.assumed}`;
    const credentials = { accessKeyId, secretAccessKey: 'secret', sessionToken: 'token' };
    return { credentials, expiresAt: new Date(sts.nowMs + 60 * MINUTE_MS) };
  };
  const session = createRoleSession(assume, ROLE, () => new Date(sts.nowMs));
  /** The key of twenty calls at once. */
  const keyOf = async (call = () => session.current()) => {
    const all = await Promise.all(Array.from({ length: 20 }, call));
    const [key, ...others] = new Set(all.map(({ accessKeyId }) => accessKeyId));
    assert.deepEqual(others, []);
    return key;
  };
  return { sts, session, keyOf };
}

describe('the session of a role', () => {
  it('is opened once for concurrent calls, and once again before it expires', async () => {
    const { sts, keyOf } = createFixture();
    for (const [minutes, key, assumed] of [
      [0, 'key-1', 1],
      [54, 'key-1', 1],
      [2, 'key-2', 2],
    ] as const) {
      sts.nowMs += minutes * MINUTE_MS;
      assert.deepEqual([await keyOf(), sts.assumed], [key, assumed]);
    }
  });

  it('is renewed once for many refusals of the same credentials', async () => {
    const { sts, session, keyOf } = createFixture();
    const refused = await session.current();
    assert.deepEqual(
      [await keyOf(() => session.renew?.(refused) ?? assert.fail()), sts.assumed],
      ['key-2', 2],
    );
    // A late refusal of the first credentials does not discard the second ones.
    assert.equal(await keyOf(() => session.renew?.(refused) ?? assert.fail()), 'key-2');
    assert.equal(await keyOf(), 'key-2');
  });

  it('does not cache a refusal', async () => {
    const { sts, session, keyOf } = createFixture();
    sts.isRefusing = true;
    await assert.rejects(session.current(), /refused/);
    sts.isRefusing = false;
    assert.equal(await keyOf(), 'key-1');
  });
});
