import { actorOf } from '../../harness/actor.ts';
import assert from 'node:assert/strict';
import { connectAccount, type ConnectionDeps } from '../../../api/scans/connections.ts';
import type { RoleAttempts } from '../../../adapters/mongo/connections.ts';
import { AppError } from '../../../domain/common/errors.ts';
import type { ExternalIdRule } from '../../../domain/scan/connection.ts';

const NOW = new Date('2026-11-21T00:00:00.000Z');
const ACCOUNT = {
  accountId: 'a',
  plan: 'free',
  createdAt: NOW,
  providers: {},
  providersRevision: 0,
} as const;
const no = () => Promise.reject(new Error('not expected here'));

function connecting(
  externalIds: ExternalIdRule,
  requiresExternalId: boolean,
  roleAttempts: RoleAttempts = {
    begin: () => Promise.resolve(true),
    clear: () => Promise.resolve(),
  },
) {
  const deps: ConnectionDeps = {
    externalIds,
    roleAttempts,
    now: () => NOW,
    connections: {
      save: (connection) => Promise.resolve(connection),
      noteRemoval: no,
      findByRole: () => Promise.resolve(undefined),
      find: no,
      list: no,
      remove: no,
    },
    cloudAccounts: {
      listBuckets: () => Promise.resolve([{ name: 'b', region: 'us-east-1' }]),
      requiresExternalId: () => Promise.resolve(requiresExternalId),
      open: () => assert.fail('not expected here'),
    },
    recommendations: {
      supersedeAll: no,
      supersededWithWorkflow: () => assert.fail('not expected here'),
      clearHasWorkflow: no,
    },
    migrationCommands: { dismiss: no },
    scanCommands: { running: no },
    scans: { find: no },
    activities: { publish: () => Promise.resolve(), add: no, list: no, publishNotedBefore: no },
    onBackgroundError: (error) => assert.fail(String(error)),
  };
  return () =>
    connectAccount(deps, actorOf(ACCOUNT.accountId), {
      roleArn: 'arn:aws:iam::111122223333:role/r',
      externalId: 'secret',
      regions: ['us-east-1'],
    });
}

/**
 * | the role requires its external id | `enforce` | `warn` |
 * |---|---|---|
 * | yes | accepted | accepted |
 * | no | 422 | accepted, with a warning |
 */
describe('connecting a role', () => {
  const warningsOf = async (connect: ReturnType<typeof connecting>) => (await connect()).warnings;

  it('refuses a role that does not require its external id', async () => {
    await assert.rejects(
      connecting('enforce', false),
      (error) => error instanceof AppError && error.code === 'role_not_assumable',
    );
  });

  it('accepts a role without the condition, with a warning, where the rule is warn', async () => {
    const [warning, ...others] = await warningsOf(connecting('warn', false));
    assert.match(warning ?? '', /sts:ExternalId/);
    assert.deepEqual(others, []);
  });

  for (const rule of ['enforce', 'warn'] as const) {
    it(`accepts a role that requires its external id without a warning: ${rule}`, async () => {
      assert.deepEqual(await warningsOf(connecting(rule, true)), []);
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
    const role = 'arn:aws:iam::111122223333:role/r';
    assert.deepEqual(asked, [`begin ${role}`, `clear ${role}`]);
  });
});
