import assert from 'node:assert/strict';
import { connectRole, type ConnectionDeps } from '../../../api/scans/connections.ts';
import type { RoleAttempts } from '../../../adapters/mongo/role-attempts.ts';
import type { ExternalIdRule } from '../../../domain/scan/connection.ts';
import { priceBook } from '../price-book.ts';
import { actorOf } from '../../harness/actor.ts';

const roleArn = 'arn:aws:iam::111122223333:role/r';
const NO_ATTEMPTS: RoleAttempts = { begin: async () => true, clear: async () => {} };

/** Connects a role that nobody has connected; what else is asked for is not there, and fails. */
function connecting(
  externalIds: ExternalIdRule,
  requires: boolean,
  { roleAttempts = NO_ATTEMPTS, regions = ['us-east-1'] } = {},
) {
  const deps = {
    externalIds,
    priceBook,
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
  const role = { roleArn, externalId: 'secret', regions };
  return () => connectRole(deps, actorOf('a'), role);
}

/** The rule to enforce: `test/integration/scan/connect.test.ts`. */
describe('connecting a role', () => {
  it('by the rule to warn accepts a role that does not require its external id, and says so', async () => {
    assert.deepEqual((await connecting('warn', true)()).warnings, []);
    assert.match((await connecting('warn', false)()).warnings.join(), /sts:ExternalId/);
  });

  it('names the regions without prices and those without a bucket', async () => {
    const regions = ['us-east-1', 'mx-central-1', 'xx-nowhere-9'];
    const { warnings } = await connecting('enforce', true, { regions })();
    assert.equal(warnings.length, 2);
    assert.match(warnings[0] ?? '', /^No bucket of the account is in mx-central-1\.$/);
    assert.match(warnings[1] ?? '', /^The price book has no prices of xx-nowhere-9:/);
  });

  it('forgets the attempts of a role that was assumed', async () => {
    const asked: string[] = [];
    const begin = async (role: string) => asked.push(`begin ${role}`) > 0;
    const clear = async (role: string) => void asked.push(`clear ${role}`);
    await connecting('enforce', true, { roleAttempts: { begin, clear } })();
    assert.deepEqual(asked, [`begin ${roleArn}`, `clear ${roleArn}`]);
  });
});
