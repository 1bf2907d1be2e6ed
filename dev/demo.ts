import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { parse as parseContentDisposition } from 'content-disposition';
import {
  formatUsd,
  type Priority,
  type ScanResult,
  type StorageRoutingClient,
} from '../sdk/src/index.ts';
import { CUSTOMER_ACCOUNT, type CloudAccount } from './parts/cloud-account.ts';
import { moveBucket } from './demo-migration.ts';
import { configureAccount } from './first-account.ts';
import { createProgress } from './system/progress.ts';
import { seedMovableBucket, seedSampleAccount } from './sample-account.ts';
import { startService, type Service } from './service.ts';
import { untilAskedToEnd } from './shutdown.ts';
import { startStack, type Stack } from './stack.ts';
import { hashStream, require, say } from './demo-output.ts';

interface DemoFile {
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly priority: Priority;
}

const MIB = 1 << 20;

const FILES: readonly DemoFile[] = [
  {
    name: 'summer 夏の海 🌊.mov',
    contentType: 'video/quicktime',
    sizeBytes: 64 * MIB,
    priority: 'hot',
  },
  {
    name: 'access.log',
    contentType: 'text/plain; charset=utf-8',
    sizeBytes: 0,
    priority: 'archive',
  },
  {
    name: 'Bericht für März.pdf',
    contentType: 'application/pdf',
    sizeBytes: 300_000,
    priority: 'cold',
  },
];

/** `npm run demo`: uploads, a scan and a migration with real bytes, through the API. */
async function runDemo(): Promise<void> {
  const stay = process.argv.includes('--stay');
  const progress = createProgress();
  let stack: Stack | undefined;
  let service: Service | undefined;
  const ending = untilAskedToEnd();
  const run = async () => {
    stack = await startStack({ progress });
    service = await startService(stack, { environment: { DEFAULT_PLAN: 'growth' } });
    await runSteps(stack, service);
    if (!stay) return;
    say(`Still up: API ${service.baseUrl}, Temporal UI ${uiOf(stack)}. Ctrl-C ends everything.`);
    await ending;
  };
  let exitCode = 0;
  try {
    if ((await Promise.race([run(), ending])) === 'ended') exitCode = stay ? 0 : 130;
  } catch (error) {
    say(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
    if (stack) say(`Logs: ${stack.processes.logFolder}`);
    exitCode = 1;
  }
  await service?.stop();
  await stack?.stop();
  process.exit(exitCode);
}

async function runSteps(stack: Stack, service: Service): Promise<void> {
  const { client } = await configureAccount(service.baseUrl, stack.environment);
  say(`\nAPI ${service.baseUrl}   Temporal UI ${uiOf(stack)}`);
  say('\n1. Three stores of the customer, each tried with a small object');
  await tryStores(client);

  const folder = join(stack.processes.dataFolder, 'demo');
  await mkdir(folder, { recursive: true });
  const stored: string[] = [];
  for (const [index, file] of FILES.entries()) {
    say(
      `\n${index + 2}. ${file.priority}: "${file.name}", ${file.sizeBytes.toLocaleString('en')} bytes`,
    );
    stored.push(await sendAndFetch(client, folder, file));
  }

  say('\n5. What the month says');
  const { plan, usage } = await client.me();
  say(
    `   plan ${plan}: ${usage.uploads} uploads, ${usage.gbRouted} GB routed of ${usage.gbQuota ?? '∞'} GB`,
  );
  const { savedVsAwsUsd, byProvider } = await client.analytics.summary();
  say(`   saved ${formatUsd(savedVsAwsUsd)} USD a month against S3 in all`);
  for (const { provider, files, gbRouted } of byProvider)
    say(`   ${provider}  ${files} files, ${gbRouted} GB`);

  say('\n6. Deleted again');
  for (const fileId of stored) await deleteAndLook(client, fileId);
  await rm(folder, { recursive: true });

  if (stack.cloud) {
    const { cloud, environment } = stack;
    const audit = await auditAccount(client, cloud);
    await moveBucket({ client, environment, cloud, ...audit });
  }
  say(`\nEvery upload, the scans and the migration were held by workflows; they can be read at`);
  say(`${uiOf(stack)}\n`);
}

async function tryStores(client: StorageRoutingClient): Promise<void> {
  const { items } = await client.providers.list();
  for (const { provider, bucketName } of items) {
    const { ok, checks } = await client.providers.test(provider);
    const times = checks.map(({ name, latencyMs }) => `${name} ${latencyMs} ms`).join(', ');
    require(ok, `the store of ${provider} is not usable`);
    say(`   ${provider}  ${bucketName}: ${times}`);
  }
}

/** Init, PUT, complete, GET; verifies that the downloaded bytes equal the uploaded ones. */
async function sendAndFetch(
  client: StorageRoutingClient,
  folder: string,
  file: DemoFile,
): Promise<string> {
  const path = join(folder, file.name);
  const sha256 = await writeRandomFile(path, file.sizeBytes);
  const { contentType, priority } = file;
  const done = await client.upload({ source: path, contentType, priority });
  const { routing, downloadUrl } = await client.getFile(done.fileId);
  const costs = routing.costs
    .map((cost) => `${cost.provider} ${formatUsd(cost.monthlyCostUsd)}`)
    .join(', ');
  say(`   decided   ${routing.provider}: ${routing.reason}`);
  say(`   per month ${costs} USD`);
  say(`   saved     ${done.savedVsAwsFixed} USD a month against S3`);
  say(`   stored    PUT straight to ${routing.provider}, then verified there: ${done.status}`);

  require(downloadUrl !== null, 'an active file has no download URL');
  const response = await fetch(downloadUrl);
  const { filename } = parseContentDisposition(
    response.headers.get('content-disposition') ?? '',
  ).parameters;
  require(filename === file.name, `it came back under the name ${filename}`);
  require((await hashStream(response.body ?? [])) === sha256, 'other bytes came back');
  say(`   fetched   as "${filename}", SHA-256 ${sha256.slice(0, 16)}… equal`);
  return done.fileId;
}

async function deleteAndLook(client: StorageRoutingClient, fileId: string): Promise<void> {
  const { status } = await client.deleteFile(fileId);
  const answer = await client.getFile(fileId).catch((error: unknown) => error);
  const code = answer instanceof Error && 'code' in answer ? answer.code : 'still there';
  require(status === 'deleted' &&
    code === 'file_deleted', `${fileId}: ${status}, then ${String(code)}`);
  say(`   ${fileId}: ${status}, and asked for again: ${code}`);
}

/** Connects the customer's cloud account, scans it and prints the report. */
async function auditAccount(
  client: StorageRoutingClient,
  cloud: CloudAccount,
): Promise<{ scan: ScanResult; bucket: string }> {
  const { roleArn, externalId, double } = cloud;
  say('\n7. The customer connects a cloud account by a read-only role');
  const sample = { accountId: CUSTOMER_ACCOUNT, now: new Date(), prefix: 'acme-' };
  seedSampleAccount(double, sample);
  const bucket = seedMovableBucket(double, sample);
  const regions = ['us-east-1', 'eu-central-1'];
  const { connectionId, bucketCount } = await client.scanner.connect({
    roleArn,
    externalId,
    regions,
  });
  say(`   ${roleArn}: assumed, its external id is demanded, ${bucketCount} buckets`);

  say('\n8. Scanned, and watched while it runs');
  const { scanId } = await client.scanner.start(connectionId);
  const scan = await client.scanner.waitFor(scanId, {
    pollMs: 250,
    onProgress: ({ status, source, progress }) =>
      say(
        `   ${status} (${source}): ${progress.bucketsDone} of ${progress.bucketsTotal} buckets, ${progress.objects} objects`,
      ),
  });
  require(scan.status === 'completed', `the scan failed: ${scan.error?.message}`);
  say(`   ${scan.requests.list + scan.requests.other} requests, ${scan.requests.costUsd} USD`);

  say('\n9. The report, as its owner reads it\n');
  say((await client.scanner.report(scanId)).replaceAll(/^/gm, '   '));
  return { scan, bucket };
}

async function writeRandomFile(path: string, sizeBytes: number): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'w');
  for (let left = sizeBytes; left > 0; left -= MIB) {
    const piece = randomBytes(Math.min(MIB, left));
    hash.update(piece);
    await file.write(piece);
  }
  await file.close();
  require((await hashStream(createReadStream(path))) ===
    hash.copy().digest('hex'), 'the file differs from the bytes written');
  return hash.digest('hex');
}

function uiOf(stack: Stack): string {
  return stack.environment['TEMPORAL_UI_URL'] ?? '(given elsewhere)';
}

await runDemo();
