import assert from 'node:assert/strict';
import { startService, type Service, type ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { createClient, type StorageRoutingClient } from '../../sdk/src/index.ts';
import { REGIONS } from '../harness/cloud-customer.ts';
import { eventually } from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import {
  assertIdentical,
  createMigrationCustomer,
  type MigrationCustomer,
} from '../harness/migration-customer.ts';
import { openMongoProxy, type MongoProxy, type Write } from '../harness/mongo-proxy.ts';
import { startOwnStack } from '../servers.ts';

const OBJECTS = 60;
const OBJECT_BYTES = 200_000;
const POLL_MS = 250;

type ProcessName = 'api' | 'scans' | 'migrations';
/** A process is killed at one write of a case. */
interface KillPoint {
  readonly story: 'connect' | 'scan' | 'approval' | 'migration' | 'cancelled migration';
  readonly process: ProcessName;
  readonly after: string;
  readonly write: Write;
}

const afterWrite = (command: Write['command'], collection: string, nth = 1): Write => ({
  command,
  collection,
  nth,
  when: 'after',
});
const beforeWrite = (command: Write['command'], collection: string, nth = 1): Write => ({
  ...afterWrite(command, collection, nth),
  when: 'before',
});
const pointsOf = (
  story: KillPoint['story'],
  process: ProcessName,
  writes: readonly (readonly [string, Write])[],
): KillPoint[] => writes.map(([what, write]) => ({ story, process, after: what, write }));

/** Every write of a scan and of a migration, and each side of a call to a store or to Temporal. */
const KILL_POINTS: readonly KillPoint[] = [
  ...pointsOf('connect', 'api', [
    ['the insert', afterWrite('insert', 'connections')],
    ['the update', afterWrite('update', 'connections')],
  ]),
  ...pointsOf('scan', 'api', [
    ['the start of the workflow', beforeWrite('insert', 'scans')],
    ['the insert', afterWrite('insert', 'scans')],
  ]),
  ...pointsOf('scan', 'scans', [
    ['its opening', afterWrite('insert', 'scans')],
    ['the end of lost scans', afterWrite('update', 'scans')],
    ['the list of buckets at the account', beforeWrite('update', 'scans', 2)],
    ['the list of buckets', afterWrite('update', 'scans', 2)],
    ['the opening of a bucket', afterWrite('insert', 'scanBuckets')],
    ['a slice at the account', beforeWrite('update', 'scanBuckets')],
    ['a slice', afterWrite('update', 'scanBuckets')],
    ['the decision', afterWrite('update', 'scanBuckets', 2)],
    ['a recommendation', afterWrite('insert', 'recommendations')],
    ['the end of older recommendations', afterWrite('update', 'recommendations')],
    ['the start of the workflows', beforeWrite('update', 'scans', 3)],
    ['the end', afterWrite('update', 'scans', 3)],
  ]),
  ...pointsOf('approval', 'api', [
    ['the approval', afterWrite('update', 'recommendations')],
    ['the reads, before its write', beforeWrite('update', 'recommendations')],
  ]),
  ...pointsOf('migration', 'migrations', [
    ['its opening', afterWrite('insert', 'migrations')],
    ['the trial of the stores', beforeWrite('update', 'migrations')],
    ['the note of the trial', afterWrite('update', 'migrations')],
    ['the listing of a page', beforeWrite('insert', 'manifestPages')],
    ['a page of the manifest', afterWrite('insert', 'manifestPages')],
    ['the second write of the planning', afterWrite('update', 'migrations', 2)],
    ['the begin of a page', afterWrite('insert', 'manifestCounts')],
    ['the copies, before their lines', beforeWrite('insert', 'ledger')],
    ['the lines', afterWrite('insert', 'ledger')],
    ['the counts of a page', afterWrite('update', 'manifestCounts')],
    ['the begin of the verification', afterWrite('update', 'migrations', 3)],
    ['the reason of the end', afterWrite('update', 'migrations', 4)],
    ['the end', afterWrite('update', 'migrations', 5)],
    ['the release of the recommendation', afterWrite('update', 'recommendations')],
  ]),
  ...pointsOf('cancelled migration', 'api', [
    ['the request', afterWrite('update', 'recommendations')],
    ['the reads, before its write', beforeWrite('update', 'recommendations')],
  ]),
];

describe('a process that scans or migrates and is killed', function () {
  this.timeout(300_000);
  let stack: Stack;
  let service: Service;
  const lines = new Map<ProcessName, MongoProxy>();
  const processes = new Map<ProcessName, ServiceProcess>();
  const migrating: MigrationCustomer[] = [];
  const ends = new Map<KillPoint, Promise<void>>();

  before(async () => {
    stack = await startOwnStack();
    for (const name of ['api', 'scans', 'migrations'] as const)
      lines.set(name, await openMongoProxy(stack.environment['MONGODB_URI'] ?? ''));
    service = await startService(stack, {
      workerCount: 0,
      environment: {
        DEFAULT_PLAN: 'enterprise',
        PROVIDER_ENDPOINT_B2: stack.cloud?.s3Endpoint ?? '',
      },
    });
    // The first API is never killed: the customers' other calls and the waits go there.
    processes.set('api', await service.addApi({ MONGODB_URI: lineOf('api').uri }));
    for (const name of ['scans', 'migrations'] as const) {
      const environment = { WORKER_QUEUES: name, MONGODB_URI: lineOf(name).uri };
      processes.set(name, await service.addWorker(environment));
    }
    await service.addWorker({ WORKER_QUEUES: 'uploads' });
  });
  after(async () => {
    await Promise.allSettled(ends.values());
    await service?.stop();
    await Promise.all([...lines.values()].map((line) => line.close()));
    await stack?.stop();
  });

  const lineOf = (name: ProcessName): MongoProxy => lines.get(name) ?? assert.fail();
  const processOf = (name: ProcessName): ServiceProcess => processes.get(name) ?? assert.fail();

  for (const point of KILL_POINTS) {
    it(`${point.process} at a ${point.story}, after ${point.after}, is replaced`, async () => {
      const customer = await createMigrationCustomer(stack, service.baseUrl);
      migrating.push(customer);
      customer.put(
        Array.from({ length: OBJECTS }, (_unused, n) => ({
          key: `objects/${String(n).padStart(3, '0')}`,
          size: OBJECT_BYTES,
          seed: `${n}`,
        })),
      );
      const { end } = await tell(point, customer);
      ends.set(point, end);
      end.catch(() => undefined);
    });
  }

  for (const point of KILL_POINTS) {
    it(`${point.process} at a ${point.story}, after ${point.after}, leaves the same end`, async () => {
      await (ends.get(point) ?? assert.fail('it was not killed'));
    });
  }

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service, migrating });
  });

  /** Kills the process at its write and starts it again. The end comes later. */
  async function tell(
    point: KillPoint,
    customer: MigrationCustomer,
  ): Promise<{ end: Promise<void> }> {
    const { client, roleArn, externalId, accountId } = customer;
    const victim = createClient({
      baseUrl: processOf('api').url,
      dashboardToken: customer.token,
    });
    switch (point.story) {
      case 'connect': {
        const role = { roleArn, externalId, regions: REGIONS };
        await killDuring(point, roleArn, () => victim.scanner.connect(role));
        return { end: scanAgain(customer) };
      }
      case 'scan': {
        const connectionId = await customer.connect();
        if (point.process === 'api') {
          await killDuring(point, accountId, () => victim.scanner.start(connectionId));
          return { end: scanned(customer) };
        }
        await processOf('scans').kill();
        const { scanId } = await client.scanner.start(connectionId);
        await killDuring(point, scanId, () => processOf('scans').restart());
        return { end: scanned(customer) };
      }
      case 'approval': {
        const { recommendationId } = await customer.recommend();
        await killDuring(point, recommendationId, () => approve(victim, recommendationId));
        return { end: migrated(customer, await approve(client, recommendationId), 'completed') };
      }
      case 'migration': {
        const { recommendationId } = await customer.recommend();
        await processOf('migrations').kill();
        const migrationId = await approve(client, recommendationId);
        const isOfMove = point.write.collection === 'recommendations';
        await killDuring(point, isOfMove ? recommendationId : migrationId, () =>
          processOf('migrations').restart(),
        );
        return { end: migrated(customer, migrationId, 'completed') };
      }
      case 'cancelled migration': {
        const { recommendationId } = await customer.recommend();
        await processOf('migrations').kill();
        const migrationId = await approve(client, recommendationId);
        await killDuring(point, migrationId, () => victim.migrations.cancel(migrationId));
        await client.migrations.cancel(migrationId);
        await processOf('migrations').restart();
        return { end: migrated(customer, migrationId, 'cancelled') };
      }
    }
  }

  async function killDuring(
    { process, write }: KillPoint,
    about: string,
    go: () => Promise<unknown>,
  ): Promise<void> {
    const line = lineOf(process);
    const victim = processOf(process);
    let isReached = false;
    void line.stopAt({ ...write, about }).then(() => (isReached = true));
    const call = go().catch((error: unknown) => error);
    await eventually('the write is reached', () => Promise.resolve(isReached));
    await victim.kill('SIGKILL');
    line.mend();
    await call;
    await victim.restart();
  }

  const approve = async (client: StorageRoutingClient, recommendationId: string) =>
    (await client.migrations.approve(recommendationId, { targetProvider: 'b2' })).migrationId;

  /** The connection is there once, and a scan of it completes. */
  async function scanAgain(customer: MigrationCustomer): Promise<void> {
    const scan = await customer.scan();
    assert.equal(scan.status, 'completed');
    assert.equal((await customer.client.scanner.connections()).items.length, 1);
  }

  /** The customer's only scan has completed, with every object. */
  async function scanned({ client }: MigrationCustomer): Promise<void> {
    await eventually(
      'the scan is stored',
      async () => (await client.scanner.history()).items.length > 0,
    );
    const [scan, ...others] = (await client.scanner.history()).items;
    assert.ok(scan && others.length === 0);
    const { status, summary } = await client.scanner.waitFor(scan.scanId, { pollMs: POLL_MS });
    assert.deepEqual([status, summary.objects], ['completed', OBJECTS]);
  }

  async function migrated(
    customer: MigrationCustomer,
    migrationId: string,
    expected: string,
  ): Promise<void> {
    const migration = await customer.migrated(migrationId);
    assert.equal(migration.status, expected, JSON.stringify(migration));
    if (expected === 'completed') assert.equal(migration.progress.objectsCopied, OBJECTS);
    await assertIdentical(customer, migration);
  }
});
