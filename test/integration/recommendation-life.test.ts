import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createApprovalWaiters } from '../../adapters/temporal/approval-waiters.ts';
import { createSearchAttributeUse } from '../../adapters/temporal/search-attributes.ts';
import type { RecommendationRecord } from '../../domain/scan/scan.ts';
import { addSeconds } from '../../domain/time.ts';
import { migrationWorkflowId } from '../../workflows/names.ts';
import { localServers } from '../servers.ts';
import { createSkippingWorld, type SkippingWorld } from '../harness/time-skipping.ts';

const THIRTY_DAYS = 30 * 86_400;
const NO_STORE = () => {
  throw new Error('no store is needed here');
};

describe('the life of a recommendation', () => {
  let world: SkippingWorld;
  let waiters: ReturnType<typeof createApprovalWaiters>;

  before(async () => {
    const { timeSkippingServer, mongodbUri } = await localServers();
    world = await createSkippingWorld({
      timeSkippingServer: await timeSkippingServer(),
      mongodbUri,
      queue: 'migrations',
      stores: { at: NO_STORE, of: NO_STORE, transferAt: NO_STORE },
    });
    waiters = createApprovalWaiters({
      client: world.env.client,
      searchAttributes: createSearchAttributeUse(() => performance.now()),
      now: world.now,
    });
  });
  after(() => world?.close());

  async function recommend(connectionId: string = randomUUID()): Promise<RecommendationRecord> {
    await world.readClock();
    const scanId = randomUUID();
    const recommendation: RecommendationRecord = {
      recommendationId: randomUUID(),
      accountId: 'somebody',
      connectionId,
      scanId,
      kind: 'move',
      bucket: 'bucket',
      region: 'us-east-1',
      selector: {
        prefix: null,
        storageClass: null,
        minAgeDays: null,
        maxAgeDays: null,
        minSizeBytes: null,
      },
      objects: 1,
      bytes: 1,
      currentMonthlyCostUsd: 1,
      optimalMonthlyCostUsd: 0,
      monthlySavingsUsd: 1,
      recommendedProvider: 'b2',
      recommendedStorageClass: 'STANDARD',
      options: [],
      confidence: 0.9,
      reasons: [],
      blockers: [],
      status: 'open',
      expiresAt: addSeconds(world.now(), THIRTY_DAYS),
      approval: null,
    };
    await world.records.recommendations.replace(scanId, [recommendation]);
    await waiters.start(recommendation);
    return recommendation;
  }

  const statusOf = async (recommendation: RecommendationRecord) =>
    (await world.records.recommendations.find(recommendation))?.status;
  const handleOf = ({ recommendationId }: RecommendationRecord) =>
    world.env.client.workflow.getHandle(migrationWorkflowId(recommendationId));

  // spec: migration.never-by-itself
  it('is open for 30 days, and expires then by the workflow that waited', async () => {
    const recommendation = await recommend();
    await world.env.sleep('29 days');
    await world.readClock();
    assert.equal(await statusOf(recommendation), 'open');
    await handleOf(recommendation).result();
    await world.readClock();
    assert.ok(world.now() >= recommendation.expiresAt);
    assert.equal(await statusOf(recommendation), 'expired');
  });

  it('is started once, however often it is asked for', async () => {
    const recommendation = await recommend();
    await Promise.all([1, 2, 3].map(() => waiters.start(recommendation)));
    await handleOf(recommendation).result();
    assert.equal(await statusOf(recommendation), 'expired');
    // Nor again after its end.
    await waiters.start(recommendation);
    assert.equal((await handleOf(recommendation).describe()).status.name, 'COMPLETED');
  });

  it('ends when a newer scan supersedes it, and so does the wait', async () => {
    const { recommendations } = world.records;
    const older = await recommend();
    const other = await recommend();
    const newer = await recommend(older.connectionId);
    await recommendations.supersede(older.connectionId, newer.scanId, world.now());
    assert.equal(await statusOf(older), 'superseded');
    assert.equal(await statusOf(newer), 'open');
    assert.equal(await statusOf(other), 'open');
    const awaited = await recommendations.supersededButAwaited(older.connectionId);
    assert.deepEqual(awaited, [older.recommendationId]);
    await waiters.dismiss(older.recommendationId, 'superseded');
    await waiters.dismiss(older.recommendationId, 'superseded');
    await recommendations.forgetWaiter(older.recommendationId);
    assert.deepEqual(await recommendations.supersededButAwaited(older.connectionId), []);
    assert.equal((await handleOf(older).describe()).status.name, 'TERMINATED');
  });

  it('is not brought back by a waiter that wakes too late to matter', async () => {
    const recommendation = await recommend();
    const { connectionId } = recommendation;
    await world.records.recommendations.supersede(connectionId, randomUUID(), world.now());
    await handleOf(recommendation).result();
    await world.readClock();
    assert.equal(await statusOf(recommendation), 'superseded');
  });
});
