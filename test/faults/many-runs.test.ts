import assert from 'node:assert/strict';
import { WorkflowFailedError, type Client } from '@temporalio/client';
import { openRecords, type Records } from '../../adapters/mongo/records.ts';
import type { Service } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { migrationProgress } from '../../messages/migration.ts';
import { migrationWorkflowId, scanWorkflowId } from '../../messages/names.ts';
import { scanProgress } from '../../messages/scan.ts';
import {
  createClient,
  type Migration,
  type ScanResult,
  type StorageRoutingClient,
} from '../../sdk/src/index.ts';
import {
  createCloudCustomer,
  REGIONS,
  slowDown,
  type CloudCustomer,
} from '../harness/cloud-customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import {
  createMigrationCustomer,
  objectsOf,
  untilCopied,
  type ApprovedMove,
  type MigrationCustomer,
  type SideFault,
} from '../harness/migration-customer.ts';
import { itInLanes } from '../harness/side-by-side.ts';
import { storeMigration } from '../harness/stored-migration.ts';
import { insertMove } from '../harness/stored-recommendation.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { fetchRuns, runsWith, withoutSummary } from '../harness/workflow-runs.ts';
import { isolatedServers, startOwnStack, startServiceOn } from '../servers.ts';

/** Enough for one round of slices, or for one sweep and its wait: each run does little. */
const EVENTS_PER_RUN = 12;
const BUCKETS = 12;
const MOVED = ['moved-1', 'moved-2', 'moved-3', 'moved-4'];
const TERABYTE = 1e12;
/** A month: somewhat more than what is stored, so that the moves pay. */
const READ_GB = 90_000;
/** Five pages. */
const MANY = 4_100;
/** Three pages, read slowly. */
const FEW = 2_100;
const OBJECT_BYTES = 16;
const PHASES = ['queued', 'planning', 'copying', 'verifying', 'completed'];
const SWEEPS = ['sweep-uploads', 'sweep-scans', 'sweep-migrations'] as const;

const slowSource = (operation: string, latencyMs: number): SideFault => ({
  effect: 'latency',
  operation,
  side: 'source',
  latencyMs,
});

/** Two pages in a slice, two slices in a run. */
const SLOW_LISTING = slowSource('ListObjectsV2', 4_500);

/** A service and the database that it uses. */
interface Side {
  readonly service: Service;
  readonly records: Records;
}

/** Workflows continue as new after a dozen events; those of one other service do not. */
describe('over many runs,', function () {
  this.timeout(240_000);
  let stack: Stack;
  let temporal: Client;
  let divided: Side;
  let single: Side;
  const sides: Side[] = [];
  const migrating: MigrationCustomer[] = [];

  before(async () => {
    stack = await startOwnStack({ eventsPerRun: EVENTS_PER_RUN });
    temporal = await openTemporalClient(stack);
    divided = await openSide({});
    const usual = (await isolatedServers()).environment;
    single = await openSide({
      TEMPORAL_ADDRESS: usual['TEMPORAL_ADDRESS'] ?? '',
      TEMPORAL_NAMESPACE: usual['TEMPORAL_NAMESPACE'] ?? '',
      MONGODB_DATABASE: 'single',
    });
  });
  after(async () => {
    await temporal?.connection.close();
    await Promise.all(sides.flatMap(({ service, records }) => [service.stop(), records.close()]));
    await stack?.stop();
  });

  async function openSide(changes: Readonly<Record<string, string>>): Promise<Side> {
    const environment = { ...stack.environment, ...changes };
    const service = await startServiceOn(
      { ...stack, environment },
      {
        environment: {
          DEFAULT_PLAN: 'enterprise',
          PROVIDER_ENDPOINT_B2: stack.cloud?.s3Endpoint ?? '',
        },
      },
    );
    const { MONGODB_URI: uri = '', MONGODB_DATABASE: database = '' } = environment;
    const side = { service, records: openRecords({ uri, database }) };
    sides.push(side);
    return side;
  }

  /** Waits for the run after this one, and returns its id. */
  async function untilRun(workflowId: string, after: string): Promise<string> {
    let runId = after;
    const isNext = async () => {
      ({ runId } = await temporal.workflow.getHandle(workflowId).describe());
      return runId !== after;
    };
    assert.ok(await isSoon(isNext, { withinMs: 60_000, everyMs: 20 }));
    return runId;
  }
  async function detailsOf(workflowId: string, runId?: string): Promise<string> {
    const shown = await temporal.workflow
      .getHandle(workflowId, runId)
      .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    return shown.currentDetails ?? '';
  }

  const listed = async (scheduleId: string, status = '') => {
    const found: { workflowId: string; runId: string }[] = [];
    const query = `TemporalScheduledById = "${scheduleId}"${status}`;
    for await (const { workflowId, runId } of temporal.workflow.list({ query }))
      found.push({ workflowId, runId });
    return found;
  };
  const open = (scheduleId: string) => listed(scheduleId, ' AND ExecutionStatus = "Running"');

  const SWEEP_STORIES = {
    async 'a sweep is one workflow'() {
      const runsOf = async (scheduleId: string) => {
        const [first] = await listed(scheduleId);
        return first ? await fetchRuns(temporal, first.workflowId) : [];
      };
      const hasContinued = async (scheduleId: string) => (await runsOf(scheduleId)).length >= 2;
      for (const scheduleId of SWEEPS) {
        // The second run begins after a minute, when the schedule would have started another workflow.
        assert.ok(
          await isSoon(() => hasContinued(scheduleId), { withinMs: 180_000, everyMs: 2_000 }),
        );
        const workflowIds = new Set((await listed(scheduleId)).map(({ workflowId }) => workflowId));
        assert.equal(workflowIds.size, 1, [...workflowIds].join(', '));
        const runs = await runsOf(scheduleId);
        assert.ok(runs.length <= 8, `${runs.length} runs`);
        assert.equal((await open(scheduleId)).length, 1);
        assert.ok(runs.length - runsWith(runs, activityOf(scheduleId)) <= 1);
        assert.deepEqual(
          runs.flatMap(({ history }) => withoutSummary(history)),
          [],
        );
      }
    },
    async 'a sweep is started again where its run was ended'() {
      const running = await Promise.all(SWEEPS.map(open));
      for (const { workflowId } of running.flat())
        await temporal.workflow.getHandle(workflowId).terminate('tried');
      const areBack = async () =>
        (await Promise.all(SWEEPS.map(open))).every((runs) => runs.length === 1);
      assert.ok(await isSoon(areBack, { withinMs: 75_000, everyMs: 1_000 }));
    },
    async 'a sweep says in its details what the latest one has found'() {
      for (const [run = assert.fail()] of await Promise.all(SWEEPS.map(open))) {
        let details = '';
        const isShown = async () => {
          details = await detailsOf(run.workflowId);
          return /^The sweep of \d{4}-\S+Z: (nothing was due|\d+ running)\.$/.test(details);
        };
        assert.ok(await isSoon(isShown, { withinMs: 20_000 }), details);
      }
    },
  };

  /** A connection of the customer to a service, which has migrated some of the objects. */
  async function connectTo({ records }: Side, client: StorageRoutingClient, of: CloudCustomer) {
    const { roleArn, externalId, accountId } = of;
    const role = { roleArn, externalId, regions: REGIONS };
    const { connectionId } = await client.scanner.connect(role);
    const start = async () => (await client.scanner.start(connectionId)).scanId;
    const scan = await client.scanner.waitFor(await start(), { pollMs: 200 });
    for (const { bucket, kind, recommendationId } of scan.recommendations) {
      if (kind !== 'move' || !bucket.startsWith('moved-')) continue;
      const copied = [{ key: 'a/large', etag: 'e', sizeBytes: TERABYTE }];
      const migration = { accountId, scan, recommendationId, copied };
      await storeMigration(records, { ...migration, status: 'completed' });
    }
    return { start, workflowId: scanWorkflowId(connectionId) };
  }

  /** Small buckets, a large one, and some whose objects are migrated already. */
  async function seededCustomer(): Promise<CloudCustomer> {
    const customer = await createCloudCustomer(stack, divided.service.baseUrl);
    customer.readFromInternet(READ_GB);
    const { double } = customer;
    for (let n = 0; n < BUCKETS; n += 1) {
      const bucket = customer.bucket(`small-${n}`);
      double.seed({ bucket, objects: [{ key: `logs/${n}.log`, size: n * TERABYTE }] });
    }
    double.seed({
      bucket: customer.bucket('large'),
      generated: [{ count: 12_000, keyPattern: 'k/{i:6}', size: 1000 }],
    });
    for (const name of MOVED) {
      const bucket = customer.bucket(name);
      double.seed({ bucket, objects: [{ key: 'a/large', size: TERABYTE, etag: 'e' }] });
    }
    return customer;
  }

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

  let scanned: CloudCustomer;
  let ofScanned: Awaited<ReturnType<typeof connectTo>>;
  const SCAN_STORIES = {
    async 'a scan has the result of one of a single run, and shows its progress in each'() {
      scanned = await seededCustomer();
      const { client, double, token: dashboardToken } = scanned;
      const other = createClient({ baseUrl: single.service.baseUrl, dashboardToken });
      ofScanned = await connectTo(divided, client, scanned);
      const ofSingle = await connectTo(single, other, scanned);
      // A reconciliation whose bucket cannot be read takes a slice for itself.
      for (const name of MOVED)
        double.addFault({ effect: 'access_denied', bucket: scanned.bucketName(name) });
      const expected = await other.scanner.waitFor(await ofSingle.start(), { pollMs: 200 });
      // It takes several slices.
      const large = { operation: 'ListObjectsV2', bucket: scanned.bucketName('large') };
      double.addFault({ effect: 'latency', ...large, latencyMs: 3_500 });
      const scanId = await ofScanned.start();
      const seen: ScanResult[] = [];
      const scan = await client.scanner.waitFor(scanId, {
        pollMs: 50,
        onProgress: (result) => void seen.push(result),
      });
      assert.equal(scan.status, 'completed', JSON.stringify(scan.error));
      assert.deepEqual(figuresOf(scan), figuresOf(expected));

      const all = await fetchRuns(temporal, ofScanned.workflowId);
      assert.ok(runsWith(all, 'listBucket') >= 3, `${runsWith(all, 'listBucket')} listing runs`);
      assert.ok(runsWith(all, 'reconcileSource') >= 2, 'reconciling runs');
      assert.deepEqual([runsWith(all, 'openScan'), runsWith(all, 'concludeScan')], [1, 1]);
      // A query of an ended run replays it.
      const views = [];
      for (const { runId } of all) {
        const run = temporal.workflow.getHandle(ofScanned.workflowId, runId);
        views.push(await run.query(scanProgress, scanId));
      }
      for (const [at, view] of views.entries()) {
        assert.equal(view?.status, 'running');
        assert.equal(view.progress.bucketsTotal, BUCKETS + MOVED.length + 1);
        assert.ok(view.progress.bucketsDone >= (views[at - 1]?.progress.bucketsDone ?? 0));
        assert.ok(view.progress.objects >= (views[at - 1]?.progress.objects ?? 0));
      }
      const done = seen.filter(({ source }) => source === 'live').map((each) => each.progress);
      assert.ok(done.every(({ objects }, at) => objects >= (done[at - 1]?.objects ?? 0)));
    },
    async 'a scan keeps what operators see of it, and ends as failed when they cancel a later run'() {
      slowDown(scanned);
      const scanId = await ofScanned.start();
      const { workflowId } = ofScanned;
      const handle = temporal.workflow.getHandle(workflowId);
      const first = await handle.describe();
      const second = await untilRun(workflowId, first.runId);
      await untilRun(workflowId, second);
      const later = await handle.describe();
      assert.deepEqual(later.memo, first.memo);
      const attributes = ['AccountId', 'Kind', 'Provider', 'Phase'].map(
        (name) => later.searchAttributes[name]?.[0],
      );
      assert.deepEqual(attributes, [scanned.accountId, 'scan', 'aws', 'listing']);
      // Temporal does not pass the summary on, so the details name the scan; and the earlier buckets.
      const details = await detailsOf(workflowId, later.runId);
      assert.match(details, new RegExp(`Scan ${scanId}`));
      const earlier = (await detailsOf(workflowId, second)).match(/[a-z0-9-]+-\d{12}/g) ?? [];
      assert.ok(earlier.length > 0);
      for (const name of earlier) assert.ok(details.includes(name), `${name} in ${details}`);
      await handle.cancel();
      const scan = await scanned.ended(scanId);
      assert.deepEqual(
        [scan.status, scan.error?.code, scan.error?.message],
        ['failed', 'internal_error', 'The scan was cancelled by an operator.'],
      );
    },
  };

  /** A migration of many small objects, without a scan. */
  async function migrate(
    { service, records }: Side,
    objects: number,
    faults: readonly SideFault[],
  ): Promise<ApprovedMove> {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    migrating.push(customer);
    customer.put(objectsOf(objects, () => OBJECT_BYTES));
    customer.addFaults(faults);
    const recommendationId = await insertMove(records, {
      accountId: customer.accountId,
      bucket: customer.source,
      region: 'us-east-1',
      objects,
      bytes: objects * OBJECT_BYTES,
    });
    return { customer, recommendationId, migrationId: await customer.approve(recommendationId) };
  }

  /** What does not depend on the time and the buckets. */
  /**
   * Without the attempts: the stores are in this process, which other stories keep busy, so that a read may exceed its time
   * in either migration.
   */
  async function linesOf({ customer, migrationId }: ApprovedMove) {
    const lines = await customer.report(migrationId);
    return lines
      .map(({ at: _at, attempts: _attempts, targetKey: _target, ...line }) => line)
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  function assertGrowing(progress: readonly { readonly status: string; settled: number }[]): void {
    for (const [at, { status, settled }] of progress.entries()) {
      const before = progress[at - 1];
      if (!before) continue;
      assert.ok(settled >= before.settled, `${settled} after ${before.settled}`);
      assert.ok(PHASES.indexOf(status) >= PHASES.indexOf(before.status), status);
    }
  }

  const MIGRATION_STORIES = {
    async 'a migration has the report of one of a single run, and shows its progress in each'() {
      const other = await migrate(single, MANY, []);
      const expected = await other.customer.migrated(other.migrationId);
      const move = await migrate(divided, MANY, [SLOW_LISTING]);
      const seen: Migration[] = [];
      const migration = await move.customer.client.migrations.waitFor(move.migrationId, {
        pollMs: 200,
        onProgress: (each) => void seen.push(each),
      });
      assert.equal(migration.status, 'completed', JSON.stringify(migration));
      assert.deepEqual(migration.progress, expected.progress);
      assert.deepEqual(await linesOf(move), await linesOf(other));

      const workflowId = migrationWorkflowId(move.recommendationId);
      const runs = await fetchRuns(temporal, workflowId);
      for (const activity of ['buildManifest', 'copyPages'])
        assert.ok(runsWith(runs, activity) >= 2, `${runsWith(runs, activity)} of ${activity}`);
      for (const activity of ['tryStores', 'beginVerifying', 'endMigration'])
        assert.equal(runsWith(runs, activity), 1, activity);
      // A query of an ended run replays it.
      const views = [];
      for (const { runId } of runs) {
        const view = await temporal.workflow.getHandle(workflowId, runId).query(migrationProgress);
        const { status, progress } = view ?? assert.fail(`run ${runId} does not know it`);
        views.push({ status, settled: progress.counts.bytesSettled });
      }
      assertGrowing(views);
      assertGrowing(
        seen.map(({ status, progress }) => ({ status, settled: progress.objectsCopied })),
      );
    },
    async 'a migration ends as cancelled in a later run, which says so while it ends'() {
      const move = await migrate(divided, FEW, [slowSource('GetObject', 500)]);
      const { migrations } = move.customer.client;
      const workflowId = migrationWorkflowId(move.recommendationId);
      const handle = temporal.workflow.getHandle(workflowId);
      await untilCopied(move);
      const first = await handle.describe();
      await untilRun(workflowId, first.runId);
      await migrations.cancel(move.migrationId);
      const migration = await migrations.waitFor(move.migrationId, { pollMs: 200 });
      assert.equal(migration.status, 'cancelled');
      const runs = await fetchRuns(temporal, workflowId);
      assert.deepEqual(
        runs.map(({ activities }) => activities.includes('beginCancelling')),
        runs.map((_run, at) => at > 0 && at === runs.length - 1),
      );
      await assert.rejects(handle.result(), WorkflowFailedError);
      // What operators see of its last run.
      const ended = await handle.describe();
      assert.equal(ended.status.name, 'CANCELLED');
      const attributes = ['AccountId', 'Kind', 'Provider', 'Phase'].map(
        (name) => ended.searchAttributes[name]?.[0],
      );
      assert.deepEqual(attributes, [move.customer.accountId, 'migration', 'b2', 'cancelled']);
      assert.deepEqual(ended.memo, first.memo);
    },
  };

  const ROUND_STORIES = {
    async 'a round copies what is new and what has changed, and the check of the source after it proves that'() {
      const { customer, migrationId } = await migrate(divided, 1, [SLOW_LISTING]);
      const { migrations } = customer.client;
      await customer.migrated(migrationId);
      // The one object among them.
      customer.put(objectsOf(MANY, () => OBJECT_BYTES + 1));
      await migrations.startRound(migrationId, { maxTotalUsd: 1 });
      const round = await customer.migrated(migrationId);
      assert.equal(round.status, 'completed', JSON.stringify(round));
      assert.deepEqual([round.progress.objectsCopied, round.rounds[1]?.objectsGone], [MANY, 0]);
      const runs = await fetchRuns(temporal, migrationWorkflowId(migrationId, 2));
      for (const activity of ['buildManifest', 'copyPages'])
        assert.ok(runsWith(runs, activity) >= 2, `${runsWith(runs, activity)} of ${activity}`);
      await migrations.beginRelease(migrationId);
      const release = await migrations.waitForRelease(migrationId, { pollMs: 200 });
      assert.deepEqual([release.status, release.objects], ['ready', MANY]);
    },
  };

  itInLanes(SWEEP_STORIES, SCAN_STORIES, MIGRATION_STORIES, ROUND_STORIES);

  it('every invariant stays intact', async () => {
    await assertInvariants({ stack, service: divided.service, migrating });
  });
});

/** `sweep-uploads` runs `sweepUploads`. */
function activityOf(scheduleId: string): string {
  return scheduleId.replace(/-(\w)/, (_dash, letter: string) => letter.toUpperCase());
}
