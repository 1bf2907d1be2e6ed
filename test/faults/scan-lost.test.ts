import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import type { Service, ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { scanWorkflowId } from '../../messages/names.ts';
import { createCloudCustomer, slowDown, untilRunning } from '../harness/cloud-customer.ts';
import { openDatabase } from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { startIsolatedService } from '../servers.ts';

const OBJECTS = 20_000;
/** Half a minute to the next sweep, 15 s after the end of the run, and slack. */
const HEALED_WITHIN_MS = 75_000;

describe('a scan whose workflow is lost', function () {
  this.timeout(300_000);
  let stack: Stack;
  let service: Service;
  let worker: ServiceProcess;
  let temporal: Client;
  let database: Awaited<ReturnType<typeof openDatabase>>;
  /** They begin together, because most of their time is a wait for the sweep. */
  const outcomes = new Map<string, Promise<void>>();

  before(async () => {
    ({ stack, service } = await startIsolatedService({
      workerCount: 2,
      environment: { DEFAULT_PLAN: 'starter', WORKER_QUEUES: 'scans,migrations' },
    }));
    [worker = assert.fail()] = service.workers;
    temporal = await openTemporalClient(stack);
    database = await openDatabase(stack);
    for (const [title, story] of Object.entries(STORIES)) {
      const outcome = story();
      // Awaited by its test, which may come later.
      outcome.catch(() => undefined);
      outcomes.set(title, outcome);
    }
  });
  after(async () => {
    await Promise.allSettled(outcomes.values());
    await database?.close();
    await temporal?.connection.close();
    await service?.stop();
  });

  async function start(isSlow: boolean) {
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
    if (isSlow) slowDown(customer, 1_000);
    const connectionId = await customer.connect();
    const { scanId } = await customer.client.scanner.start(connectionId);
    if (isSlow) await untilRunning(customer, scanId);
    return { customer, connectionId, scanId };
  }
  type Started = Awaited<ReturnType<typeof start>>;

  const handleOf = ({ connectionId }: Started) =>
    temporal.workflow.getHandle(scanWorkflowId(connectionId));
  const terminate = async (scan: Started) => await handleOf(scan).terminate('a mistake');

  /** Waits until a lost scan runs again under its own id. */
  async function assertHeals(scan: Started): Promise<void> {
    const isOpen = async () => {
      const { status, memo } = await handleOf(scan).describe();
      return status.name === 'RUNNING' && memo?.['scanId'] === scan.scanId;
    };
    const options = { withinMs: HEALED_WITHIN_MS, everyMs: 250 };
    assert.ok(await isSoon(isOpen, options), 'it is not started again');
  }

  /** Its result equals that of an undisturbed scan, and it is counted once. */
  async function assertWhole({ customer, scanId }: Started): Promise<void> {
    const scan = await customer.ended(scanId);
    assert.equal(scan.status, 'completed', JSON.stringify(scan.error));
    const { buckets, summary } = await customer.scan();
    assert.deepEqual([scan.buckets, scan.summary], [buckets, summary]);
    assert.equal(scan.summary.objects, OBJECTS);
    const [counted] = await database.read('scanQuota', { accountId: customer.accountId });
    const { scanIds } = (counted ?? assert.fail()) as unknown as { scanIds: string[] };
    assert.equal(scanIds.filter((id) => id === scanId).length, 1);
    assert.equal(scanIds.length, 2);
  }

  const STORIES: Readonly<Record<string, () => Promise<void>>> = {
    async 'by a termination continues under its id, and completes with the right figures'() {
      const scan = await start(true);
      await terminate(scan);
      await assertHeals(scan);
      await assertWhole(scan);
    },
    async 'before its first activity, and while its worker is killed, completes'() {
      const scan = await start(false);
      await Promise.all([terminate(scan), worker.kill('SIGKILL')]);
      await worker.restart();
      await assertHeals(scan);
      await assertWhole(scan);
    },
    async 'by the deletion of its run completes'() {
      const scan = await start(true);
      await temporal.workflowService.deleteWorkflowExecution({
        namespace: temporal.options.namespace,
        workflowExecution: { workflowId: scanWorkflowId(scan.connectionId) },
      });
      await assertWhole(scan);
    },
    async 'is replaced by the next scan of its connection, and fails'() {
      const scan = await start(true);
      await terminate(scan);
      const { customer, connectionId, scanId } = scan;
      const next = await customer.client.scanner.start(connectionId);
      assert.equal((await customer.ended(next.scanId)).status, 'completed');
      assert.equal((await customer.ended(scanId)).status, 'failed');
    },
  };

  for (const title of Object.keys(STORIES))
    it(title, async () => await (outcomes.get(title) ?? assert.fail()));

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service });
  });
});
