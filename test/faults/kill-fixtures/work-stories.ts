import assert from 'node:assert/strict';
import { createClient, type StorageRoutingClient } from '../../../sdk/src/index.ts';
import { REGIONS } from '../../harness/cloud-customer.ts';
import { eventually } from '../../harness/customer.ts';
import {
  assertIdentical,
  createMigrationCustomer,
  recommendedMove,
  objectsOf,
  type MigrationCustomer,
  type RecommendedMove,
  type SideFault,
} from '../../harness/migration-customer.ts';
import type { Scene, Stage, Story } from './story.ts';

const OBJECTS = 60;
const OBJECT_BYTES = 200_000;
/** A migration that is not over before it is cancelled. */
const SLOW: SideFault = {
  side: 'target',
  effect: 'latency',
  operation: 'PutObject',
  key: '*/o/*',
  latencyMs: 5_000,
};
/** The worker waits between the write of its test object at the target and the delete of it. */
const HELD_TEST_OBJECT: SideFault = {
  side: 'target',
  effect: 'hang',
  operation: 'DeleteObject',
  key: '*canary*',
  times: 1,
};

export const WORK_STORIES = {
  connect: connecting(false),
  'repeated connect': connecting(true),
  async 'start of a scan'(stage) {
    const customer = await filled(stage);
    const connectionId = await customer.connect();
    return async () => ({
      about: customer.accountId,
      go: () => victimOf(stage, customer).scanner.start(connectionId),
      atRest: () => assertScanned(customer),
    });
  },
  async scan(stage) {
    const customer = await filled(stage);
    const connectionId = await customer.connect();
    const worker = stage.processes.scans;
    return async () => {
      await worker.kill();
      const { scanId } = await customer.client.scanner.start(connectionId);
      const waiting = await customer.client.scanner.results(scanId);
      assert.deepEqual([waiting.status, waiting.source], ['queued', 'stored']);
      return {
        about: scanId,
        go: () => worker.restart(),
        atRest: () => assertScanned(customer),
      };
    };
  },
  approval: moving([], async (stage, { customer, recommendationId }) => ({
    about: recommendationId,
    go: () => approve(victimOf(stage, customer), recommendationId),
    async atRest() {
      const migrationId = await customer.approve(recommendationId);
      await assertMigrated(customer, migrationId, 'completed');
    },
  })),
  migration: moving([], beginMigration),
  'release after a migration': moving([], async (stage, move) => ({
    ...(await beginMigration(stage, move)),
    about: move.recommendationId,
  })),
  'migration that tries its target': moving([HELD_TEST_OBJECT], async (stage, move) => {
    const scene = await beginMigration(stage, move);
    return {
      ...scene,
      reached: () => untilTestObject(move.customer),
      async assertEnd() {
        const written = move.customer.double
          .requests()
          .filter(({ operation }) => operation === 'PutObject')
          .filter(({ bucket, key }) => bucket === move.customer.target && key?.includes('canary'));
        assert.ok(written.length >= 2);
        assert.equal(new Set(written.map(({ key }) => key)).size, 1, 'one name per migration');
      },
    };
  }),
  'migration that is cancelled meanwhile': moving([HELD_TEST_OBJECT], async (stage, move) => {
    const { customer } = move;
    const migrationId = await approveWithout(stage, move);
    return {
      go: () => stage.processes.migrations.restart(),
      reached: () => untilTestObject(customer),
      meanwhile: () => customer.client.migrations.cancel(migrationId),
      atRest: () => assertMigrated(customer, migrationId, 'cancelled'),
    };
  }),
  cancellation: moving([SLOW], async (stage, { customer, recommendationId }) => {
    const migrationId = await customer.approve(recommendationId);
    return {
      about: migrationId,
      go: () => victimOf(stage, customer).migrations.cancel(migrationId),
      async atRest() {
        await customer.client.migrations.cancel(migrationId);
        await assertMigrated(customer, migrationId, 'cancelled');
      },
    };
  }),
} as const satisfies Record<string, Story>;

function connecting(isKnown: boolean): Story {
  return async (stage) => {
    const customer = await filled(stage);
    if (isKnown) await customer.connect();
    const { roleArn, externalId, client } = customer;
    const role = { roleArn, externalId, regions: REGIONS };
    return async () => ({
      about: roleArn,
      go: () => victimOf(stage, customer).scanner.connect(role),
      async atRest() {
        assert.equal((await customer.scan()).status, 'completed');
        assert.equal((await client.scanner.connections()).items.length, 1);
      },
    });
  };
}

function moving(
  faults: readonly SideFault[],
  begin: (stage: Stage, move: RecommendedMove) => Promise<Scene>,
): Story {
  return async (stage) => {
    const objects = objectsOf(OBJECTS, () => OBJECT_BYTES);
    const move = await recommendedMove(stage.suite, { objects, faults });
    return () => begin(stage, move);
  };
}

/** The migration waits for its worker, which begins with it. */
async function approveWithout(stage: Stage, move: RecommendedMove): Promise<string> {
  await stage.processes.migrations.kill();
  return await move.customer.approve(move.recommendationId);
}

async function beginMigration(stage: Stage, move: RecommendedMove): Promise<Scene> {
  const migrationId = await approveWithout(stage, move);
  return {
    about: migrationId,
    go: () => stage.processes.migrations.restart(),
    atRest: () => assertMigrated(move.customer, migrationId, 'completed'),
  };
}

async function filled({ suite }: Stage): Promise<MigrationCustomer> {
  const customer = await createMigrationCustomer(suite.stack, suite.service.baseUrl);
  suite.migrating.push(customer);
  customer.put(objectsOf(OBJECTS, () => OBJECT_BYTES));
  return customer;
}

/** The customer's calls of the API that is killed. */
function victimOf({ processes }: Stage, { token }: MigrationCustomer): StorageRoutingClient {
  return createClient({ baseUrl: processes.api.url, dashboardToken: token });
}

async function approve(client: StorageRoutingClient, recommendationId: string): Promise<unknown> {
  return await client.migrations.approve(recommendationId, { targetProvider: 'b2' });
}

async function untilTestObject({ target, hashes }: MigrationCustomer): Promise<void> {
  await eventually('the test object is written', async () =>
    [...(await hashes(target)).keys()].some((key) => key.includes('canary')),
  );
}

/** The customer's only scan has completed, with the figures of one that nothing has disturbed. */
async function assertScanned(customer: MigrationCustomer): Promise<void> {
  const history = async () => (await customer.client.scanner.history()).items;
  await eventually('the scan is stored', async () => (await history()).length > 0);
  const [scan, ...others] = await history();
  assert.ok(scan && others.length === 0);
  const { status, buckets, summary } = await customer.ended(scan.scanId);
  assert.deepEqual([status, summary.objects], ['completed', OBJECTS]);
  let again: Awaited<ReturnType<typeof customer.scan>> | undefined;
  await eventually('its connection can be scanned again', async () => {
    again = await customer.scan().catch(() => undefined);
    return again !== undefined;
  });
  assert.deepEqual([again?.buckets, again?.summary], [buckets, summary]);
}

async function assertMigrated(
  customer: MigrationCustomer,
  migrationId: string,
  expected: 'completed' | 'cancelled',
): Promise<void> {
  const migration = await customer.migrated(migrationId);
  assert.equal(migration.status, expected, JSON.stringify(migration));
  if (expected === 'completed') assert.equal(migration.progress.objectsCopied, OBJECTS);
  await assertIdentical(customer, migration);
}
