import assert from 'node:assert/strict';
import type { RoleSession } from '../../../adapters/cloud-account/roles.ts';
import { createRoleSession } from '../../../adapters/cloud-account/session.ts';

const ROLE = { roleArn: 'arn:aws:iam::111122223333:role/r', externalId: 'secret' };
const HOUR_MS = 3_600_000;

/** A fake STS: numbered sessions of an hour. */
function createFixture() {
  let nowMs = Date.parse('2026-11-21T00:00:00Z');
  let assumed = 0;
  let refusing = false;
  const now = () => new Date(nowMs);
  const assume = async (): Promise<RoleSession> => {
    await Promise.resolve();
    if (refusing) throw new Error('refused');
    assumed += 1;
    const accessKeyId = `key-${assumed}`;
    const credentials = { accessKeyId, secretAccessKey: 'secret', sessionToken: 'token' };
    return { credentials, expiresAt: new Date(nowMs + HOUR_MS) };
  };
  const session = createRoleSession(assume, ROLE, now);
  return {
    session,
    advance: (ms: number) => void (nowMs += ms),
    assumed: () => assumed,
    refuse: (yes: boolean) => void (refusing = yes),
  };
}

describe('the session of a role', () => {
  it('is opened once for concurrent calls', async () => {
    const { session, assumed } = createFixture();
    const all = await Promise.all(Array.from({ length: 20 }, () => session.current()));
    assert.equal(assumed(), 1);
    assert.ok(all.every(({ accessKeyId }) => accessKeyId === 'key-1'));
  });

  it('is opened again once, before it expires', async () => {
    const { session, assumed, advance } = createFixture();
    await session.current();
    advance(HOUR_MS - 6 * 60_000);
    assert.equal((await session.current()).accessKeyId, 'key-1');
    advance(2 * 60_000);
    const all = await Promise.all(Array.from({ length: 20 }, () => session.current()));
    assert.ok(all.every(({ accessKeyId }) => accessKeyId === 'key-2'));
    assert.equal(assumed(), 2);
  });

  it('is renewed once for many refusals of the same credentials', async () => {
    const { session, assumed } = createFixture();
    const refused = await session.current();
    const all = await Promise.all(Array.from({ length: 20 }, () => session.renew(refused)));
    assert.ok(all.every(({ accessKeyId }) => accessKeyId === 'key-2'));
    assert.equal(assumed(), 2);
    // A late refusal of the first credentials does not discard the second ones.
    assert.equal((await session.renew(refused)).accessKeyId, 'key-2');
    assert.equal((await session.current()).accessKeyId, 'key-2');
  });

  it('does not cache a refusal', async () => {
    const { session, refuse } = createFixture();
    refuse(true);
    await assert.rejects(session.current(), /refused/);
    refuse(false);
    assert.equal((await session.current()).accessKeyId, 'key-1');
  });
});
