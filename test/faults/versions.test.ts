import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import type { Service, ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { migrationWorkflowId, scanWorkflowId } from '../../messages/names.ts';
import { createCloudCustomer, type CloudCustomer } from '../harness/cloud-customer.ts';
import { eventually } from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { createMigrationCustomer, type MigrationCustomer } from '../harness/migration-customer.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { startMigrationService } from '../servers.ts';

const DEPLOYMENT = 'storage-routing';
/** Scans that begin while half of them go to the new version: both get some, but in one of 2,000 runs. */
const RAMPED_SCANS = 12;

describe('two versions of the workers side by side', function () {
  this.timeout(180_000);
  let stack: Stack;
  let service: Service;
  const migrating: MigrationCustomer[] = [];
  let client: Client;
  let namespace: string;
  let old: ServiceProcess;

  before(async () => {
    ({ stack, service } = await startMigrationService({
      workerCount: 0,
      environment: { TEMPORAL_DEPLOYMENT_NAME: DEPLOYMENT, WORKER_QUEUES: 'scans,migrations' },
    }));
    client = await openTemporalClient(stack);
    namespace = stack.environment['TEMPORAL_NAMESPACE'] ?? '';
    old = await service.addWorker({ TEMPORAL_WORKER_BUILD_ID: 'one' });
    await setCurrent('one');
  });
  after(async () => {
    stack?.cloud?.double.clearFaults();
    await service?.stop();
    await client?.connection.close();
  });

  /** The server knows a version after its first poll. */
  async function untilSet(buildId: string, set: (request: object) => Promise<unknown>) {
    const request = { namespace, deploymentName: DEPLOYMENT, buildId, identity: 'operator' };
    const isSet = () =>
      set(request).then(
        () => true,
        () => false,
      );
    await eventually(`the server takes version ${buildId}`, isSet);
  }
  /** What `temporal worker deployment set-current-version` does. */
  const setCurrent = async (buildId: string) =>
    await untilSet(buildId, (request) =>
      client.workflowService.setWorkerDeploymentCurrentVersion(request),
    );

  /** The build id of the worker that did the workflow's latest task. */
  async function versionOf(workflowId: string): Promise<string | undefined> {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
  }

  async function scan(customer: CloudCustomer): Promise<string> {
    const connectionId = await customer.connect();
    const { scanId } = await customer.client.scanner.start(connectionId);
    await customer.ended(scanId);
    return scanWorkflowId(connectionId);
  }
  const newScan = async () =>
    await versionOf(await scan(await createCloudCustomer(stack, service.baseUrl)));

  it('finish old runs, take new ones by a ramp, and can be rolled back', async () => {
    const mover = await createMigrationCustomer(stack, service.baseUrl);
    migrating.push(mover);
    mover.put([{ key: 'one.bin', size: 5_000_000 }]);
    const { recommendationId } = await mover.recommend();
    assert.equal(await newScan(), 'one');

    // A scan that hangs in the middle.
    const slow = await createCloudCustomer(stack, service.baseUrl);
    slow.bucket('slow');
    const connectionId = await slow.connect();
    stack.cloud?.double.addFault({
      effect: 'hang',
      service: 's3',
      bucket: slow.bucketName('slow'),
    });
    const { scanId } = await slow.client.scanner.start(connectionId);
    await eventually(
      'the scan reads its bucket',
      async () => (await slow.client.scanner.results(scanId)).progress.bucketsTotal === 1,
    );

    await service.addWorker({ TEMPORAL_WORKER_BUILD_ID: 'two' });
    await untilSet('two', (request) =>
      client.workflowService.setWorkerDeploymentRampingVersion({ ...request, percentage: 50 }),
    );
    const ramped = await Promise.all(Array.from({ length: RAMPED_SCANS }, newScan));
    assert.deepEqual(new Set(ramped), new Set(['one', 'two']), ramped.join());

    await setCurrent('two');
    assert.equal(await newScan(), 'two');
    stack.cloud?.double.clearFaults();
    assert.equal((await slow.ended(scanId)).status, 'completed');
    assert.equal(
      await versionOf(scanWorkflowId(connectionId)),
      'one',
      'a scan stays with its version',
    );

    // The wait of a recommendation began under the old version; the move is done by the new one.
    await old.stop();
    const { migrationId } = await mover.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    assert.equal((await mover.migrated(migrationId)).status, 'completed');
    assert.equal(await versionOf(migrationWorkflowId(recommendationId)), 'two');

    await service.addWorker({ TEMPORAL_WORKER_BUILD_ID: 'one' });
    await setCurrent('one');
    assert.equal(await newScan(), 'one', 'after the rollback');
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service, migrating });
  });
});
