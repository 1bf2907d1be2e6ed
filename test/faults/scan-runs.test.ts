import assert from 'node:assert/strict';
import { scanWorkflowId } from '../../messages/names.ts';
import { scanProgress } from '../../messages/scan.ts';
import { createClient, type ScanResult } from '../../sdk/src/index.ts';
import { createCloudCustomer, slowDown, type CloudCustomer } from '../harness/cloud-customer.ts';
import { startDividedRuns, type DividedRuns } from '../harness/divided-runs.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { storeMigration } from '../harness/stored-migration.ts';
import { fetchRuns, runsWith } from '../harness/workflow-runs.ts';

const BUCKETS = 12;
const MOVED = ['moved-1', 'moved-2', 'moved-3', 'moved-4'];
const KILLS = 2;
const TERABYTE = 1e12;

describe('a scan of many runs', function () {
  this.timeout(240_000);
  let divided: DividedRuns;
  /** The results of single runs, with and without the buckets that cannot be read. */
  let undivided: { readonly whole: ScanResult; readonly refused: ScanResult };
  let customer: CloudCustomer;
  let connectionId: string;

  before(async () => {
    divided = await startDividedRuns('scans');
    customer = await createCloudCustomer(divided.stack, divided.service.baseUrl);
    await seedAccount();
    connectionId = await customer.connect();
    undivided = await scanUndivided();
  });
  after(() => divided?.stop());
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
    const records = divided.openRecords();
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
    const other = await divided.startUndivided();
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

  const handle = (runId?: string) =>
    divided.temporal.workflow.getHandle(scanWorkflowId(connectionId), runId);

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

    const all = await fetchRuns(divided.temporal, scanWorkflowId(connectionId));
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
    await divided.killBetweenRuns(scanWorkflowId(connectionId), KILLS);
    const scan = await customer.ended(scanId);
    customer.double.clearFaults();
    assert.equal(scan.status, 'completed', JSON.stringify(scan.error));
    assert.deepEqual(figuresOf(scan), figuresOf(undivided.whole));
  });

  it('keeps what operators see of it, and ends as failed when they cancel a later run', async () => {
    slowDown(customer);
    const { scanId } = await customer.client.scanner.start(connectionId);
    const first = await handle().describe();
    const workflowId = scanWorkflowId(connectionId);
    const second = await divided.untilRun(workflowId, first.runId);
    await divided.untilRun(workflowId, second);
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
    await assertInvariants(divided);
  });
});
