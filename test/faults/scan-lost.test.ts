import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import type { Service, ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { scanWorkflowId } from '../../messages/names.ts';
import {
  createCloudCustomer,
  slowDown,
  untilRunning,
  type CloudCustomer,
} from '../harness/cloud-customer.ts';
import { openDatabase } from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { startIsolatedService } from '../servers.ts';

const OBJECTS = 20_000;
/** Half a minute to the next sweep, 15 s after the end of the run, and slack. */
const HEALED_WITHIN_MS = 75_000;

describe('a scan whose workflow is lost', function () {
  this.timeout(240_000);
  let stack: Stack;
  let service: Service;
  let worker: ServiceProcess;
  let temporal: Client;

  before(async () => {
    ({ stack, service } = await startIsolatedService({
      workerCount: 2,
      environment: { DEFAULT_PLAN: 'starter', WORKER_QUEUES: 'scans,migrations' },
    }));
    [worker = assert.fail()] = service.workers;
    temporal = await openTemporalClient(stack);
  });
  after(async () => {
    await temporal?.connection.close();
    await service?.stop();
  });

  async function filled(): Promise<CloudCustomer> {
    const customer = await createCloudCustomer(stack, service.baseUrl);
    customer.double.seed({
      bucket: customer.bucket('large'),
      generated: [
        {
          count: OBJECTS,
          keyPattern: '{i/1000:3}/file-{i:7}.jpg',
          size: [1_000, 200_000],
          lastModified: '2026-05-01T00:00:00Z',
          storageClass: ['STANDARD'],
        },
      ],
    });
    return customer;
  }

  /** Waits until a lost scan runs again under its own id. */
  async function assertHeals(connectionId: string, scanId: string): Promise<void> {
    const isOpen = async () => {
      const seen = await temporal.workflow.getHandle(scanWorkflowId(connectionId)).describe();
      return seen.status.name === 'RUNNING' && seen.memo?.['scanId'] === scanId;
    };
    const options = { withinMs: HEALED_WITHIN_MS, everyMs: 250 };
    assert.ok(await isSoon(isOpen, options), 'it is not started again');
  }

  /** Its result equals that of an undisturbed scan, and it is counted once. */
  async function assertWhole(customer: CloudCustomer, scanId: string): Promise<void> {
    customer.double.clearFaults();
    const scan = await customer.ended(scanId);
    assert.equal(scan.status, 'completed', JSON.stringify(scan.error));
    const { buckets, summary } = await customer.scan();
    assert.deepEqual([scan.buckets, scan.summary], [buckets, summary]);
    assert.equal(scan.summary.objects, OBJECTS);
    const database = await openDatabase(stack);
    const [counted] = await database.read('scanQuota', { accountId: customer.accountId });
    await database.close();
    const { scanIds } = (counted ?? assert.fail()) as unknown as { scanIds: string[] };
    assert.equal(scanIds.filter((id) => id === scanId).length, 1);
    assert.equal(scanIds.length, 2);
  }

  async function running() {
    const customer = await filled();
    slowDown(customer, 1_000);
    const connectionId = await customer.connect();
    const { scanId } = await customer.client.scanner.start(connectionId);
    await untilRunning(customer, scanId);
    return { customer, connectionId, scanId };
  }
  const terminate = async (connectionId: string) =>
    await temporal.workflow.getHandle(scanWorkflowId(connectionId)).terminate('a mistake');

  it('by a termination continues under its id, and completes with the right figures', async () => {
    const { customer, connectionId, scanId } = await running();
    await terminate(connectionId);
    await assertHeals(connectionId, scanId);
    await assertWhole(customer, scanId);
  });

  it('before its first activity, and while its worker is killed, completes', async () => {
    const customer = await filled();
    const connectionId = await customer.connect();
    const { scanId } = await customer.client.scanner.start(connectionId);
    await Promise.all([terminate(connectionId), worker.kill('SIGKILL')]);
    await worker.restart();
    await assertHeals(connectionId, scanId);
    await assertWhole(customer, scanId);
  });

  it('by the deletion of its run completes', async () => {
    const { customer, connectionId, scanId } = await running();
    await temporal.workflowService.deleteWorkflowExecution({
      namespace: temporal.options.namespace,
      workflowExecution: { workflowId: scanWorkflowId(connectionId) },
    });
    await assertWhole(customer, scanId);
  });

  it('is replaced by the next scan of its connection, and fails', async () => {
    const { customer, connectionId, scanId } = await running();
    await terminate(connectionId);
    const next = await customer.client.scanner.start(connectionId);
    customer.double.clearFaults();
    assert.equal((await customer.ended(next.scanId)).status, 'completed');
    assert.equal((await customer.ended(scanId)).status, 'failed');
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service });
  });
});
