import assert from 'node:assert/strict';
import { connectAccount, type ConnectionDeps } from '../../../api/scans/connections.ts';
import type { RoleAttempts } from '../../../adapters/mongo/connections.ts';
import type { ExternalIdRule } from '../../../domain/scan/connection.ts';
import { actorOf } from '../../harness/actor.ts';

const roleArn = 'arn:aws:iam::111122223333:role/r';
const NO_ATTEMPTS: RoleAttempts = {
  begin: () => Promise.resolve(true),
  clear: () => Promise.resolve(),
};

/** Connects a role that nobody has connected; what else is asked for is not there, and fails. */
function connecting(
  externalIds: ExternalIdRule,
  requiresExternalId: boolean,
  roleAttempts = NO_ATTEMPTS,
) {
  const deps = {
    externalIds,
    roleAttempts,
    now: () => new Date('2026-11-21T00:00:00.000Z'),
    connections: {
      save: (connection: unknown) => Promise.resolve(connection),
      findByRole: () => Promise.resolve(undefined),
    },
    cloudAccounts: {
      listBuckets: () => Promise.resolve([{ name: 'b', region: 'us-east-1' }]),
      requiresExternalId: () => Promise.resolve(requiresExternalId),
    },
    activities: { publish: () => Promise.resolve() },
    onBackgroundError: (error: unknown) => assert.fail(String(error)),
  } as unknown as ConnectionDeps;
  const role = { roleArn, externalId: 'secret', regions: ['us-east-1'] };
  return () => connectAccount(deps, actorOf('a'), role);
}

describe('connecting a role', () => {
  for (const [rule, requires, warnings] of [
    ['enforce', true, []],
    ['warn', true, []],
    ['warn', false, [/sts:ExternalId/]],
    ['enforce', false, undefined],
  ] as const) {
    const role = `a role that ${requires ? 'requires' : 'does not require'} its external id`;
    it(`${warnings === undefined ? 'refuses' : `accepts with ${warnings.length} warnings`} ${role}: ${rule}`, async () => {
      const connect = connecting(rule, requires);
      if (warnings === undefined)
        return await assert.rejects(connect(), { code: 'role_not_assumable' });
      const told = (await connect()).warnings;
      assert.equal(told.length, warnings.length);
      for (const [at, warning] of warnings.entries()) assert.match(told[at] ?? '', warning);
    });
  }

  it('forgets the attempts of a role that was assumed', async () => {
    const asked: string[] = [];
    const note = (what: string) => async (roleArn: string) => {
      asked.push(`${what} ${roleArn}`);
      return true;
    };
    const clear = async (roleArn: string) => void (await note('clear')(roleArn));
    await connecting('enforce', true, { begin: note('begin'), clear })();
    assert.deepEqual(asked, [`begin ${roleArn}`, `clear ${roleArn}`]);
  });
});
