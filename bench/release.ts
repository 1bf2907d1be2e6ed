import process from 'node:process';
import { ListObjectsV2Command, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { silentProgress } from '../dev/system/progress.ts';
import { startService } from '../dev/service.ts';
import { startStack } from '../dev/stack.ts';
import { createMigrationCustomer } from '../test/harness/migration-customer.ts';
import { openRecordsOf } from '../test/harness/stored-approval.ts';

/**
 * `npm run bench:release`: the release check of 10^5 objects at the end of a target that holds 10^6 other keys before
 * them, below the same prefix, next to listings of the source and of the whole target by the official SDK.
 */
const OBJECTS = Number(process.env['OBJECTS'] ?? 100_000);
const OTHERS = Number(process.env['OTHERS'] ?? 1_000_000);
const PAGE_KEYS = 1_000;
const LAST_MODIFIED = '2026-11-01T00:00:00Z';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const stack = await startStack({ progress: silentProgress });
const environment = {
  LOG_LEVEL: 'warn',
  DEFAULT_PLAN: 'enterprise',
  MIN_MONTHLY_SAVINGS_USD: '0',
  MIN_MOVE_MONTHLY_SAVINGS_USD: '0',
  PROVIDER_ENDPOINT_B2: stack.cloud?.s3Endpoint ?? '',
};
const service = await startService(stack, { environment });
const records = openRecordsOf(stack);
const customer = await createMigrationCustomer(stack, service.baseUrl);
const { source, target, double, client, accountId } = customer;

// A move of one object; its ledger is then that of a move of all of them.
const objects = { keyPattern: 'z/{i:7}', size: 1_000, lastModified: LAST_MODIFIED, seed: 'same' };
customer.put([{ key: 'y/large', size: 5 * 2 ** 20 }]);
const migrationId = await customer.move();
await customer.migrated(migrationId);
double.seed({ bucket: source, generated: [{ count: OBJECTS, ...objects }] });
const others = { keyPattern: `${source}/a/{i:8}`, size: 1, lastModified: LAST_MODIFIED };
double.seed({
  bucket: target,
  generated: [
    { count: OTHERS, ...others },
    { count: OBJECTS, ...objects, keyPattern: `${source}/${objects.keyPattern}` },
  ],
});
await fillLedger();

const sent = double.requests().length;
const beganAt = performance.now();
await client.migrations.beginRelease(migrationId);
const release = await client.migrations.waitForRelease(migrationId, { pollMs: 100 });
const ownMs = performance.now() - beganAt;
if (release.status !== 'ready' || release.objects !== OBJECTS + 1)
  throw new Error(JSON.stringify(release));
const calls = double.requests().slice(sent);
const atTarget = calls.filter(({ bucket }) => bucket === target).length;

const listed = await timed(async () => {
  await listAll(source, 'us-east-1');
  return await listAll(target, 'us-west-2');
});
say(
  `${OBJECTS.toLocaleString('en')} objects behind ${OTHERS.toLocaleString('en')} others: check ${seconds(ownMs)}, ` +
    `${calls.length} calls (${atTarget} at the target); listings of both sides by the SDK ${seconds(listed.ms)}, ` +
    `${listed.pages} pages at the target; ratio ${(listed.ms / ownMs).toFixed(2)}`,
);
await records.close();
await service.stop();
await stack.stop();
process.exit(0);

/** A second round, as if it had copied all of the source. */
async function fillLedger(): Promise<void> {
  const key = { migrationId, accountId };
  const activity = { at: new Date(), accountId, action: 'migration.round_started' } as never;
  const asked = { maxTotalUsd: 1, removeAtMost: 0, startedBy: 'bench', startedByName: 'bench' };
  const round = { number: 2, ...asked, requestedAt: new Date(), requestId: 'bench' };
  await records.recommendations.requestRound(key, round, activity);
  await records.migrations.openRound({ ...key, round: 2 }, new Date());
  const id = `${migrationId}.2`;
  let page = 0;
  let after: string | null = null;
  for await (const { Contents = [] } of pagesOf(source, 'us-east-1')) {
    const entries = Contents.map(({ Key = '', ETag = '', Size = 0 }) => {
      const etag = ETag.replaceAll('"', '');
      const storageClass = 'STANDARD';
      return { key: Key, etag, sizeBytes: Size, lastModified: LAST_MODIFIED, storageClass };
    });
    const next = entries.length < PAGE_KEYS ? null : (entries.at(-1)?.key ?? null);
    await records.manifests.addPage(id, page, { after, next, entries });
    const etags = await targetEtags(after ?? 'y');
    const lines = entries.map(({ key: name, etag, sizeBytes }, place) => ({
      place,
      key: name,
      targetKey: `${source}/${name}`,
      bytes: sizeBytes,
      sourceEtag: etag,
      sha256: '0'.repeat(64),
      targetEtag: etags.get(name) ?? '',
      outcome: 'copied' as const,
      attempts: 1,
      at: new Date().toISOString(),
      notCarried: [],
    }));
    await records.ledger.append(id, page, 0, { lines, named: [] }, new Date());
    page += 1;
    after = next;
  }
  const sealed = { pages: page, objects: OBJECTS, bytes: OBJECTS };
  await records.migrations.seal({ migrationId, round: 2 }, sealed, new Date());
  const counts = await records.manifests.counts(id);
  const end = { status: 'completed' as const, error: null, counts };
  await records.migrations.end({ migrationId, round: 2 }, end, new Date());
}

/** The ETags of the thousand objects of the move behind a key, at the target. */
async function targetEtags(after: string): Promise<ReadonlyMap<string, string>> {
  const StartAfter = `${source}/${after}`;
  const listed = await s3In('us-west-2').send(
    new ListObjectsV2Command({ Bucket: target, StartAfter }),
  );
  return new Map(
    (listed.Contents ?? []).map(({ Key = '', ETag = '' }) => [
      Key.slice(source.length + 1),
      ETag.replaceAll('"', ''),
    ]),
  );
}

function s3In(region: string): S3Client {
  return new S3Client({
    endpoint: double.s3Endpoint,
    forcePathStyle: true,
    region,
    credentials: region === 'us-east-1' ? customer.keys.source : customer.keys.target,
  });
}

function pagesOf(Bucket: string, region: string) {
  return paginateListObjectsV2({ client: s3In(region) }, { Bucket });
}

async function listAll(bucket: string, region: string): Promise<number> {
  let pages = 0;
  for await (const _page of pagesOf(bucket, region)) pages += 1;
  return pages;
}

async function timed(work: () => Promise<number>) {
  const from = performance.now();
  const pages = await work();
  return { pages, ms: performance.now() - from };
}
