import assert from 'node:assert/strict';
import { connectRole, type ConnectionDeps } from '../../../operations/connections/connections.ts';
import type { RoleAttempts } from '../../../adapters/mongo/connections/role-attempts.ts';
import type { ExternalIdRule, RoleOpening } from '../../../domain/connections/connection.ts';
import { priceBook } from '../price-book.ts';
import { actorOf } from '../../harness/actor.ts';

const roleArn = 'arn:aws:iam::111122223333:role/r';
const NO_ATTEMPTS: Pick<RoleAttempts, 'begin' | 'clear'> = {
  begin: async () => true,
  clear: async () => {},
};
const CONNECTION = { connectionId: 'c', accountId: 'a', roleArn, externalId: 'short' };

interface Circumstances {
  readonly openings?: readonly RoleOpening[];
  readonly roleAttempts?: typeof NO_ATTEMPTS;
  readonly regions?: string[];
  readonly known?: typeof CONNECTION;
  readonly externalId?: string;
}

/** Connects a role; what else is asked for is not there, and fails. */
function connecting(
  externalIds: ExternalIdRule,
  {
    openings = [],
    roleAttempts = NO_ATTEMPTS,
    regions = ['us-east-1'],
    known,
    externalId = 'secret-of-the-role',
  }: Circumstances = {},
) {
  const deps = {
    externalIds,
    ownAccountRoles: 'refuse',
    readServiceAccount: async () => '999988887777',
    priceBook,
    roleAttempts,
    now: () => new Date('2026-11-21T00:00:00.000Z'),
    connections: { saveConnection: async (one: unknown) => one, findBySubject: async () => known },
    cloudAccounts: {
      listBuckets: async () => [{ name: 'b', region: 'us-east-1' }],
      findOpenings: async () => openings,
    },
    activities: { publish: async () => {} },
    onBackgroundError: (error: unknown) => assert.fail(String(error)),
  } as unknown as ConnectionDeps;
  return () => connectRole(deps, actorOf('a'), { roleArn, externalId, regions });
}

/** The rule to enforce: `test/integration/scan/connect.test.ts`. */
describe('connecting a role', () => {
  it('by the rule to warn accepts a role that does not require its external id, and says so', async () => {
    assert.deepEqual((await connecting('warn')()).warnings, []);
    const { warnings } = await connecting('warn', { openings: ['none'] })();
    assert.match(warnings.join(), /sts:ExternalId/);
  });

  it('takes a short external id only from the account whose connection has it', async () => {
    const short = { externalId: 'short' };
    await connecting('enforce', { ...short, known: CONNECTION })();
    const ofAnother = { ...CONNECTION, accountId: 'b' };
    for (const known of [undefined, ofAnother, { ...CONNECTION, externalId: 'other' }])
      await assert.rejects(connecting('enforce', { ...short, ...(known && { known }) }), {
        code: 'invalid_request',
        details: [{ path: '/externalId', message: 'must have at least 16 characters' }],
      });
  });

  it('names the regions without prices and those without a bucket', async () => {
    const regions = ['us-east-1', 'mx-central-1', 'xx-nowhere-9'];
    const { warnings } = await connecting('enforce', { regions })();
    assert.equal(warnings.length, 2);
    assert.match(warnings[0] ?? '', /^No bucket of the account is in mx-central-1\.$/);
    assert.match(warnings[1] ?? '', /^The price book has no prices of xx-nowhere-9:/);
  });

  it('forgets the attempts of a role that was connected, not of one that is open', async () => {
    const asked: string[] = [];
    const begin: RoleAttempts['begin'] = async (of) =>
      asked.push(`begin ${of.accountId} ${of.roleArn}`) > 0;
    const clear: RoleAttempts['clear'] = async (of) =>
      void asked.push(`clear ${of.accountId} ${of.roleArn}`);
    const roleAttempts = { begin, clear };
    await assert.rejects(connecting('enforce', { roleAttempts, openings: ['longer'] }));
    assert.deepEqual(asked.splice(0), [`begin a ${roleArn}`]);
    await connecting('enforce', { roleAttempts })();
    assert.deepEqual(asked, [`begin a ${roleArn}`, `clear a ${roleArn}`]);
  });
});
