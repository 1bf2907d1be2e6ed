import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { Long, MongoClient, type Db, type Document } from 'mongodb';
import { createCache } from '../dev/system/cache.ts';
import { takeFreePort } from '../dev/system/ports.ts';
import { createProcesses } from '../dev/system/processes.ts';
import { silentProgress } from '../dev/system/progress.ts';
import { startService } from '../dev/service.ts';
import { services } from '../dev/services/services.ts';
import { mongoProcess } from '../dev/services/mongodb.ts';
import { findProgram } from '../dev/services/service.ts';
import { startStack } from '../dev/stack.ts';
import { STACK_STORES } from '../dev/parts/stores.ts';
import type { ProviderName } from '../domain/providers/catalogue.ts';
import { addMonths, toMonth, monthsBetween, type Month } from '../domain/common/time.ts';
import { call, createCustomer } from '../test/harness/customer.ts';

/**
 * `npm run bench:analytics`: the time of the analytics calls of an account with 10^6 usage records, next to a `$group`
 * over its usage records in the same run.
 */
const RECORDS = Number(process.env['RECORDS'] || 1_000_000);
/** The MongoDB double sorts the routing history in memory, which bounds the number of files. */
const FILES = Number(process.env['FILES'] || 10_000);
const PENDING = 100;
const MONTHS = 12;
/** The service trims the list at this length. */
const RECENT_EVENTS = 500;
const WARM_UPS = 20;
const CALLS = 300;
const BATCH = 5_000;
/** The double needs about ten times the size of a record of 150 bytes. */
const HEAP = '-Xmx6g';
const NOW = new Date();

interface UsageRow {
  readonly _id: string;
  readonly provider: ProviderName;
  readonly sizeBytes: number;
  readonly savedVsAws: number;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const number = (value: number): string => value.toLocaleString('en');
const ms = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} ms`;
const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

async function openMongo() {
  const progress = silentProgress;
  const program = await findProgram(services.mongodb, {
    progress,
    cache: createCache(progress),
  });
  const args = program.args.map((each) => (each.startsWith('-Xmx') ? HEAP : each));
  const processes = createProcesses(say);
  const port = await takeFreePort();
  const { dataFolder } = processes;
  const spec = mongoProcess({ ...program, args }, { port, dataFolder, persistent: false });
  await processes.start(spec);
  return {
    kind: program.kind,
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    stop: () => processes.stopAll(),
  };
}

function usageRow(index: number): UsageRow {
  return {
    _id: randomUUID(),
    provider: STACK_STORES[index % STACK_STORES.length] ?? 'aws',
    sizeBytes: 1 + ((index * 7_919) % 5_000_000_000),
    savedVsAws: ((index * 104_729) % 2_000_001) - 500_000,
  };
}

/** The sums as the service stores them: only values that occur, as 64-bit integers. */
function sumRows(rows: readonly UsageRow[]): Document {
  const byProvider: Record<string, Document> = {};
  for (const provider of STACK_STORES) {
    const own = rows.filter((row) => row.provider === provider);
    if (own.length === 0) continue;
    byProvider[provider] = {
      uploads: Long.fromNumber(own.length),
      bytes: Long.fromNumber(own.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)),
      savedMicroUsd: Long.fromNumber(own.reduce((sum, { savedVsAws }) => sum + savedVsAws, 0)),
    };
  }
  return { byProvider };
}

async function insertAll(db: Db, name: string, documents: readonly Document[]): Promise<void> {
  for (let from = 0; from < documents.length; from += BATCH)
    await db.collection(name).insertMany(documents.slice(from, from + BATCH), { ordered: false });
}

/** A month as the service stores it: usage records and totals. */
async function fillMonth(db: Db, accountId: string, month: Month, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => usageRow(index));
  const ledger = rows.map(({ sizeBytes, ...row }) => ({
    ...row,
    accountId,
    month,
    sizeBytes: Long.fromNumber(sizeBytes),
    recordedAt: new Date(`${month}-01T12:00:00.000Z`),
  }));
  const recent = rows.slice(-RECENT_EVENTS).map((row) => `${row._id}:completed`);
  await insertAll(db, 'usage', ledger);
  await insertAll(db, 'usageTotals', [
    { _id: `${accountId}|${month}`, generation: 1, recent, sums: sumRows(rows) },
  ]);
}

async function fillFiles(db: Db, accountId: string): Promise<void> {
  const location = { provider: 'r2', bucketName: 'bucket', region: 'auto', accountId: 'a' };
  const routing = { provider: 'r2', preferredProvider: 'r2', priority: 'hot', reason: 'bench' };
  const files = Array.from({ length: FILES }, (_, index) => {
    const isPending = index < PENDING;
    const createdAt = new Date(NOW.getTime() - index * 1000);
    return {
      _id: randomUUID(),
      accountId,
      status: isPending ? 'pending' : 'active',
      fileName: `${index}.bin`,
      contentType: 'application/octet-stream',
      sizeBytes: Long.fromNumber(index),
      priority: 'hot',
      location,
      routing: { ...routing, costs: [], priceBook: 'bench' },
      savedVsAws: 1,
      month: toMonth(NOW),
      createdAt,
      urlExpiresAt: createdAt,
      deadline: new Date(createdAt.getTime() + 90_000_000),
      ...(isPending ? { pendingOf: accountId } : { completedAt: createdAt }),
    };
  });
  await insertAll(db, 'files', files);
}

/** The same totals from the usage records. */
async function group(db: Db, match: Document): Promise<{ rows: Document[]; elapsedMs: number }> {
  const startedAt = performance.now();
  const rows = await db
    .collection('usage')
    .aggregate([
      { $match: match },
      {
        $group: {
          _id: { month: '$month', provider: '$provider' },
          files: { $sum: 1 },
          bytes: { $sum: '$sizeBytes' },
          saved: { $sum: '$savedVsAws' },
        },
      },
    ])
    .toArray();
  return { rows, elapsedMs: performance.now() - startedAt };
}

async function timeCalls(baseUrl: string, route: string, bearer: string) {
  const times: number[] = [];
  for (let run = 0; run < WARM_UPS + CALLS; run += 1) {
    const { status, text, ms: elapsedMs } = await call(baseUrl, route, { bearer });
    if (status !== 200) throw new Error(`${route}: ${status} ${text}`);
    if (run >= WARM_UPS) times.push(elapsedMs);
  }
  return { median: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** The measured answers must also be correct. */
function requireEqual(summary: Readonly<Record<string, unknown>>, rows: readonly Document[]): void {
  const shown = summary['byProvider'] as Document[];
  for (const { provider, files, gbRouted, savedVsAwsUsd } of shown) {
    const own = rows.filter(({ _id }) => _id.provider === provider);
    const sum = (name: string) => own.reduce((all, row) => all + Number(row[name]), 0);
    const expected = [sum('files'), sum('bytes') / 1e9, sum('saved') / 1e6];
    if (JSON.stringify([files, gbRouted, savedVsAwsUsd]) !== JSON.stringify(expected))
      throw new Error(
        `${provider}: ${files}, ${gbRouted}, ${savedVsAwsUsd}; ledger ${expected.join(', ')}`,
      );
  }
  const counted = shown.reduce((all, { files }) => all + Number(files), 0);
  if (counted !== RECORDS) throw new Error(`${counted} of ${RECORDS} records are in the summary`);
}

const mongo = await openMongo();
const stack = await startStack({
  progress: silentProgress,
  given: { ...process.env, MONGODB_URI: mongo.uri },
});
const service = await startService(stack, { workerCount: 0, environment: { LOG_LEVEL: 'warn' } });
const client = await MongoClient.connect(mongo.uri);
const db = client.db(stack.environment['MONGODB_DATABASE']);
const { accountId, apiKey } = await createCustomer(stack, service.baseUrl);
const current = toMonth(NOW);
const months = monthsBetween(addMonths(current, 1 - MONTHS), current);

const filledAt = performance.now();
for (const [index, month] of months.entries()) {
  const upTo = (count: number) => Math.floor((RECORDS * count) / MONTHS);
  await fillMonth(db, accountId, month, upTo(index + 1) - upTo(index));
}
await fillFiles(db, accountId);
const opened = { createdAt: new Date(`${months[0]}-01T00:00:00.000Z`) };
await db.collection<{ _id: string }>('accounts').updateOne({ _id: accountId }, { $set: opened });
say(
  `${number(RECORDS)} usage records of one account in ${MONTHS} months, ${number(FILES)} files, ` +
    `on ${mongo.kind} (filled in ${((performance.now() - filledAt) / 1000).toFixed(0)} s)`,
);

const token = stack.identity?.issueToken({ account: accountId, algorithm: 'ES256' }) ?? '';
const { body } = await call(service.baseUrl, 'GET /v1/analytics/summary', { bearer: token });
const whole = await group(db, { accountId });
const ofMonth = await group(db, { accountId, month: current });
requireEqual(body, whole.rows);
for (const [route, bearer, reference] of [
  ['GET /v1/analytics/summary', token, whole],
  ['GET /v1/analytics/monthly', token, whole],
  ['GET /v1/me', apiKey, ofMonth],
] as const) {
  const { median, p99 } = await timeCalls(service.baseUrl, route, bearer);
  say(
    `${route}: median ${ms(median)}, p99 ${ms(p99)} (aim 50 ms); ` +
      `$group over the ledger, once: ${ms(reference.elapsedMs)}; ratio ${(reference.elapsedMs / median).toFixed(0)}`,
  );
}
for (const offset of [0, Math.min(10_000, FILES - 50)]) {
  const route = `GET /v1/analytics/routing-history?limit=50&offset=${offset}`;
  const { median, p99 } = await timeCalls(service.baseUrl, route, token);
  say(`${route}: median ${ms(median)}, p99 ${ms(p99)} with ${number(FILES)} files`);
}
await client.close();
await service.stop();
await stack.stop();
await mongo.stop();
process.exit(0);
