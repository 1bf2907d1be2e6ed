import assert from 'node:assert/strict';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import {
  createClient,
  StorageRoutingError,
  type StorageRoutingClient,
} from '../../../sdk/src/index.ts';
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

const OBJECTS = 20;
/** Of a migration that is cancelled. */
const MANY_OBJECTS = 60;
const OBJECT_BYTES = 200_000;
/** Of a migration that has completed before a story begins. */
const MOVED_OBJECTS = 20;
/** Many wait at once, most of them for a worker that is away. */
const POLL_MS = 500;
const ROUND = { maxTotalUsd: 1, removeAtMost: 1 };
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
    return async () => {
      const { scanId } = await customer.client.scanner.start(connectionId);
      const waiting = await customer.client.scanner.results(scanId);
      assert.deepEqual([waiting.status, waiting.source], ['queued', 'stored']);
      return { about: scanId, atRest: () => assertScanned(customer) };
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
  migration: moving([], (_stage, move) => beginMigration(move)),
  'release after a migration': moving([], async (_stage, move) => ({
    ...(await beginMigration(move)),
    about: move.recommendationId,
  })),
  'start of a round': moved(async (stage, customer, migrationId) => {
    await writeMeanwhile(customer);
    return {
      about: migrationId,
      go: () => victimOf(stage, customer).migrations.startRound(migrationId, ROUND),
      async atRest() {
        // One that was stored is started by the sweep; another one is refused while it runs.
        await customer.client.migrations.startRound(migrationId, ROUND).catch(ifRunning);
        await assertRound(customer, migrationId);
      },
    };
  }),
  round: moved(async (_stage, customer, migrationId) => {
    await writeMeanwhile(customer);
    await customer.client.migrations.startRound(migrationId, ROUND);
    return { about: migrationId, atRest: () => assertRound(customer, migrationId) };
  }),
  'start of a release check': moved(async (stage, customer, migrationId) => ({
    about: migrationId,
    go: () => victimOf(stage, customer).migrations.beginRelease(migrationId),
    atRest: () => assertReleased(customer, migrationId),
  })),
  'release check': moved(async ({ database }, customer, migrationId) => {
    const { release } = await customer.client.migrations.beginRelease(migrationId);
    assert.equal(release.status, 'checking');
    const [stored] = await database.read('releases', { _id: migrationId });
    const about = String(stored?.['releaseId']);
    return { about, atRest: () => assertReleased(customer, migrationId) };
  }),
  'migration that tries its target': moving([HELD_TEST_OBJECT], async (_stage, move) => {
    const scene = await beginMigration(move);
    return {
      ...scene,
      reached: () => untilTestObject(move.customer),
      async assertEnd() {
        const written = move.customer.double
          .requests()
          .filter(({ operation }) => operation === 'PutObject')
          .filter(({ bucket, key }) => bucket === move.customer.target && key?.includes('canary'))
          .filter(({ key }) => !key?.includes('-measured/'));
        assert.ok(written.length >= 2);
        assert.equal(new Set(written.map(({ key }) => key)).size, 1, 'one name per migration');
      },
    };
  }),
  'migration that is cancelled meanwhile': moving([HELD_TEST_OBJECT], async (_stage, move) => {
    const { customer } = move;
    const migrationId = await customer.approve(move.recommendationId);
    return {
      reached: () => untilTestObject(customer),
      meanwhile: () => customer.client.migrations.cancel(migrationId),
      atRest: () => assertMigrated(customer, migrationId, 'cancelled'),
    };
  }),
  cancellation: moving(
    [SLOW],
    async (stage, { customer, recommendationId }) => {
      const migrationId = await customer.approve(recommendationId);
      return {
        about: migrationId,
        go: () => victimOf(stage, customer).migrations.cancel(migrationId),
        async atRest() {
          await customer.client.migrations.cancel(migrationId);
          await assertMigrated(customer, migrationId, 'cancelled');
        },
      };
    },
    MANY_OBJECTS,
  ),
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
  count = OBJECTS,
): Story {
  return async (stage) => {
    const objects = objectsOf(count, () => OBJECT_BYTES);
    const move = await recommendedMove(stage.suite, { objects, faults });
    return () => begin(stage, move);
  };
}

/** A migration that has completed. */
function moved(
  begin: (stage: Stage, customer: MigrationCustomer, migrationId: string) => Promise<Scene>,
): Story {
  return async (stage) => {
    const objects = objectsOf(MOVED_OBJECTS, () => OBJECT_BYTES);
    const { customer, recommendationId } = await recommendedMove(stage.suite, { objects });
    const migrationId = await customer.approve(recommendationId);
    assert.equal((await customer.migrated(migrationId)).status, 'completed');
    return () => begin(stage, customer, migrationId);
  };
}

/** One object is new, one is changed, and one is gone. */
async function writeMeanwhile({ source: Bucket, s3For }: MigrationCustomer): Promise<void> {
  const s3 = s3For(Bucket);
  for (const Key of ['o/0001', 'o/new'])
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'written meanwhile' }));
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'o/0002' }));
}

function ifRunning(error: unknown): void {
  if (!(error instanceof StorageRoutingError && error.code === 'migration_running')) throw error;
}

/** The second round has done what a round without a kill does: once. */
async function assertRound(customer: MigrationCustomer, migrationId: string): Promise<void> {
  const { status, rounds } = await customer.migrated(migrationId, POLL_MS);
  assert.equal(status, 'completed', JSON.stringify(rounds));
  const counts = rounds.map((each) => [each.objectsCopied, each.objectsGone, each.objectsRemoved]);
  assert.deepEqual(counts, [
    [MOVED_OBJECTS, 0, 0],
    [2, 1, 1],
  ]);
  const { source, target, hashes } = customer;
  const expected = [...(await hashes(source))].map(([key, hash]) => [`${source}/${key}`, hash]);
  assert.deepEqual([...(await hashes(target))], expected);
  const lines = (await customer.report(migrationId)).filter(({ round }) => round === 2);
  assert.deepEqual(
    lines.map(({ key, outcome }) => `${key} ${outcome}`),
    ['o/0001 copied', 'o/new copied', 'o/0002 removed'],
  );
}

async function assertReleased(customer: MigrationCustomer, migrationId: string): Promise<void> {
  const { migrations } = customer.client;
  await eventually('a check is stored', async () => {
    const found = await migrations.release(migrationId).catch(() => undefined);
    return found !== undefined || (await migrations.beginRelease(migrationId)) !== undefined;
  });
  const { status, objects, rootHash } = await migrations.waitForRelease(migrationId, {
    pollMs: POLL_MS,
  });
  assert.deepEqual([status, objects], ['ready', MOVED_OBJECTS]);
  const keys: string[] = [];
  for await (const { key } of migrations.releasedObjects(migrationId)) keys.push(key);
  assert.equal(new Set(keys).size, MOVED_OBJECTS);
  await migrations.beginRelease(migrationId);
  const again = await migrations.waitForRelease(migrationId, { pollMs: 50 });
  assert.equal(again.rootHash, rootHash);
}

/** The migration waits for its worker. */
async function beginMigration({ customer, recommendationId }: RecommendedMove): Promise<Scene> {
  const migrationId = await customer.approve(recommendationId);
  return {
    about: migrationId,
    atRest: () => assertMigrated(customer, migrationId, 'completed'),
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
  const migration = await customer.migrated(migrationId, POLL_MS);
  assert.equal(migration.status, expected, JSON.stringify(migration));
  if (expected === 'completed') assert.equal(migration.progress.objectsCopied, OBJECTS);
  await assertIdentical(customer, migration);
}
