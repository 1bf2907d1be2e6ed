import assert from 'node:assert/strict';
import { isSoon } from '../../dev/system/probes.ts';
import { startService, type Service, type ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import type { ScanResult } from '../../sdk/src/index.ts';
import { createCloudCustomer, type CloudCustomer } from '../harness/cloud-customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { startOwnStack } from '../servers.ts';

const KILLS = 5;
const OBJECTS = 40_000;

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)?/g;

describe('the death of a worker in the middle of a scan', () => {
  let stack: Stack;
  let service: Service;
  let worker: ServiceProcess;
  let customer: CloudCustomer;

  before(async () => {
    stack = await startOwnStack();
    service = await startService(stack, {
      workerCount: 0,
      environment: { DEFAULT_PLAN: 'enterprise' },
    });
    customer = await createCloudCustomer(stack, service.baseUrl);
    const bucket = customer.bucket('large');
    customer.double.seed({
      bucket,
      // Dates far from any band's edge: the scans begin at different moments.
      generated: ['2026-11-10', '2026-09-20', '2026-05-01', '2024-01-01'].map((date, family) => ({
        count: OBJECTS / 4,
        keyPattern: `${family}-{i/10000:3}/file-{i:7}.jpg`,
        size: [1_000, 200_000, 70_000_000, 6_000_000_000],
        lastModified: `${date}T00:00:00Z`,
        storageClass: ['STANDARD', 'STANDARD_IA', 'GLACIER'],
      })),
    });
    customer.double.seed({ bucket: customer.bucket('small'), objects: [{ key: 'x', size: 1 }] });
  });
  after(async () => {
    await service?.stop();
    await stack?.stop();
  });

  const slow = () =>
    customer.double.addFault({
      effect: 'latency',
      operation: 'ListObjectsV2',
      bucket: customer.bucketName('large'),
      latencyMs: 700,
    });
  const requestsFor = () => customer.double.counts().byOperation['ListObjectsV2'] ?? 0;

  /** What does not depend on when the scan was made. */
  function figuresOf({ buckets, summary, recommendations, decisionReport }: ScanResult) {
    return {
      buckets,
      summary,
      decisionReport,
      recommendations: recommendations.map(
        ({ recommendationId: _id, expiresAt: _expires, status: _status, howTo, ...rest }) => ({
          ...rest,
          // Its commands select by the time of the scan.
          howTo: howTo && JSON.stringify(howTo).replace(TIME, 'then'),
        }),
      ),
    };
  }

  // spec: scanner-sequence.background-job
  it('has not started: the database shows a queued scan', async () => {
    const connectionId = await customer.connect();
    const { scanId } = await customer.client.scanner.start(connectionId);
    const waiting = await customer.client.scanner.results(scanId);
    assert.deepEqual([waiting.status, waiting.source], ['queued', 'stored']);
    worker = await service.addWorker({ WORKER_QUEUES: 'scans' });
    const scan = await customer.ended(scanId);
    assert.equal(scan.status, 'completed');
    assert.equal(scan.summary.objects, OBJECTS + 1);
  });

  it(`${KILLS} times leads to the same result as none`, async () => {
    // The same moment, so that every age is the same.
    const undisturbed = await customer.scan();
    slow();
    const { scanId } = await customer.client.scanner.start(await customer.connect());
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const before = requestsFor();
      const isReading = async () => requestsFor() > before;
      assert.ok(await isSoon(isReading, { withinMs: 60_000, everyMs: 20 }), `kill ${kill}`);
      assert.equal((await customer.client.scanner.results(scanId)).status, 'running');
      await worker.kill('SIGKILL');
      await worker.restart();
    }
    customer.double.clearFaults();
    const scan = await customer.ended(scanId);
    assert.equal(scan.status, 'completed');
    assert.deepEqual(figuresOf(scan), figuresOf(undisturbed));
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service });
  });
});
