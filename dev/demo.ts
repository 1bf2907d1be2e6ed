import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { formatUsd, type ScanResult, type StorageRoutingClient } from '../sdk/src/index.ts';
import type { CloudAccount } from './parts/cloud-account.ts';
import { type Move, moveBucket } from './demo-migration.ts';
import { relocateFiles, SHORT_LIVED_URLS } from './demo-relocation.ts';
import { buildDashboard, formatUsers } from './dashboard.ts';
import { configureAccount } from './first-account.ts';
import { createProgress } from './system/progress.ts';
import { SAMPLE_LIMITS, SAMPLE_REGIONS, seedCustomerAccount } from './sample-account.ts';
import { startService, type Service } from './service.ts';
import { untilAskedToEnd } from './shutdown.ts';
import { startStack, type Stack } from './stack.ts';
import { require, say } from './demo-output.ts';
import { deleteAndLook, FILES, sendAndFetch } from './demo-uploads.ts';

/** `npm run demo`: uploads, a scan, a migration, a relocation with real bytes, through the API. */
async function runDemo(): Promise<void> {
  const stay = process.argv.includes('--stay');
  const progress = createProgress();
  let stack: Stack | undefined;
  let service: Service | undefined;
  const ending = untilAskedToEnd();
  const run = async () => {
    stack = await startStack({ progress });
    service = await startService(stack, {
      environment: { DEFAULT_PLAN: 'growth', ...SAMPLE_LIMITS, ...SHORT_LIVED_URLS },
    });
    const audited = await runSteps(stack, service);
    if (stay) await buildDashboard(stack.processes.logFolder, progress);
    showWhereItIs(stack, service, audited, stay);
    if (stay) await ending;
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

/** A scan of the customer's account, and the migration that followed from it. */
interface Audited {
  readonly scanId: string;
  readonly migrationId: string;
}

/** The result is undefined if the cloud account is not the local one. */
async function runSteps(stack: Stack, service: Service): Promise<Audited | undefined> {
  const { client } = await configureAccount(service.baseUrl, stack.environment);
  say(`\nAPI ${service.baseUrl}   Temporal UI ${uiAddress(stack)}`);
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

  say('\n6. What the month says');
  const { plan, usage } = await client.me();
  say(
    `   plan ${plan}: ${usage.uploads} uploads, ${usage.gbRouted} GB routed of ${usage.gbQuota ?? '∞'} GB`,
  );
  const { savedVsAwsUsd, byProvider } = await client.analytics.summary();
  say(`   saved ${formatUsd(savedVsAwsUsd)} USD a month against S3 in all`);
  for (const { provider, files, gbRouted } of byProvider)
    say(`   ${provider}  ${files} files, ${gbRouted} GB`);

  say('\n7. Deleted again');
  for (const fileId of stored) await deleteAndLook(client, fileId);
  await rm(folder, { recursive: true });

  const { cloud, environment } = stack;
  const audited = cloud
    ? await auditAndMove({ client, baseUrl: service.baseUrl, environment, cloud })
    : undefined;
  await relocateFiles(client, environment);
  return audited;
}

async function auditAndMove(customer: Omit<Move, 'scan' | 'bucket'>): Promise<Audited> {
  const { client, cloud } = customer;
  const audit = await auditAccount(client, cloud);
  const { migrationId } = await moveBucket({ ...customer, ...audit });
  await auditSmallAccount(client, cloud);
  return { scanId: audit.scan.scanId, migrationId };
}

/** The last step: the addresses that show the demo's results while it is up. */
function showWhereItIs(
  stack: Stack,
  { baseUrl }: Service,
  audited: Audited | undefined,
  stay: boolean,
): void {
  if (!stay) {
    say('\nnpm run demo -- --stay does the same, stays up, and prints where the dashboard shows');
    say('the scan and the migration, and Temporal UI their workflows.\n');
    return;
  }
  const dashboard = `${baseUrl}/dashboard`;
  say(`\n20. In the dashboard: ${dashboard}`);
  say(`   users         ${formatUsers(stack.identity?.users ?? [])}`);
  if (audited) {
    say('   as alice');
    say(`     the scan       ${dashboard}/audit/scans/${audited.scanId}`);
    say(`     the migration  ${dashboard}/migrations/${audited.migrationId}`);
  }
  say(`   the workflows ${uiAddress(stack)}`);
  say(`   the API       ${baseUrl}/docs`);
  say('\nCtrl-C ends everything.');
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

/** Connects the customer's cloud account, scans it and prints the report. */
async function auditAccount(
  client: StorageRoutingClient,
  cloud: CloudAccount,
): Promise<{ scan: ScanResult; bucket: string }> {
  const { roleArn, externalId, double } = cloud;
  say('\n8. The customer connects a cloud account by a read-only role');
  const { movable: bucket } = seedCustomerAccount(double);
  const { connectionId, bucketCount } = await client.scanner.connect({
    roleArn,
    externalId,
    regions: SAMPLE_REGIONS,
  });
  say(`   ${roleArn}: assumed, its external id is demanded, ${bucketCount} buckets`);
  say('   of a company that publishes in us-east-1, computes in us-west-2, keeps in eu-central-1');

  say('\n9. Scanned, and watched while it runs');
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

  say('\n10. The report, as its owner reads it\n');
  say((await client.scanner.report(scanId)).replaceAll(/^/gm, '   '));
  return { scan, bucket };
}

/** Scans an account whose role shows neither the bill nor metrics, and prints how its report begins. */
async function auditSmallAccount(
  client: StorageRoutingClient,
  { smallRoleArn: roleArn, externalId }: CloudAccount,
): Promise<void> {
  say('\n18. A second account, whose role shows neither the bill nor metrics: its report begins\n');
  const regions = ['us-east-1'];
  const { connectionId } = await client.scanner.connect({ roleArn, externalId, regions });
  const { scanId } = await client.scanner.start(connectionId);
  const { status, error } = await client.scanner.waitFor(scanId, { pollMs: 250 });
  require(status === 'completed', `the scan failed: ${error?.message}`);
  const [beginning = ''] = (await client.scanner.report(scanId)).split('\n|');
  say(beginning.trimEnd().replaceAll(/^/gm, '   '));
}

function uiAddress(stack: Stack): string {
  return stack.environment['TEMPORAL_UI_URL'] ?? '(given elsewhere)';
}

await runDemo();
