import assert from 'node:assert/strict';
import { connectAccount, type ConnectionDeps } from '../../../api/scans/connections.ts';
import type { RoleAttempts } from '../../../adapters/mongo/connections.ts';
import type { ExternalIdRule } from '../../../domain/scan/connection.ts';
import { actorOf } from '../../harness/actor.ts';

const roleArn = 'arn:aws:iam::111122223333:role/r';
const NO_ATTEMPTS: RoleAttempts = { begin: async () => true, clear: async () => {} };

/** Connects a role that nobody has connected; what else is asked for is not there, and fails. */
function connecting(externalIds: ExternalIdRule, requires: boolean, roleAttempts = NO_ATTEMPTS) {
  const deps = {
    externalIds,
    roleAttempts,
    now: () => new Date('2026-11-21T00:00:00.000Z'),
    connections: { save: async (one: unknown) => one, findByRole: async () => undefined },
    cloudAccounts: {
      listBuckets: async () => [{ name: 'b', region: 'us-east-1' }],
      requiresExternalId: async () => requires,
    },
    activities: { publish: async () => {} },
    onBackgroundError: (error: unknown) => assert.fail(String(error)),
  } as unknown as ConnectionDeps;
  const role = { roleArn, externalId: 'secret', regions: ['us-east-1'] };
  return () => connectAccount(deps, actorOf('a'), role);
}

describe('connecting a role', () => {
  for (const [rule, requires, warnings] of [
    ['enforce', true, /^$/],
    ['warn', true, /^$/],
    ['warn', false, /sts:ExternalId/],
  ] as const)
    it(`by the rule to ${rule} accepts a role that ${requires ? 'requires' : 'does not require'} its external id`, async () => {
      const told = await connecting(rule, requires)();
      assert.match(told.warnings.join(), warnings);
    });

  it('by the rule to enforce refuses a role that does not require its external id', () =>
    assert.rejects(connecting('enforce', false)(), { code: 'role_not_assumable' }));

  it('forgets the attempts of a role that was assumed', async () => {
    const asked: string[] = [];
    const begin = async (role: string) => asked.push(`begin ${role}`) > 0;
    const clear = async (role: string) => void asked.push(`clear ${role}`);
    await connecting('enforce', true, { begin, clear })();
    assert.deepEqual(asked, [`begin ${roleArn}`, `clear ${roleArn}`]);
  });
});
