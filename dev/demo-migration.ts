import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  formatUsd,
  type Migration,
  type Recommendation,
  type Release,
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
/** What somebody writes while the bucket is copied, and after the check. */
const WRITTEN = 'written-meanwhile.txt';
const LATE = 'written-after-the-check.txt';
/** What the commands of a release need. */
const PROGRAMS = ['aws', 'curl', 'jq'];
const REALISED_WITHIN_MS = 30_000;

/** A customer's bucket and the recommendation to move it. */
export interface Move {
  client: StorageRoutingClient;
  baseUrl: string;
  environment: Environment;
  cloud: CloudAccount;
  scan: ScanResult;
  bucket: string;
}

interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A store accessed with the owner's keys, without the service. */
interface OwnersView {
  read(bucket: string, key: string): Promise<AsyncIterable<Uint8Array>>;
  write(bucket: string, key: string): Promise<void>;
  deleteIf(bucket: string, key: string, etag: string): Promise<void>;
  delete(bucket: string, key: string): Promise<void>;
}

/**
 * Approves a recommended move, watches it while the owner goes on writing, copies the rest in a round, verifies every
 * object, gives the source up and scans again.
 */
export async function moveBucket(move: Move): Promise<Migration> {
  const { client, cloud, bucket } = move;
  const owner = createOwner(cloud.double);
  const source = openStore(cloud.s3Endpoint, CLOUD_REGION, owner);
  say('\n11. One of its recommendations, with what it costs once');
  const recommendation = showQuote(move);

  say('\n12. Approved by a person, then migrated, while somebody goes on writing');
  const copied = await approveAndWatch(client, recommendation, () => source.write(bucket, WRITTEN));

  say('\n13. A round copies what was written meanwhile, and nothing else');
  const migration = await runRound(client, copied);

  say('\n14. The report, checked from outside with the customer’s own keys');
  const objects = await readReport(client, migration);
  await verifyEqual(move, migration, objects, source);

  say('\n15. Both sides are compared: the source may be given up');
  const release = await checkRelease(client, migration);

  say('\n16. The owner deletes what is proven, by the commands of the release');
  await source.write(bucket, LATE);
  await deleteReleased(move, migration, release, { source, keys: owner });
  await source.delete(bucket, LATE);

  say('\n17. The next scan finds the source released');
  await scanAgain(move, migration);
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
  meanwhile: () => Promise<void>,
): Promise<Migration> {
  require(recommendedProvider !== null, 'a move has a target');
  const targetProvider = recommendedProvider;
  const approval = await migrations.approve(recommendationId, { targetProvider });
  const again = await migrations.approve(recommendationId, { targetProvider });
  require(again.migrationId === approval.migrationId, 'a second yes began a second migration');
  say(`   ${approval.migrationId}: approved by ${approval.approvedBy}, up to that quote`);
  const bar = createBar();
  await meanwhile();
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

async function runRound(
  { migrations }: StorageRoutingClient,
  { migrationId, quote }: Migration,
): Promise<Migration> {
  await migrations.startRound(migrationId, { maxTotalUsd: quote.totalUsd, removeAtMost: 0 });
  const migration = await migrations.waitFor(migrationId, { pollMs: POLL_MS });
  const last = migration.rounds.at(-1);
  require(migration.status === 'completed' && last !== undefined, 'the round has not completed');
  require(last.objectsCopied === 1, `the round has copied ${last.objectsCopied} objects`);
  say(
    `   round ${last.number}   ${last.objectsCopied} copied, ${last.objectsUnchanged} unchanged, ${formatUsd(last.costUsd)} USD`,
  );
  return migration;
}

async function checkRelease(
  { migrations }: StorageRoutingClient,
  { migrationId }: Migration,
): Promise<Release> {
  await migrations.beginRelease(migrationId);
  const release = await migrations.waitForRelease(migrationId, { pollMs: POLL_MS });
  require(release.status ===
    'ready', `the source is ${release.status}: ${JSON.stringify(release.differences)}`);
  say(`   ready     ${release.objects} objects proven, root ${release.rootHash?.slice(0, 16)}…`);
  return release;
}

/** Pastes the commands into bash; where a program is missing, deletes under the same condition without them. */
async function deleteReleased(
  { client, bucket, baseUrl, environment }: Move,
  { migrationId }: Migration,
  { howTo, objects }: Release,
  { source, keys }: { readonly source: OwnersView; readonly keys: Keys },
): Promise<void> {
  require(howTo !== null, 'a ready release says how to delete');
  const missing = await findMissing(PROGRAMS);
  if (missing.length > 0) {
    say(`   ${missing.join(', ')} missing here: the same by the AWS SDK`);
    for await (const { key, etag } of client.migrations.releasedObjects(migrationId))
      await source.deleteIf(bucket, key, etag);
    return;
  }
  const { stdout } = await promisify(execFile)('bash', ['-c', howTo.commands.join('\n')], {
    env: {
      ...process.env,
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      SRS_BASE_URL: baseUrl,
      SRS_DASHBOARD_TOKEN: environment['DASHBOARD_TOKEN'] ?? '',
    },
  });
  say(`   ${objects} objects deleted by the pasted commands, each only if it is still the one:`);
  say(stdout.trimEnd().replaceAll(/^/gm, '     '));
}

async function readReport(
  { migrations }: StorageRoutingClient,
  { migrationId, rounds }: Migration,
): Promise<ReportedObject[]> {
  const objects: ReportedObject[] = [];
  let last: ReportLine | undefined;
  for await (const line of migrations.report(migrationId)) {
    last = line;
    if ('key' in line) objects.push(line);
  }
  require(last !== undefined && !('key' in last), 'the report of an ended migration has no sum');
  const copied = rounds.reduce((sum, { objectsCopied }) => sum + objectsCopied, 0);
  require(last.objectsTotal === objects.length &&
    last.objectsCopied === copied, 'the report and the status do not agree');
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

async function findMissing(programs: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    programs.map((program) =>
      promisify(execFile)('sh', ['-c', `command -v ${program}`]).then(
        () => true,
        () => false,
      ),
    ),
  );
  return programs.filter((_program, at) => !found[at]);
}

async function scanAgain(
  { client, scan: { connectionId } }: Move,
  migration: Migration,
): Promise<void> {
  const { scanId } = await client.scanner.start(connectionId);
  const scan = await client.scanner.waitFor(scanId, { pollMs: POLL_MS });
  require(scan.status === 'completed', `the scan failed: ${scan.error?.message}`);
  let latest = migration;
  const isReleased = async () => {
    latest = await client.migrations.get(migration.migrationId);
    return latest.realised?.state === 'released';
  };
  const released = await isSoon(isReleased, { withinMs: REALISED_WITHIN_MS, everyMs: POLL_MS });
  require(released, 'the scan does not find it released');
  const monthlyUsd = latest.realised?.monthlyUsd ?? 0;
  say('   released: nothing of what was copied is left at the source');
  say(`   promised  ${formatUsd(monthlyUsd)} USD a month, which the next bill should show`);
}

function openStore(endpoint: string, region: string, credentials: Keys): OwnersView {
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
    async write(Bucket, Key) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body: `${Key} of the owner` }));
    },
    async deleteIf(Bucket, Key, IfMatch) {
      await client.send(new DeleteObjectCommand({ Bucket, Key, IfMatch }));
    },
    async delete(Bucket, Key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },
  };
}
