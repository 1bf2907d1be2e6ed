import assert from 'node:assert/strict';
import { WorkflowFailedError } from '@temporalio/client';
import type { Records } from '../../adapters/mongo/records.ts';
import type { Service } from '../../dev/service.ts';
import { migrationProgress } from '../../messages/migration.ts';
import { migrationWorkflowId } from '../../messages/names.ts';
import type { Migration } from '../../sdk/src/index.ts';
import { startDividedRuns, type DividedRuns } from '../harness/divided-runs.ts';
import { assertInvariants } from '../harness/invariants.ts';
import {
  assertIdentical,
  createMigrationCustomer,
  objectsOf,
  untilCopied,
  type ApprovedMove,
  type MigrationCustomer,
  type SideFault,
} from '../harness/migration-customer.ts';
import { insertMove } from '../harness/stored-recommendation.ts';
import { fetchRuns, runsWith } from '../harness/workflow-runs.ts';

/** Five pages. */
const MANY = 4_100;
/** Three pages, read slowly. */
const FEW = 2_100;
const OBJECT_BYTES = 16;
const KILLS = 4;
const PHASES = ['queued', 'planning', 'copying', 'verifying', 'completed'];

const slowSource = (operation: string, latencyMs: number): SideFault => ({
  effect: 'latency',
  operation,
  side: 'source',
  latencyMs,
});

describe('a migration of many runs', function () {
  this.timeout(240_000);
  let divided: DividedRuns;
  let service: Service;
  let records: Records;
  const migrating: MigrationCustomer[] = [];

  before(async () => {
    divided = await startDividedRuns('migrations');
    ({ service } = divided);
    records = divided.openRecords();
  });
  after(() => divided?.stop());

  /** A migration of many small objects, without a scan. */
  async function migrate(
    objects: number,
    faults: readonly SideFault[],
    at = service,
    stored = records,
  ): Promise<ApprovedMove> {
    const customer = await createMigrationCustomer(divided.stack, at.baseUrl);
    migrating.push(customer);
    customer.put(objectsOf(objects, () => OBJECT_BYTES));
    customer.addFaults(faults);
    const recommendationId = await insertMove(stored, {
      accountId: customer.accountId,
      bucket: customer.source,
      region: 'us-east-1',
      objects,
      bytes: objects * OBJECT_BYTES,
    });
    return { customer, recommendationId, migrationId: await customer.approve(recommendationId) };
  }

  const handleOf = ({ recommendationId }: ApprovedMove, runId?: string) =>
    divided.temporal.workflow.getHandle(migrationWorkflowId(recommendationId), runId);

  /** What does not depend on the time and the buckets. */
  async function linesOf({ customer, migrationId }: ApprovedMove) {
    const lines = await customer.report(migrationId);
    return lines
      .map(({ at: _at, targetKey: _target, ...line }) => line)
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

  it('has the report of one of a single run, and shows its progress in each', async () => {
    const other = await divided.startUndivided('undivided');
    const single = await migrate(MANY, [], other, divided.openRecords('undivided'));
    const expected = await single.customer.migrated(single.migrationId);
    // Two pages in a slice, two slices in a run.
    const move = await migrate(MANY, [slowSource('ListObjectsV2', 4_500)]);
    const seen: Migration[] = [];
    const migration = await move.customer.client.migrations.waitFor(move.migrationId, {
      pollMs: 200,
      onProgress: (each) => void seen.push(each),
    });
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    assert.deepEqual(migration.progress, expected.progress);
    assert.deepEqual(await linesOf(move), await linesOf(single));

    const workflowId = migrationWorkflowId(move.recommendationId);
    const runs = await fetchRuns(divided.temporal, workflowId);
    for (const activity of ['buildManifest', 'copyPages'])
      assert.ok(runsWith(runs, activity) >= 2, `${runsWith(runs, activity)} of ${activity}`);
    for (const activity of ['tryStores', 'beginVerifying', 'endMigration'])
      assert.equal(runsWith(runs, activity), 1, activity);
    // A query of an ended run replays it.
    const views = [];
    for (const { runId } of runs) {
      const view = await handleOf(move, runId).query(migrationProgress);
      const { status, progress } = view ?? assert.fail(`run ${runId} does not know it`);
      views.push({ status, settled: progress.counts.bytesSettled });
    }
    assertGrowing(views);
    assertGrowing(
      seen.map(({ status, progress }) => ({ status, settled: progress.objectsCopied })),
    );
  });

  it('goes on when its worker is killed between two runs', async () => {
    const { customer, ...move } = await migrate(FEW, [slowSource('GetObject', 100)]);
    await divided.killBetweenRuns(migrationWorkflowId(move.recommendationId), KILLS);
    customer.double.clearFaults();
    const migration = await customer.migrated(move.migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    assert.equal(migration.progress.objectsCopied, FEW);
    await assertIdentical(customer, migration);
  });

  it('ends as cancelled in a later run, which says so while it ends', async () => {
    const move = await migrate(FEW, [slowSource('GetObject', 500)]);
    const { migrations } = move.customer.client;
    await untilCopied(move);
    const first = await handleOf(move).describe();
    await divided.untilRun(migrationWorkflowId(move.recommendationId), first.runId);
    await migrations.cancel(move.migrationId);
    const seen = new Set<string>();
    const migration = await migrations.waitFor(move.migrationId, {
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
    await assertInvariants({ stack: divided.stack, service, migrating });
  });
});
