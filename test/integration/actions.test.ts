import assert from 'node:assert/strict';
import { migrationWorkflowId, scanWorkflowId } from '../../messages/names.ts';
import { readLife } from '../harness/actions.ts';
import { createCloudCustomer } from '../harness/cloud-customer.ts';
import { localMigrationService } from '../servers.ts';
import { objectsOf } from '../harness/migration-customer.ts';
import { customerWith, migrate, sharedTemporal } from './customers.ts';

/** More than what is moved, and not so much that B2, to which it is moved, would not be recommended. */
const READ_GB = 0.018;

/** The figures of docs/sizing.md. Those of uploads are in `upload-life.test.ts`. */
describe('the Temporal actions', () => {
  const client = sharedTemporal(localMigrationService);

  async function actionsOf(workflowId: string): Promise<number> {
    await client.workflow.getHandle(workflowId).result();
    return (await readLife(client, workflowId)).actions;
  }

  for (const buckets of [1, 10]) {
    it(`of a scan of ${buckets} small buckets are nine and one for each bucket`, async () => {
      const { stack, service } = await localMigrationService();
      const customer = await createCloudCustomer(stack, service.baseUrl);
      for (let n = 0; n < buckets; n += 1) customer.bucket(`small-${n}`);
      const { connectionId } = await customer.scan();
      assert.equal(await actionsOf(scanWorkflowId(connectionId)), 9 + buckets);
    });
  }

  it('of a migration are twelve and one for each slice', async () => {
    const customer = await customerWith(objectsOf(200));
    customer.readFromInternet(READ_GB);
    const { recommendationId } = await migrate(customer);
    const workflowId = migrationWorkflowId(recommendationId);
    const actions = await actionsOf(workflowId);
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    const slices = (events ?? []).filter(({ activityTaskScheduledEventAttributes: scheduled }) =>
      ['buildManifest', 'copyPages', 'verifyPages'].includes(scheduled?.activityType?.name ?? ''),
    );
    assert.equal(actions - slices.length, 12);
  });
});
