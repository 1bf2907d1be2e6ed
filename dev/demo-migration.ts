import process from 'node:process';
import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  formatUsd,
  type Migration,
  type Recommendation,
  type ReportedObject,
  type ReportLine,
  type ScanResult,
  type StorageRoutingClient,
} from '../sdk/src/index.ts';
import { CLOUD_REGION, type CloudAccount, createOwner } from './parts/cloud-account.ts';
import { toCredentials } from './first-account.ts';
import type { Environment } from './parts/part.ts';
import { isSoon } from './system/probes.ts';
import { createBar, hashStream, require, say } from './demo-output.ts';

const POLL_MS = 100;
const REALISED_WITHIN_MS = 30_000;

/** A customer's bucket and the recommendation to move it. */
export interface Move {
  client: StorageRoutingClient;
  environment: Environment;
  cloud: CloudAccount;
  scan: ScanResult;
  bucket: string;
}

/** A store accessed with the owner's keys, without the service. */
interface OwnersView {
  read(bucket: string, key: string): Promise<AsyncIterable<Uint8Array>>;
  delete(bucket: string, key: string): Promise<void>;
}

/** Approves a recommended move, watches it, verifies every object, deletes the source and scans again. */
export async function moveBucket(move: Move): Promise<Migration> {
  const { client, cloud } = move;
  const source = openStore(cloud.s3Endpoint, CLOUD_REGION, createOwner(cloud.double));
  say('\n11. One of its recommendations, with what it costs once');
  const recommendation = showQuote(move);

  say('\n12. Approved by a person, then migrated');
  const migration = await approveAndWatch(client, recommendation);

  say('\n13. The report, checked from outside with the customer’s own keys');
  const objects = await readReport(client, migration);
  await verifyEqual(move, migration, objects, source);

  say('\n14. Convinced, the owner deletes the source; the next scan says what that saves');
  await deleteAndScan(move, migration, objects, source);
  return migration;
}

function showQuote({ scan, bucket }: Move): Recommendation {
  const found = scan.recommendations.find(
    (candidate) => candidate.kind === 'move' && candidate.bucket === bucket,
  );
  const option = found?.options.find(({ provider }) => provider === found.recommendedProvider);
  require(found !== undefined && option !== undefined, `no move is recommended for ${bucket}`);
  const { quote } = option;
  say(`   ${bucket}: ${found.objects} objects, ${found.bytes.toLocaleString('en')} bytes`);
  say(`   to ${option.provider}, which saves ${formatUsd(option.monthlySavingsUsd)} USD a month`);
  for (const [what, amountUsd] of [
    ['egress', quote.egressUsd],
    ['reads', quote.sourceRequestsUsd],
    ['retrieval', quote.retrievalUsd],
    ['early deletion', quote.earlyDeletionUsd],
    ['writes', quote.destinationRequestsUsd],
  ] as const) {
    say(`     ${what.padEnd(15)} ${formatUsd(amountUsd)}`);
  }
  say(`     in all          ${formatUsd(quote.totalUsd)} USD, once`);
  say(`   won back after ${option.breakEvenMonths} months`);
  return found;
}

async function approveAndWatch(
  { migrations }: StorageRoutingClient,
  { recommendationId, recommendedProvider }: Recommendation,
): Promise<Migration> {
  require(recommendedProvider !== null, 'a move has a target');
  const targetProvider = recommendedProvider;
  const approval = await migrations.approve(recommendationId, { targetProvider });
  const again = await migrations.approve(recommendationId, { targetProvider });
  require(again.migrationId === approval.migrationId, 'a second yes began a second migration');
  say(`   ${approval.migrationId}: approved by ${approval.approvedBy}, up to that quote`);
  const bar = createBar();
  const migration = await migrations.waitFor(approval.migrationId, {
    pollMs: POLL_MS,
    onProgress: ({ status, progress }) => {
      const { objectsCopied, objectsTotal, bytesPerSecond, percent } = progress;
      const rate = bytesPerSecond === 0 ? '' : `, ${(bytesPerSecond / 1e6).toFixed(1)} MB/s`;
      bar.show(status, percent, `${objectsCopied} of ${objectsTotal} objects${rate}`);
    },
  });
  bar.end();
  const { status, error } = migration;
  require(status ===
    'completed', `the migration is ${status}: ${error?.message ?? 'see failures'}`);
  return migration;
}

async function readReport(
  { migrations }: StorageRoutingClient,
  { migrationId, progress }: Migration,
): Promise<ReportedObject[]> {
  const objects: ReportedObject[] = [];
  let last: ReportLine | undefined;
  for await (const line of migrations.report(migrationId)) {
    last = line;
    if ('key' in line) objects.push(line);
  }
  require(last !== undefined && !('key' in last), 'the report of an ended migration has no sum');
  require(last.objectsTotal === objects.length &&
    last.objectsCopied === progress.objectsCopied, 'the report and the status do not agree');
  say(
    `   report    ${objects.length} objects, ${last.bytesCopied.toLocaleString('en')} bytes copied`,
  );
  return objects;
}

/** Compares every object at source and target with the owner's keys, independently of the service. */
async function verifyEqual(
  { environment }: Move,
  { source: { bucket }, target: { provider, bucketName } }: Migration,
  objects: readonly ReportedObject[],
  source: OwnersView,
): Promise<void> {
  const { region, accessKeyId, secretAccessKey } = toCredentials(provider, environment);
  const endpoint = environment[`PROVIDER_ENDPOINT_${provider.toUpperCase()}`] ?? '';
  const target = openStore(endpoint, region, { accessKeyId, secretAccessKey });
  for (const { key, targetKey, outcome, sha256 } of objects) {
    require(outcome === 'copied', `"${key}" is ${outcome}`);
    const here = await hashStream(await source.read(bucket, key));
    const there = await hashStream(await target.read(bucketName, targetKey));
    require(here === there, `"${key}" has other bytes at ${provider}`);
    require(here === sha256, `"${key}" has another SHA-256 than the report says`);
  }
  say(
    `   verified  ${objects.length} of ${objects.length} equal by SHA-256: at aws, at ${provider},`,
  );
  say('             and in the report');
}

async function deleteAndScan(
  { client, scan: { connectionId } }: Move,
  migration: Migration,
  objects: readonly ReportedObject[],
  source: OwnersView,
): Promise<void> {
  for (const { key } of objects) await source.delete(migration.source.bucket, key);
  say(
    `   ${objects.length} objects deleted with the owner’s keys; the service’s may only read there`,
  );
  const { scanId } = await client.scanner.start(connectionId);
  const scan = await client.scanner.waitFor(scanId, { pollMs: POLL_MS });
  require(scan.status === 'completed', `the scan failed: ${scan.error?.message}`);
  let latest = migration;
  const isSaved = async () => {
    latest = await client.migrations.get(migration.migrationId);
    return latest.realised?.state === 'saved';
  };
  const saved = await isSoon(isSaved, { withinMs: REALISED_WITHIN_MS, everyMs: POLL_MS });
  require(saved, 'the scan does not find it saved');
  const monthlyUsd = latest.realised?.monthlyUsd ?? 0;
  say(`   saved: ${formatUsd(monthlyUsd)} USD a month, no longer promised but found`);
}

function openStore(
  endpoint: string,
  region: string,
  credentials: { accessKeyId: string; secretAccessKey: string },
): OwnersView {
  // Suppress the SDK's warning about the Node version: it would clutter the demo output.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const client = new S3Client({
    endpoint,
    region,
    credentials,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return {
    async read(Bucket, Key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      require(Body instanceof Readable, `"${Key}" has no body`);
      return Body;
    },
    async delete(Bucket, Key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },
  };
}
