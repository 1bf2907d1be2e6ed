import assert from 'node:assert/strict';
import { WorkflowFailedError, type Client, type WorkflowHandle } from '@temporalio/client';
import { openRecords, type Records } from '../../adapters/mongo/records.ts';
import { startService, type Service, type ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { migrationProgress, type MigrationView } from '../../messages/migration.ts';
import { migrationWorkflowId } from '../../messages/names.ts';
import { createClient, type Migration, type StorageRoutingClient } from '../../sdk/src/index.ts';
import { assertInvariants } from '../harness/invariants.ts';
import {
  assertIdentical,
  createMigrationCustomer,
  type MigrationCustomer,
} from '../harness/migration-customer.ts';
import { insertMove } from '../harness/stored-recommendation.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { fetchRuns, runsWith } from '../harness/workflow-runs.ts';
import { isolatedServers, startOwnStack } from '../servers.ts';

/** Enough for one round of slices: each run does little. */
const EVENTS_PER_RUN = 12;
/** Five pages. */
const MANY = 4_100;
/** Three pages, read slowly. */
const FEW = 2_100;
const OBJECT_BYTES = 16;
const KILLS = 4;
const PHASES = ['planning', 'copying', 'verifying', 'completed'];

describe('a migration of many runs', function () {
  this.timeout(240_000);
  let stack: Stack;
  let service: Service;
  const migrating: MigrationCustomer[] = [];
  let worker: ServiceProcess;
  let undivided: Service;
  let records: Records;
  let temporal: Client;

  before(async () => {
    stack = await startOwnStack({ eventsPerRun: EVENTS_PER_RUN });
    const environment = {
      DEFAULT_PLAN: 'enterprise',
      PROVIDER_ENDPOINT_B2: stack.cloud?.s3Endpoint ?? '',
      WORKER_QUEUES: 'migrations',
    };
    service = await startService(stack, { workerCount: 0, environment });
    worker = await service.addWorker();
    // The same stores and another database, with a Temporal server of the usual limits.
    const local = await isolatedServers();
    const { TEMPORAL_ADDRESS = '', TEMPORAL_NAMESPACE = '' } = local.environment;
    const other = { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, MONGODB_DATABASE: 'undivided' };
    undivided = await startService(
      { ...stack, environment: { ...stack.environment, ...other } },
      { environment },
    );
    records = openRecordsOf('storage_routing');
    temporal = await openTemporalClient(stack);
  });
  after(async () => {
    await temporal?.connection.close();
    await records?.close();
    await Promise.all([service?.stop(), undivided?.stop()]);
    await stack?.stop();
  });

  const openRecordsOf = (database: string) =>
    openRecords({ uri: stack.environment['MONGODB_URI'] ?? '', database });

  interface Move {
    readonly customer: MigrationCustomer;
    readonly client: StorageRoutingClient;
    readonly recommendationId: string;
  }

  /** A customer with an approvable move of many small objects. */
  async function recommend(objects: number, at = service, stored = records): Promise<Move> {
    const customer = await createMigrationCustomer(stack, at.baseUrl);
    migrating.push(customer);
    customer.put(
      Array.from({ length: objects }, (_unused, n) => ({
        key: `o/${String(n).padStart(5, '0')}`,
        size: OBJECT_BYTES,
        seed: `${n % 10}`,
      })),
    );
    const client = createClient({ baseUrl: at.baseUrl, dashboardToken: customer.token });
    const recommendationId = await insertMove(stored, {
      accountId: customer.accountId,
      bucket: customer.source,
      region: 'us-east-1',
      objects,
      bytes: objects * OBJECT_BYTES,
    });
    return { customer, client, recommendationId };
  }

  const approve = async ({ client, recommendationId }: Move): Promise<string> =>
    (await client.migrations.approve(recommendationId, { targetProvider: 'b2' })).migrationId;

  const handleOf = ({ recommendationId }: Move, runId?: string): WorkflowHandle =>
    temporal.workflow.getHandle(migrationWorkflowId(recommendationId), runId);

  const slow = ({ customer }: Move, operation: string, bucket: string, latencyMs: number) =>
    customer.double.addFault({ effect: 'latency', operation, bucket, latencyMs });

  /** What does not depend on the time and the buckets. */
  async function linesOf({ customer }: Move, migrationId: string) {
    const lines = await customer.report(migrationId);
    return lines
      .map(({ at: _at, targetKey: _target, ...line }) => line)
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** What every run says of itself, the first one first: a query of an ended run replays it. */
  async function viewsOf(move: Move): Promise<MigrationView[]> {
    const views: MigrationView[] = [];
    const workflowId = migrationWorkflowId(move.recommendationId);
    for (const { runId } of await fetchRuns(temporal, workflowId)) {
      const view = await handleOf(move, runId).query(migrationProgress);
      views.push(view ?? assert.fail(`run ${runId} does not know it`));
    }
    return views;
  }

  function assertGrowing(progress: readonly { readonly status: string; settled: number }[]): void {
    for (const [at, { status, settled }] of progress.entries()) {
      const before = progress[at - 1];
      if (!before) continue;
      assert.ok(settled >= before.settled, `${settled} after ${before.settled}`);
      assert.ok(PHASES.indexOf(status) >= PHASES.indexOf(before.status), status);
    }
  }

  async function untilRun(move: Move, after: string): Promise<string> {
    let runId = after;
    const isNext = async () => {
      ({ runId } = await handleOf(move).describe());
      return runId !== after;
    };
    assert.ok(await isSoon(isNext, { withinMs: 60_000, everyMs: 20 }));
    return runId;
  }

  it('has the report of one of a single run, and shows its progress in each', async () => {
    const others = openRecordsOf('undivided');
    const undividedMove = await recommend(MANY, undivided, others);
    const expectedId = await approve(undividedMove);
    const expected = await undividedMove.customer.migrated(expectedId);
    const move = await recommend(MANY);
    // Two pages in a slice, two slices in a run.
    slow(move, 'ListObjectsV2', move.customer.source, 4_500);
    const migrationId = await approve(move);
    const seen: Migration[] = [];
    const migration = await move.client.migrations.waitFor(migrationId, {
      pollMs: 200,
      onProgress: (each) => void seen.push(each),
    });
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    assert.deepEqual(migration.progress, expected.progress);
    assert.deepEqual(await linesOf(move, migrationId), await linesOf(undividedMove, expectedId));
    await others.close();

    const runs = await fetchRuns(temporal, migrationWorkflowId(move.recommendationId));
    for (const activity of ['buildManifest', 'copyPages'])
      assert.ok(runsWith(runs, activity) >= 2, `${runsWith(runs, activity)} of ${activity}`);
    for (const activity of ['tryStores', 'beginVerifying', 'endMigration'])
      assert.equal(runsWith(runs, activity), 1, activity);
    const views = await viewsOf(move);
    assertGrowing(
      views.map(({ status, progress }) => ({ status, settled: progress.counts.bytesSettled })),
    );
    assertGrowing(
      seen.map(({ status, progress }) => ({
        status: status === 'queued' ? 'planning' : status,
        settled: progress.objectsCopied,
      })),
    );
  });

  it('goes on when its worker is killed between two runs', async () => {
    const move = await recommend(FEW);
    slow(move, 'GetObject', move.customer.source, 100);
    const migrationId = await approve(move);
    let { runId } = await handleOf(move).describe();
    for (let kill = 0; kill < KILLS; kill += 1) {
      runId = await untilRun(move, runId);
      await worker.kill('SIGKILL');
      await worker.restart();
    }
    move.customer.double.clearFaults();
    const migration = await move.customer.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    assert.equal(migration.progress.objectsCopied, FEW);
    await assertIdentical(move.customer, migration);
  });

  it('ends as cancelled in a later run, which says so while it ends', async () => {
    const move = await recommend(FEW);
    slow(move, 'GetObject', move.customer.source, 500);
    const migrationId = await approve(move);
    const isCopying = async () =>
      (await move.client.migrations.get(migrationId)).progress.objectsCopied > 0;
    assert.ok(await isSoon(isCopying, { withinMs: 60_000, everyMs: 50 }));
    const first = await handleOf(move).describe();
    await untilRun(move, first.runId);
    await move.client.migrations.cancel(migrationId);
    const seen = new Set<string>();
    const migration = await move.client.migrations.waitFor(migrationId, {
      pollMs: 20,
      onProgress: ({ status }) => void seen.add(status),
    });
    assert.equal(migration.status, 'cancelled');
    assert.ok(seen.has('cancelling'), [...seen].join());
    await assert.rejects(handleOf(move).result(), WorkflowFailedError);
    // What operators see of its last run.
    const ended = await handleOf(move).describe();
    assert.equal(ended.status.name, 'CANCELLED');
    const { AccountId, Kind, Provider, Phase } = ended.searchAttributes;
    assert.deepEqual(
      [AccountId, Kind, Provider, Phase].map((values) => values?.[0]),
      [move.customer.accountId, 'migration', 'b2', 'cancelled'],
    );
    assert.deepEqual(ended.memo, first.memo);
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service, migrating });
  });
});
