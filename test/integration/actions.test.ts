import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import type { Stack } from '../../dev/stack.ts';
import { migrationWorkflowId, scanWorkflowId } from '../../messages/names.ts';
import { readLife } from '../harness/actions.ts';
import { createCloudCustomer } from '../harness/cloud-customer.ts';
import { createMigrationCustomer } from '../harness/migration-customer.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { localMigrationService } from '../servers.ts';

/** The figures of docs/sizing.md. Those of uploads are in `upload-life.test.ts`. */
describe('the Temporal actions', () => {
  let stack: Stack;
  let baseUrl: string;
  let client: Client;

  before(async () => {
    const { stack: own, service } = await localMigrationService();
    stack = own;
    ({ baseUrl } = service);
    client = await openTemporalClient(stack);
  });
  after(async () => await client?.connection.close());

  async function actionsOf(workflowId: string): Promise<number> {
    await client.workflow.getHandle(workflowId).result();
    return (await readLife(client, workflowId)).actions;
  }

  for (const buckets of [1, 10]) {
    it(`of a scan of ${buckets} small buckets are eight and one for each bucket`, async () => {
      const customer = await createCloudCustomer(stack, baseUrl);
      for (let n = 0; n < buckets; n += 1) customer.bucket(`small-${n}`);
      const { connectionId } = await customer.scan();
      assert.equal(await actionsOf(scanWorkflowId(connectionId)), 8 + buckets);
    });
  }

  it('of a migration are twelve and one for each slice', async () => {
    const customer = await createMigrationCustomer(stack, baseUrl);
    const objects = Array.from({ length: 200 }, (_unused, n) => ({ key: `${n}`, size: 50_000 }));
    customer.put(objects);
    const { recommendationId } = await customer.recommend();
    const { migrationId } = await customer.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    await customer.migrated(migrationId);
    const workflowId = migrationWorkflowId(recommendationId);
    const actions = await actionsOf(workflowId);
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    const slices = (events ?? []).filter(({ activityTaskScheduledEventAttributes: scheduled }) =>
      ['buildManifest', 'copyPages', 'verifyPages'].includes(scheduled?.activityType?.name ?? ''),
    );
    assert.equal(actions - slices.length, 12);
  });
});
