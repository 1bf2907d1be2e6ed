import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createMigrationCommands } from '../../adapters/temporal/migration-commands.ts';
import { Workflows } from '../../adapters/temporal/workflows.ts';
import type { RecommendationRecord } from '../../domain/recommendations/recommendation.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { migrationWorkflowId } from '../../messages/names.ts';
import { localServers } from '../servers.ts';
import { recordOfMove } from '../harness/stored-recommendation.ts';
import { createTimeSkippingHarness, type TimeSkippingHarness } from '../harness/time-skipping.ts';
import { fakeAccountStores } from '../harness/catalogue.ts';

const THIRTY_DAYS = 30 * 86_400;

describe('the life of a recommendation', () => {
  let harness: TimeSkippingHarness;
  let migrationCommands: ReturnType<typeof createMigrationCommands>;

  before(async () => {
    const { timeSkippingServer, mongodbUri } = await localServers();
    harness = await createTimeSkippingHarness({
      timeSkippingServer: await timeSkippingServer(),
      mongodbUri,
      queue: 'migrations',
      stores: fakeAccountStores({}),
    });
    migrationCommands = createMigrationCommands(new Workflows(harness.env.client), harness.now);
  });
  after(() => harness?.close());

  async function recommend(connectionId: string = randomUUID()): Promise<RecommendationRecord> {
    await harness.readClock();
    const expiresAt = addSeconds(harness.now(), THIRTY_DAYS);
    const recommendation = recordOfMove({ accountId: 'customer' }, { connectionId, expiresAt });
    await harness.records.recommendations.replaceRecommendations(
      { ...recommendation, revision: 0 },
      [recommendation],
    );
    await migrationCommands.startMigration(recommendation);
    return recommendation;
  }

  const statusOf = async (recommendation: RecommendationRecord) =>
    (await harness.records.recommendations.findRecommendation(recommendation))?.status;
  const handleOf = ({ recommendationId }: RecommendationRecord) =>
    harness.env.client.workflow.getHandle(migrationWorkflowId(recommendationId));

  // spec: migration.never-by-itself
  it('is open for 30 days, and expires then by the workflow that waited', async () => {
    const recommendation = await recommend();
    // It is started once, however often it is asked for.
    await Promise.all([1, 2, 3].map(() => migrationCommands.startMigration(recommendation)));
    await harness.env.sleep('29 days');
    await harness.readClock();
    assert.equal(await statusOf(recommendation), 'open');
    await handleOf(recommendation).result();
    await harness.readClock();
    assert.ok(harness.now() >= recommendation.expiresAt);
    assert.equal(await statusOf(recommendation), 'expired');
    // Nor again after its end.
    await migrationCommands.startMigration(recommendation);
    assert.equal((await handleOf(recommendation).describe()).status.name, 'COMPLETED');
  });

  it('stays superseded when its workflow wakes later', async () => {
    const recommendation = await recommend();
    const { connectionId } = recommendation;
    await harness.records.recommendations.supersedeAll(connectionId, harness.now());
    await handleOf(recommendation).result();
    await harness.readClock();
    assert.equal(await statusOf(recommendation), 'superseded');
  });
});
