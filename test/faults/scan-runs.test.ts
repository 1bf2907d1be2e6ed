import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import { openRecords, type Records } from '../../adapters/mongo/records.ts';
import { startService, type Service, type ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { scanWorkflowId } from '../../messages/names.ts';
import { scanProgress } from '../../messages/scan.ts';
import { createClient, type ScanResult } from '../../sdk/src/index.ts';
import { createCloudCustomer, slowDown, type CloudCustomer } from '../harness/cloud-customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { storeMigration } from '../harness/stored-migration.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { fetchRuns, runsWith, type WorkflowRun } from '../harness/workflow-runs.ts';
import { isolatedServers, startOwnStack } from '../servers.ts';

/** Enough for one round of slices: each run does little. */
const EVENTS_PER_RUN = 12;
const BUCKETS = 12;
const MOVED = ['moved-1', 'moved-2', 'moved-3', 'moved-4'];
const KILLS = 2;
const TERABYTE = 1e12;

describe('a scan of many runs', function () {
  this.timeout(240_000);
  let stack: Stack;
  let service: Service;
  let worker: ServiceProcess;
  /** The results of single runs, with and without the buckets that cannot be read. */
  let undivided: { readonly whole: ScanResult; readonly refused: ScanResult };
  let customer: CloudCustomer;
  let connectionId: string;
  let records: Records;
  let temporal: Client;

  before(async () => {
    stack = await startOwnStack({ eventsPerRun: EVENTS_PER_RUN });
    service = await startService(stack, {
      workerCount: 0,
      environment: { DEFAULT_PLAN: 'enterprise' },
    });
    worker = await service.addWorker({ WORKER_QUEUES: 'scans' });
    records = openRecords({
      uri: stack.environment['MONGODB_URI'] ?? '',
      database: stack.environment['MONGODB_DATABASE'] ?? '',
    });
    temporal = await openTemporalClient(stack);
    customer = await createCloudCustomer(stack, service.baseUrl);
    await seedAccount();
    connectionId = await customer.connect();
    undivided = await scanUndivided();
  });
  after(async () => {
    await temporal?.connection.close();
    await records?.close();
    await service?.stop();
    await stack?.stop();
  });
  afterEach(() => customer.double.clearFaults());

  /** Small buckets, a large one, and some whose objects are migrated already. */
  async function seedAccount(): Promise<void> {
    const { double } = customer;
    for (let n = 0; n < BUCKETS; n += 1) {
      const bucket = customer.bucket(`small-${n}`);
      double.seed({ bucket, objects: [{ key: `logs/${n}.log`, size: n * TERABYTE }] });
    }
    double.seed({
      bucket: customer.bucket('large'),
      generated: [{ count: 40_000, keyPattern: 'k/{i:6}', size: 1000 }],
    });
    for (const name of MOVED) {
      const bucket = customer.bucket(name);
      double.seed({ bucket, objects: [{ key: 'a/large', size: TERABYTE, etag: 'e' }] });
    }
    const scan = await customer.scan();
    for (const { bucket, kind, recommendationId } of scan.recommendations) {
      if (kind !== 'move' || !bucket.startsWith('moved-')) continue;
      await storeMigration(records, {
        accountId: customer.accountId,
        scan,
        recommendationId,
        copied: [{ key: 'a/large', etag: 'e', sizeBytes: TERABYTE }],
        status: 'completed',
      });
    }
  }

  /**
   * Scans through a service on the same database and cloud, with a Temporal server of the usual limits.
   * It stops before the other scans begin: its sweep would not find their workflows.
   */
  async function scanUndivided(): Promise<typeof undivided> {
    const { TEMPORAL_ADDRESS = '', TEMPORAL_NAMESPACE = '' } = (await isolatedServers())
      .environment;
    const other = await startService(
      { ...stack, environment: { ...stack.environment, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE } },
      { environment: { DEFAULT_PLAN: 'enterprise', WORKER_QUEUES: 'scans' } },
    );
    const client = createClient({ baseUrl: other.baseUrl, dashboardToken: customer.token });
    const scan = async () => {
      const { scanId } = await client.scanner.start(connectionId);
      return await client.scanner.waitFor(scanId, { pollMs: 200 });
    };
    const whole = await scan();
    refuseMoved();
    const refused = await scan();
    customer.double.clearFaults();
    await other.stop();
    return { whole, refused };
  }

  /** A reconciliation whose bucket cannot be read takes a slice for itself. */
  function refuseMoved(): void {
    for (const name of MOVED)
      customer.double.addFault({ effect: 'access_denied', bucket: customer.bucketName(name) });
  }

  /** A large bucket takes several slices. */
  function slowLarge(): void {
    const bucket = customer.bucketName('large');
    customer.double.addFault({
      effect: 'latency',
      operation: 'ListObjectsV2',
      bucket,
      latencyMs: 3_500,
    });
  }

  const runs = (): Promise<WorkflowRun[]> => fetchRuns(temporal, scanWorkflowId(connectionId));
  const handle = (runId?: string) =>
    temporal.workflow.getHandle(scanWorkflowId(connectionId), runId);

  /** What depends neither on when the scan was made nor on how its slices were cut. */
  function figuresOf({ buckets, summary, progress, decisionReport, recommendations }: ScanResult) {
    return {
      buckets,
      summary,
      progress,
      decisionReport,
      recommendations: recommendations.map(
        ({ recommendationId: _id, expiresAt: _expires, status: _status, ...rest }) => rest,
      ),
    };
  }

  async function untilRun(after: string): Promise<string> {
    let runId = after;
    const isNext = async () => {
      ({ runId } = await handle().describe());
      return runId !== after;
    };
    assert.ok(await isSoon(isNext, { withinMs: 60_000, everyMs: 20 }));
    return runId;
  }

  it('has the result of one of a single run, and shows its progress in each', async () => {
    refuseMoved();
    slowLarge();
    const { scanId } = await customer.client.scanner.start(connectionId);
    const seen: ScanResult[] = [];
    const scan = await customer.client.scanner.waitFor(scanId, {
      pollMs: 50,
      onProgress: (result) => void seen.push(result),
    });
    assert.equal(scan.status, 'completed', JSON.stringify(scan.error));
    assert.deepEqual(figuresOf(scan), figuresOf(undivided.refused));

    const all = await runs();
    assert.ok(runsWith(all, 'listBucket') >= 3, `${runsWith(all, 'listBucket')} listing runs`);
    assert.ok(runsWith(all, 'reconcileSource') >= 2, 'reconciling runs');
    assert.deepEqual([runsWith(all, 'openScan'), runsWith(all, 'concludeScan')], [1, 1]);
    // A query of an ended run replays it.
    const views = [];
    for (const { runId } of all) views.push(await handle(runId).query(scanProgress, scanId));
    for (const [at, view] of views.entries()) {
      assert.equal(view?.status, 'running');
      assert.equal(view.progress.bucketsTotal, BUCKETS + MOVED.length + 1);
      assert.ok(view.progress.bucketsDone >= (views[at - 1]?.progress.bucketsDone ?? 0));
      assert.ok(view.progress.objects >= (views[at - 1]?.progress.objects ?? 0));
    }
    const done = seen.filter(({ source }) => source === 'live').map((each) => each.progress);
    assert.ok(done.every(({ objects }, at) => objects >= (done[at - 1]?.objects ?? 0)));
  });

  it('goes on when its worker is killed between two runs', async () => {
    slowLarge();
    const { scanId } = await customer.client.scanner.start(connectionId);
    let { runId } = await handle().describe();
    for (let kill = 0; kill < KILLS; kill += 1) {
      runId = await untilRun(runId);
      await worker.kill('SIGKILL');
      await worker.restart();
    }
    const scan = await customer.ended(scanId);
    customer.double.clearFaults();
    assert.equal(scan.status, 'completed', JSON.stringify(scan.error));
    assert.deepEqual(figuresOf(scan), figuresOf(undivided.whole));
  });

  it('keeps what operators see of it', async () => {
    slowDown(customer);
    const { scanId } = await customer.client.scanner.start(connectionId);
    const first = await handle().describe();
    const second = await untilRun(first.runId);
    await untilRun(second);
    const later = await handle().describe();
    assert.deepEqual(later.memo, first.memo);
    const attributes = ['AccountId', 'Kind', 'Provider'].map(
      (name) => later.searchAttributes[name]?.[0],
    );
    assert.deepEqual(attributes, [customer.accountId, 'scan', 'aws']);
    assert.deepEqual(later.searchAttributes['Phase'], ['listing']);
    // Temporal does not pass the summary on, so the details name the scan; and the earlier buckets.
    const details = await detailsOf(later.runId);
    assert.match(details, new RegExp(`Scan ${scanId}`));
    const earlier = (await detailsOf(second)).match(/[a-z0-9-]+-\d{12}/g) ?? [];
    assert.ok(earlier.length > 0);
    for (const name of earlier) assert.ok(details.includes(name), `${name} in ${details}`);
    await customer.ended(scanId);
  });

  it('ends as failed when an operator cancels a later run', async () => {
    slowLarge();
    const { scanId } = await customer.client.scanner.start(connectionId);
    const { runId } = await handle().describe();
    await untilRun(runId);
    await handle().cancel();
    const scan = await customer.ended(scanId);
    assert.deepEqual(
      [scan.status, scan.error?.code, scan.error?.message],
      ['failed', 'internal_error', 'The scan was cancelled by an operator.'],
    );
  });

  async function detailsOf(runId: string): Promise<string> {
    const shown = await handle(runId).query<{ currentDetails?: string }>(
      '__temporal_workflow_metadata',
    );
    return shown.currentDetails ?? '';
  }

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service });
  });
});
