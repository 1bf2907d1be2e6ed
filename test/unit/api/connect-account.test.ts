import { actorOf } from '../../harness/actor.ts';
import assert from 'node:assert/strict';
import { connectAccount, type ConnectionDeps } from '../../../api/scans/connections.ts';
import type { RoleAttempts } from '../../../adapters/mongo/connections.ts';
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
    const role = 'arn:aws:iam::111122223333:role/r';
    assert.deepEqual(asked, [`begin ${role}`, `clear ${role}`]);
  });
});
