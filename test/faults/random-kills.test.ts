import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { toCredentials } from '../../dev/first-account.ts';
import type { Service, ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { createCustomer, eventually, openDatabase, type Customer } from '../harness/customer.ts';
import { drillsOf } from '../harness/drill.ts';
import { recordAcknowledgements } from '../harness/invariants/acknowledgements.ts';
import { assertInvariants } from '../harness/invariants.ts';
import {
  assertIdentical,
  createMigrationCustomer,
  objectsOf,
  type MigrationCustomer,
  type SideFault,
} from '../harness/migration-customer.ts';
import { createClient, StorageRoutingError } from '../../sdk/src/index.ts';
import { isLongForm } from '../long-form.ts';
import { startOwnStack, startServiceOn } from '../servers.ts';

const KILLS_PER_ROUND = 5;
const KILLS = isLongForm ? 1_000 : KILLS_PER_ROUND;
const UPLOADERS = 4;
const PAUSE_MS = 200;
const OUTAGE_MS = 10_000;
const BETWEEN_KILLS_MS = 3_000;
const OBJECTS = 400;
/** Files in the sample of a drill. */
const DRILLED = 3;
/** The large ones, which are copied in parts, are few: what matters is where a kill hits. */
const sizeOf = (n: number): number =>
  n % 200 === 0 ? 70_000_000 : n % 40 === 0 ? 9_000_000 : n % 2 === 0 ? 0 : 60_000;
/** Slow enough for kills in every phase. */
const SLOW: readonly SideFault[] = [
  { side: 'source', effect: 'latency', operation: 'GetObject', latencyMs: 300 },
  { side: 'source', effect: 'latency', operation: 'ListObjectsV2', latencyMs: 300 },
  { side: 'target', effect: 'latency', operation: 'UploadPart', latencyMs: 300 },
  { side: 'target', effect: 'latency', operation: 'ListObjectsV2', latencyMs: 300 },
];
/** The windows of the uploads close within a round. */
const WINDOW = {
  UPLOAD_URL_SECONDS: '30',
  UPLOAD_GRACE_SECONDS: '5',
  DOWNLOAD_URL_SECONDS: '5',
  RELOCATION_DRAIN_SECONDS: '1',
};

/** `FIRE_SEED` repeats the kills of a run; the moments of a machine are its own. */
const seed = Number(process.env['FIRE_SEED'] ?? randomInt(2 ** 31));

describe(`random kills under load, seed ${seed}`, function () {
  this.timeout(600_000);
  const randomKill = createRandom(seed);
  // A generator of its own: the order of the uploaders' calls is not the same in each run.
  const random = createRandom(seed + 1);

  for (let killed = 0; killed < KILLS; killed += KILLS_PER_ROUND) {
    it(`lose nothing (kills ${killed + 1} to ${killed + KILLS_PER_ROUND})`, async () => {
      const stack = await startOwnStack({ persistent: true });
      let service: Service | undefined;
      try {
        service = await startServiceOn(stack, {
          workerCount: 2,
          environment: {
            ...WINDOW,
            DEFAULT_PLAN: 'enterprise',
            PROVIDER_ENDPOINT_B2: stack.cloud?.s3Endpoint ?? '',
          },
        });
        await endure(stack, service);
      } finally {
        await service?.stop();
        await stack.stop();
      }
    });
  }

  /** Uploads, deletes, relocations, drills, a scan and a migration while processes are killed; then everything is whole. */
  async function endure(stack: Stack, service: Service): Promise<void> {
    const acknowledged = recordAcknowledgements();
    const { baseUrl } = service;
    const customer = await createCustomer(stack, baseUrl, ['aws', 'r2'], acknowledged.send);
    const moving = await createMigrationCustomer(stack, baseUrl);
    moving.put(objectsOf(OBJECTS, sizeOf));
    moving.addFaults(SLOW);
    const r2 = toCredentials('r2', stack.environment).bucketName;
    const over = new AbortController();
    const load = [
      ...Array.from({ length: UPLOADERS }, () => keepUploading(customer, over.signal)),
      keepRelocating(customer, r2, over.signal),
      keepDrilling(customer, r2, over.signal),
    ];
    const move = scanAndMove(moving, over.signal);
    // Awaited below; a failure before is reported there.
    move.catch(() => undefined);
    try {
      await killAtRandom(stack, [...service.apis, ...service.workers]);
    } finally {
      over.abort();
      await Promise.all(load);
    }
    moving.double.clearFaults();
    await move;
    await untilRelocated(stack, customer);
    await untilDrilled(customer);
    assert.ok(acknowledged.files.size > KILLS_PER_ROUND, 'there was hardly any load');
    await assertInvariants({ stack, service, acknowledged, migrating: [moving] });
  }

  async function killAtRandom(stack: Stack, victims: readonly ServiceProcess[]): Promise<void> {
    const servers = [stack.mongodb, stack.temporal, stack.r2];
    const outageAt = Math.floor(randomKill() * KILLS_PER_ROUND);
    for (let kill = 0; kill < KILLS_PER_ROUND; kill += 1) {
      await wait(randomKill() * BETWEEN_KILLS_MS);
      const victim = victims[Math.floor(randomKill() * victims.length)] ?? assert.fail();
      await victim.kill('SIGKILL');
      await victim.restart();
      if (kill !== outageAt) continue;
      const server = servers[Math.floor(randomKill() * servers.length)] ?? assert.fail();
      await server.pause();
      await wait(OUTAGE_MS);
      server.resume();
    }
  }

  /** Whatever fails is left as it is: only what was acknowledged has to be kept. */
  async function keepUploading(customer: Customer, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      try {
        const priority = random() < 0.5 ? 'hot' : 'cold';
        const { fileId } = await (random() < 0.8
          ? customer.send({ priority })
          : customer.init({ priority }));
        if (random() < 0.8) await customer.complete(fileId);
        if (random() < 0.3) await customer.delete(fileId);
      } catch {
        // The API is away.
      }
      await wait(PAUSE_MS);
    }
  }

  /** From R2 to AWS, and back as far as old objects let it. */
  async function keepRelocating(customer: Customer, r2: string, over: AbortSignal): Promise<void> {
    const { baseUrl, token } = customer;
    const { relocations } = createClient({ baseUrl, dashboardToken: token });
    const there = { from: { provider: 'r2', bucketName: r2 }, to: 'aws', maxTotalUsd: 1 };
    let request = there;
    while (!over.aborted) {
      try {
        const { relocationId, to } = await relocations.start(request);
        const signal = AbortSignal.any([over, AbortSignal.timeout(BETWEEN_KILLS_MS)]);
        await relocations.waitFor(relocationId, { signal, pollMs: PAUSE_MS });
        const from = { provider: to.provider, bucketName: to.bucketName };
        request = to.provider === 'aws' ? { from, to: 'r2', maxTotalUsd: 1 } : there;
      } catch {
        // The API is away, or it takes longer.
      }
      await wait(PAUSE_MS);
    }
  }

  /** From R2 to AWS, one after the other; some are cancelled. */
  async function keepDrilling(customer: Customer, r2: string, over: AbortSignal): Promise<void> {
    const drills = drillsOf(customer);
    const from = { provider: 'r2', bucketName: r2 };
    while (!over.aborted) {
      try {
        const request = { from, to: 'aws', sample: { files: DRILLED }, maxTotalUsd: 1 };
        const { drillId } = await drills.start(request);
        if (random() < 0.2) await drills.cancel(drillId);
        const signal = AbortSignal.any([over, AbortSignal.timeout(BETWEEN_KILLS_MS)]);
        await drills.waitFor(drillId, { signal, pollMs: PAUSE_MS });
      } catch {
        // The API is away, or it takes longer.
      }
      await wait(PAUSE_MS);
    }
  }

  /** Every drill has ended, and left nothing. */
  async function untilDrilled(customer: Customer): Promise<void> {
    const drills = drillsOf(customer);
    const { items } = await drills.list();
    assert.ok(items.length > 0, 'no drill has begun');
    for (const { drillId } of items) {
      const { status, removed, error } = await drills.waitFor(drillId, { pollMs: PAUSE_MS });
      assert.ok(removed && status !== 'failed', JSON.stringify({ drillId, status, error }));
    }
  }

  /** Every relocation has ended, and no old object waits. */
  async function untilRelocated(stack: Stack, { accountId }: Customer): Promise<void> {
    const database = await openDatabase(stack);
    try {
      const begun = await database.read('relocations', { accountId });
      assert.ok(
        begun.some(({ movedAt }) => movedAt),
        'no relocation has moved a file',
      );
      const left = { accountId, nextAttemptAt: { $exists: true } };
      await eventually('nothing of a relocation is left', async () => {
        return (await database.read('relocations', left)).length === 0;
      });
    } finally {
      await database.close();
    }
  }

  async function scanAndMove(customer: MigrationCustomer, killsOver: AbortSignal): Promise<void> {
    /** Asks until there is an answer: for as long as processes are killed, and then not much longer. */
    const insist = async <T>(what: string, ask: () => Promise<T>): Promise<T> => {
      let answer: { readonly value: T } | undefined;
      const isAnswered = async () => {
        answer = await ask().then(
          (value) => ({ value }),
          () => undefined,
        );
        return answer !== undefined;
      };
      while (!killsOver.aborted && !(await isAnswered())) await wait(PAUSE_MS);
      if (answer === undefined) await eventually(what, isAnswered);
      return answer?.value ?? assert.fail(what);
    };
    const { client } = customer;
    const connectionId = await insist('the role is connected', () => customer.connect());
    const scanId = await insist('a scan has started', async () => {
      const { items } = await client.scanner.history();
      return items[0]?.scanId ?? (await client.scanner.start(connectionId)).scanId;
    });
    const scan = await insist('the scan has ended', () => customer.ended(scanId));
    assert.equal(scan.status, 'completed');
    const found = scan.recommendations.find(({ kind }) => kind === 'move');
    assert.ok(found);
    const migrationId = await insist('the move is approved', () =>
      customer.approve(found.recommendationId),
    );
    const migration = await insist('the migration has ended', () => customer.migrated(migrationId));
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    assert.equal(migration.progress.objectsCopied, OBJECTS);
    const bytes = Array.from({ length: OBJECTS }, (_unused, n) => sizeOf(n));
    assert.equal(
      migration.progress.bytesCopied,
      bytes.reduce((sum, each) => sum + each, 0),
    );
    const report = (id: string) => insist('the report is read', () => customer.report(id));
    await assertIdentical({ ...customer, report }, migration);
    await moveTheRest(customer, migrationId, insist);
  }

  /** The source changes; a round copies it, and the release check proves it. */
  async function moveTheRest(
    customer: MigrationCustomer,
    migrationId: string,
    insist: <T>(what: string, ask: () => Promise<T>) => Promise<T>,
  ): Promise<void> {
    const { migrations } = customer.client;
    customer.put(objectsOf(OBJECTS + 50, (n) => (n % 3 === 0 ? sizeOf(n) : 30_000)));
    await insist('a round has started', () =>
      migrations.startRound(migrationId, { maxTotalUsd: 100 }).catch(ifRunning),
    );
    const round = await insist('the round has ended', () => customer.migrated(migrationId));
    assert.equal(round.status, 'completed', JSON.stringify(round));
    await insist('a check has begun', () => migrations.beginRelease(migrationId));
    const release = await insist('the check has ended', () =>
      migrations.waitForRelease(migrationId, { pollMs: 50 }),
    );
    assert.deepEqual([release.status, release.objects], ['ready', OBJECTS + 50]);
    const { source, target, hashes } = customer;
    const expected = [...(await hashes(source))].map(([key, hash]) => [`${source}/${key}`, hash]);
    assert.deepEqual([...(await hashes(target))], expected);
  }
});

function ifRunning(error: unknown): void {
  if (!(error instanceof StorageRoutingError && error.code === 'migration_running')) throw error;
}

/** A linear congruential generator: the same numbers from 0 to 1 for the same seed. */
function createRandom(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
