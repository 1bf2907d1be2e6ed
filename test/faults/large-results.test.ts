import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Service } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { openRecords } from '../../adapters/mongo/records.ts';
import { AGE_BANDS, SIZE_BANDS, type AgeBandIndex } from '../../domain/inventory/bands.ts';
import type { BucketInventory } from '../../domain/inventory/inventory.ts';
import {
  call,
  createCustomer,
  eventually,
  openDatabase,
  type Customer,
} from '../harness/customer.ts';
import { openMongoProxy } from '../harness/mongo-proxy.ts';
import { readUsage } from '../harness/process-usage.ts';
import { storeScan } from '../harness/stored-recommendation.ts';
import { bucket, group } from '../unit/domain/decision/inventories.ts';
import { startIsolatedService } from '../servers.ts';

const BUCKETS = 300;
const PREFIXES = 220;
const PREFIX_LENGTH = 900;
/** More than the buffers of a connection hold. */
const STALLED_BUCKETS = 40;
const MANY = 10_000;
const READERS = 50;
const PER_ACCOUNT = 8;
const MIB = 2 ** 20;
const MOST_MEMORY_BYTES = 300 * MIB;
const LARGE = inventoryOf(PREFIXES);
const SMALL = inventoryOf(1);

/** A scan of 300 buckets with long first segments: a result of some 60 MiB. */
describe('a very large result of a scan', () => {
  let stack: Stack;
  let service: Service;
  let customers: Customer[];
  const scanIds = new Map<Customer, string>();
  const sockets: Socket[] = [];

  before(async () => {
    const isolated = await startIsolatedService({
      workerCount: 0,
      environment: { LOG_LEVEL: 'warn' },
    });
    ({ stack, service } = isolated);
    const count = Math.ceil(READERS / PER_ACCOUNT);
    customers = await Promise.all(
      Array.from({ length: count }, () => createCustomer(stack, service.baseUrl, [])),
    );
    const { db, close } = await openDatabase(stack);
    for (const customer of customers)
      scanIds.set(customer, await storeScanAt(stack, customer.accountId));
    const buckets = db.collection<{ _id: string }>('scanBuckets');
    for (const [number, scanId] of [...scanIds.values()].entries())
      for (let at = 0; at < (number === 0 ? BUCKETS : STALLED_BUCKETS); at += 5)
        await buckets.insertMany([0, 1, 2, 3, 4].map((more) => bucketOf(scanId, at + more)));
    await close();
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await service?.stop();
  });

  async function assertSmall(): Promise<void> {
    const { bytes } = await readUsage(service.apis[0]?.pid ?? 0);
    assert.ok(bytes < MOST_MEMORY_BYTES, `${Math.round(bytes / MIB)} MiB`);
  }
  const pathOf = (customer: Customer) => `/v1/scanner/results/${scanIds.get(customer)}`;

  async function stall(customer: Customer): Promise<Socket> {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    const lines = [`GET ${pathOf(customer)} HTTP/1.1`, 'host: a'];
    socket.write([...lines, `authorization: Bearer ${customer.token}`, '', ''].join('\r\n'));
    await once(socket, 'readable');
    return socket;
  }

  it('is streamed to 50 readers that stand still, within 300 MiB, while others are served', async () => {
    const [one, ...others] = customers;
    assert.ok(one);
    for (let reader = PER_ACCOUNT; reader < READERS; reader += 1) {
      const customer = others[Math.floor(reader / PER_ACCOUNT) - 1];
      assert.ok(customer);
      await stall(customer);
    }
    // The last, because a connection on which nothing moves is closed after a while.
    for (let reader = 0; reader < PER_ACCOUNT; reader += 1) await stall(one);
    for (let call = 0; call < 20; call += 1)
      assert.equal((await one.call('GET /v1/me')).status, 200);
    await assertSmall();
    const refused = await one.manage(`GET ${pathOf(one)}`);
    assert.equal(refused.status, 429);
    assert.equal(refused.body['code'], 'rate_limited');
    for (const socket of sockets) socket.destroy();
    await eventually('the account may read again', async () => {
      const { status } = await fetch(`${service.baseUrl}${pathOf(one)}`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${one.token}` },
      });
      return status === 200;
    });
  });

  it('is complete, in order, and valid JSON', async () => {
    const [one] = customers;
    assert.ok(one);
    const { body, text, headers } = await one.manage(`GET ${pathOf(one)}`);
    assert.ok(text.length > 55 * MIB, `${text.length} characters`);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    const buckets = body['buckets'] as { name: string; byPrefix: unknown[] }[];
    assert.deepEqual(
      buckets.map(({ name }) => name),
      Array.from({ length: BUCKETS }, (_, index) => nameOf(index)),
    );
    assert.ok(buckets.every(({ byPrefix }) => byPrefix.length === PREFIXES));
    await assertSmall();
  });

  it('is a report as well, and a line of the history', async () => {
    const [one] = customers;
    assert.ok(one);
    const report = await one.manage(`GET ${pathOf(one)}/report`);
    assert.equal(report.status, 200);
    assert.match(report.text, new RegExp(nameOf(BUCKETS - 1)));
    const history = await one.manage('GET /v1/scanner/history');
    assert.equal((history.body['items'] as unknown[]).length, 1);
    await assertSmall();
  });

  /** Each round trip to the database takes a millisecond more. */
  it(`of ${MANY} small buckets is read in a few round trips`, async () => {
    const customer = await createCustomer(stack, service.baseUrl, []);
    const { db, close } = await openDatabase(stack);
    const scanId = await storeScanAt(stack, customer.accountId);
    const buckets = db.collection<{ _id: string }>('scanBuckets');
    for (let at = 0; at < MANY; at += 500)
      await buckets.insertMany(
        Array.from({ length: 500 }, (_unused, more) => smallBucketOf(scanId, at + more)),
      );
    await close();
    const proxy = await openMongoProxy(stack.environment['MONGODB_URI'] ?? '');
    const api = await service.addApi({ MONGODB_URI: proxy.uri });
    proxy.slowDown(1);
    const read = (path: string) => call(api.url, `GET ${path}`, { bearer: customer.token });
    const path = `/v1/scanner/results/${scanId}`;
    const { body } = await read(path);
    assert.equal((body['buckets'] as unknown[]).length, MANY);
    const answered = proxy.requests();
    const report = await read(`${path}/report`);
    assert.equal(report.status, 200);
    assert.match(report.text, new RegExp(nameOf(MANY - 1)));
    const roundTrips = proxy.requests() - answered;
    assert.ok(roundTrips < 200, `${roundTrips} round trips`);
    await api.kill();
    await proxy.close();
  });
});

async function storeScanAt({ environment }: Stack, accountId: string): Promise<string> {
  const { MONGODB_URI: uri = '', MONGODB_DATABASE: database = '' } = environment;
  const records = openRecords({ uri, database });
  const scanId = await storeScan(records, accountId);
  await records.close();
  return scanId;
}

/** With one group, which all of them share. */
function smallBucketOf(scanId: string, index: number) {
  return { ...storedBucket(scanId, index, SMALL), inventoryBytes: 1_000 };
}

function nameOf(index: number): string {
  return `bucket-${String(index).padStart(4, '0')}`;
}

const bucketOf = (scanId: string, index: number) => storedBucket(scanId, index, LARGE);

function storedBucket(scanId: string, index: number, inventory: BucketInventory) {
  const name = nameOf(index);
  const costs = { currentMonthlyCostUsd: 0, optimalMonthlyCostUsd: 0 };
  return {
    _id: `${scanId}/${name}`,
    scanId,
    name,
    revision: 1,
    reading: null,
    inventory: { ...inventory, name },
    current: { revision: 0, decision: { name, ...costs, findings: [] } },
  };
}

function inventoryOf(prefixes: number): BucketInventory {
  const groups = Array.from({ length: prefixes }, (_, at) => {
    const prefix = `${String(at).padStart(PREFIX_LENGTH - 1, 'p')}/`;
    return group(prefix, 'STANDARD', (at % AGE_BANDS.length) as AgeBandIndex, 1, 1);
  });
  const bySize = SIZE_BANDS.map(() => ({ objects: 0, bytes: 0 }));
  return bucket(groups, { bySize, lifecycle: 'none' });
}
