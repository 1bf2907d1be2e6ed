import { randomInt, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { MongoClient, type Document } from 'mongodb';
import { silentProgress } from '../dev/system/progress.ts';
import { startService } from '../dev/service.ts';
import { startStack } from '../dev/stack.ts';
import { createCloudCustomer } from '../test/harness/cloud-customer.ts';
import { openTemporalClient } from '../test/harness/temporal.ts';
import { readCpu, subtract, sumCpu } from './uploads/processor-time.ts';

/**
 * `npm run bench:revise`: how long a new price book takes to decide the stored inventories of 1,000 and of 10,000
 * connections again (`CONNECTIONS`), next to a copy of the same documents in the same database.
 */
const SIZES = (process.env['CONNECTIONS'] ?? '1000,10000').split(',').map(Number);
const BUCKETS = 3;
const BATCH = 500;
/** Asking reads every connection: in larger runs it is done more rarely. */
const POLL_MS_PER_CONNECTION = 2;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const stack = await startStack({ progress: silentProgress });
const environment = { DEFAULT_PLAN: 'enterprise', LOG_LEVEL: 'warn' };
const service = await startService(stack, { environment });
await service.ready;
const client = await MongoClient.connect(stack.environment['MONGODB_URI'] ?? '');
const db = client.db(stack.environment['MONGODB_DATABASE']);
const temporal = await openTemporalClient(stack);

/** One scan through the API; the others are copies of what it has stored. */
async function scanOne() {
  const customer = await createCloudCustomer(stack, service.baseUrl, ['r2']);
  for (let bucket = 0; bucket < BUCKETS; bucket += 1)
    customer.double.seed({
      bucket: customer.bucket(`media-${bucket}`),
      generated: [{ count: 500, keyPattern: 'd{i/100:1}/{i:4}.mp4', size: [2 ** 28, 2 ** 30] }],
    });
  const connectionId = await customer.connect();
  const { scanId } = await customer.client.scanner.start(connectionId);
  await customer.ended(scanId);
  return { connectionId, scanId };
}

const one = await scanOne();
const of = {
  connections: await db.collection('connections').findOne({ roleArn: { $exists: true } }),
  scans: await db.collection('scans').findOne({ connectionId: one.connectionId }),
  scanBuckets: await db.collection('scanBuckets').find({ scanId: one.scanId }).toArray(),
};

/** Returns how long it took to insert so many copies. */
async function copyUntil(count: number): Promise<number> {
  const startedAt = performance.now();
  for (let left = count - (await db.collection('connections').countDocuments()); left > 0;) {
    const batch: Record<'connections' | 'scans' | 'scanBuckets', Document[]> = {
      connections: [],
      scans: [],
      scanBuckets: [],
    };
    for (let at = 0; at < Math.min(BATCH, left); at += 1) {
      const [connectionId, scanId] = [randomUUID(), randomUUID()];
      const accountId = `bench-${connectionId}`;
      const awsAccount = String(randomInt(1e11, 1e12 - 1)).padStart(12, '1');
      const roleArn = `arn:aws:iam::${awsAccount}:role/bench`;
      batch.connections.push({ ...of.connections, _id: connectionId, accountId, roleArn });
      batch.scans.push({ ...of.scans, _id: scanId, accountId, connectionId });
      for (const bucket of of.scanBuckets)
        batch.scanBuckets.push({ ...bucket, _id: `${scanId}/${bucket['name']}`, scanId });
    }
    for (const [name, documents] of Object.entries(batch))
      await db.collection(name).insertMany(documents);
    left -= batch.connections.length;
  }
  return performance.now() - startedAt;
}

async function writeBook(version: string): Promise<string> {
  const file = new URL('../data/price-book.json', import.meta.url);
  const book = { ...(JSON.parse(await readFile(file, 'utf8')) as object), version };
  const path = join(stack.processes.logFolder, `${version}.json`);
  await writeFile(path, JSON.stringify(book));
  return path;
}

say(`connections of ${BUCKETS} buckets each`);
say('connections   copied   decided again   of each   worker CPU of each');
for (const size of SIZES) {
  const copiedMs = await copyUntil(size);
  const version = `bench-${size}`;
  const worker = await service.addWorker({ PRICE_BOOK_FILE: await writeBook(version) });
  const before = readCpu([worker]);
  const startedAt = performance.now();
  const workflowId = `sweep-prices-${size}`;
  await temporal.workflow.start('sweepPrices', { taskQueue: 'scans', workflowId });
  const undecided = { 'decided.edition': { $not: { $regex: `^${version}/` } } };
  while ((await db.collection('connections').countDocuments(undecided)) > 0)
    await new Promise((resolve) => setTimeout(resolve, size * POLL_MS_PER_CONNECTION));
  const ms = performance.now() - startedAt;
  const cpuMs = sumCpu(subtract(readCpu([worker]), before));
  say(
    `${String(size).padStart(11)}${seconds(copiedMs).padStart(9)}${seconds(ms).padStart(16)}${`${(ms / size).toFixed(1)} ms`.padStart(10)}${`${(cpuMs / size).toFixed(1)} ms`.padStart(21)}`,
  );
}
await temporal.connection.close();
await client.close();
await service.stop();
await stack.stop();
