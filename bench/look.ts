import process from 'node:process';
import { MongoClient } from 'mongodb';
import { openRecords } from '../adapters/mongo/records.ts';
import { addCounts, COUNT_NAMES, NO_COUNTS } from '../domain/migrations/counts.ts';
import { describeActivity } from '../domain/accounts/activity.ts';
import type { Approval } from '../domain/migrations/migration.ts';
import { silentProgress } from '../dev/system/progress.ts';
import { startService } from '../dev/service.ts';
import { startStack } from '../dev/stack.ts';
import { call, createCustomer } from '../test/harness/customer.ts';
import { insertMove } from '../test/harness/stored-recommendation.ts';
import { median } from './uploads/load.ts';

/**
 * `npm run bench:look`: GET of a running migration with 10, 10^3 and 10^5 manifest pages, of which 64 have
 * changed since the last sum, next to a `$group` over the counts of all pages in the same run.
 */
const PAGES = [10, 1_000, 100_000];
const CHANGED = 64;
const CALLS = 100;
const BATCH = 5_000;
const OBJECTS = 1_000;
const NOW = new Date();
/** The rate is that of the pages of the last half minute. */
const EARLIER = new Date(NOW.getTime() - 3_600_000);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const ms = (value: number): string => `${value.toFixed(1)} ms`;

const stack = await startStack({ progress: silentProgress });
const service = await startService(stack, { workerCount: 0, environment: { LOG_LEVEL: 'warn' } });
const uri = stack.environment['MONGODB_URI'] ?? '';
const database = stack.environment['MONGODB_DATABASE'] ?? '';
const client = await MongoClient.connect(uri);
const db = client.db(database);
const records = openRecords({ uri, database });
const { accountId } = await createCustomer(stack, service.baseUrl);
const bearer = stack.identity?.issueToken({ account: accountId, algorithm: 'ES256' }) ?? '';

const counts = { ...NO_COUNTS, copied: OBJECTS, bytesCopied: OBJECTS, bytesSettled: OBJECTS };

async function fill(pages: number): Promise<string> {
  const objects = pages * OBJECTS;
  const place = { bucket: 'source', region: 'us-east-1' };
  const move = { accountId, ...place, objects, bytes: objects };
  const migrationId = await insertMove(records, move);
  const key = { recommendationId: migrationId, accountId };
  const found = await records.recommendations.findRecommendation(key);
  const quote = found?.options[0]?.quote;
  if (!quote) throw new Error('the move is not stored');
  const approval: Approval = {
    targetProvider: 'b2',
    quote,
    approvedBy: accountId,
    approvedByName: accountId,
    approvedAt: NOW,
    requestId: 'bench',
    source: { provider: 'aws', bucketName: 'source', region: 'us-east-1' },
    target: { provider: 'b2', bucketName: 'target', region: 'us-west-002' },
    keyPrefix: 'source/',
    isDefaultPlace: true,
  };
  const actor = { accountId, person: { subject: accountId, name: accountId }, requestId: 'bench' };
  const activity = describeActivity(actor, 'migration.approved', migrationId, NOW);
  await records.recommendations.approve(key, approval, activity);
  const opened = { migrationId, accountId, cloudAccountId: '111122223333' };
  await records.migrations.openMigration({ ...opened, asOf: NOW, approvedAt: NOW, startedAt: NOW });
  await records.migrations.seal({ migrationId, round: 1 }, { pages, objects, bytes: objects }, NOW);
  const summed = { batches: 1, counts };
  for (let from = 0; from < pages; from += BATCH) {
    const length = Math.min(BATCH, pages - from);
    const documents = Array.from({ length }, (_unused, at) => {
      const page = from + at;
      const progress = { ...counts, batches: 1, bytesInFlight: 0, samples: [] };
      const _id = `${migrationId}/${page}` as never;
      return { _id, migrationId, page, at: EARLIER, openOf: migrationId, summed, ...progress };
    });
    await db.collection('manifestCounts').insertMany(documents, { ordered: false });
  }
  const all = Object.fromEntries(COUNT_NAMES.map((name) => [name, counts[name] * pages]));
  const sum = { _id: migrationId as never, revision: 0, counts: all, adding: [] };
  await db.collection('manifestSums').insertOne(sum);
  const more = { ...addCounts(counts, NO_COUNTS), batches: 2, bytesInFlight: 1, samples: [] };
  for (let page = 0; page < Math.min(CHANGED, pages); page += 1)
    await records.manifests.saveCounts(migrationId, page, more, NOW);
  return migrationId;
}

for (const pages of PAGES) {
  const migrationId = await fill(pages);
  const times: number[] = [];
  for (let run = 0; run < CALLS; run += 1) {
    const route = `GET /v1/scanner/migration/${migrationId}`;
    const answer = await call(service.baseUrl, route, { bearer });
    if (answer.status !== 200) throw new Error(answer.text);
    const { objectsCopied } = answer.body['progress'] as { objectsCopied: number };
    if (objectsCopied !== pages * OBJECTS) throw new Error(`${objectsCopied} of ${pages} pages`);
    times.push(answer.ms);
  }
  const sums = Object.fromEntries(COUNT_NAMES.map((name) => [name, { $sum: `$${name}` }]));
  const beganAt = performance.now();
  await db
    .collection('manifestCounts')
    .aggregate([{ $match: { migrationId } }, { $group: { _id: null, ...sums } }])
    .toArray();
  const reference = performance.now() - beganAt;
  const own = median(times);
  say(
    `${pages.toLocaleString('en')} pages: GET, median of ${CALLS}, ${ms(own)}; ` +
      `$group over all pages, once, ${ms(reference)}; ratio ${(reference / own).toFixed(1)}`,
  );
}
await records.close();
await client.close();
await service.stop();
await stack.stop();
process.exit(0);
