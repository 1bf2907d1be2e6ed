import assert from 'node:assert/strict';
import { createConnectionRoutes } from '../../../api/routes/connections.ts';
import type { ConnectionRoutesDeps } from '../../../api/routes/connections.ts';
import { AppError } from '../../../domain/errors.ts';
import type { ExternalIdRule } from '../../../domain/scan/connection.ts';

const NOW = new Date('2026-11-21T00:00:00.000Z');
const no = () => Promise.reject(new Error('not asked for here'));

function connectRoute(externalIds: ExternalIdRule, demandsExternalId: boolean) {
  const deps: ConnectionRoutesDeps = {
    externalIds,
    now: () => NOW,
    connections: {
      save: (connection) => Promise.resolve(connection),
      findByRole: () => Promise.resolve(undefined),
      find: no,
      list: no,
      remove: no,
    },
    cloudAccounts: {
      listBuckets: () => Promise.resolve([{ name: 'b', region: 'us-east-1' }]),
      demandsExternalId: () => Promise.resolve(demandsExternalId),
      open: () => assert.fail('not asked for here'),
    },
    scanCommands: { start: no, abandon: no, running: no, view: no },
    scans: {
      insertQueued: no,
      find: no,
      list: no,
      plan: no,
      findPlan: no,
      findPlanned: no,
      complete: no,
      fail: no,
      failOthers: no,
    },
  };
  const route = createConnectionRoutes(deps).find(({ path }) => path === '/v1/scanner/connect');
  assert.ok(route);
  return () =>
    route.handle({
      requestId: 'r',
      subject: 'somebody',
      params: {},
      query: {},
      body: {
        roleArn: 'arn:aws:iam::111122223333:role/r',
        externalId: 'secret',
        regions: ['us-east-1'],
      },
      account: {
        accountId: 'a',
        plan: 'free',
        createdAt: NOW,
        providers: {},
        providersRevision: 0,
      },
    });
}

/**
 * | the role demands its external id | `enforce` | `warn` |
 * |---|---|---|
 * | yes | in | in |
 * | no | 422 | in, with a warning |
 */
describe('a role that lets anybody in', () => {
  const warningsOf = async (connect: ReturnType<typeof connectRoute>) =>
    ((await connect()).body as { warnings: string[] }).warnings;

  it('is refused where external ids are enforced', async () => {
    await assert.rejects(
      connectRoute('enforce', false),
      (error) => error instanceof AppError && error.code === 'role_not_assumable',
    );
  });

  it('is let in with a warning where that is wanted', async () => {
    const [warning, ...others] = await warningsOf(connectRoute('warn', false));
    assert.match(warning ?? '', /sts:ExternalId/);
    assert.deepEqual(others, []);
  });

  for (const rule of ['enforce', 'warn'] as const) {
    it(`is not what one is that demands its external id: ${rule}`, async () => {
      assert.deepEqual(await warningsOf(connectRoute(rule, true)), []);
    });
  }
});
