import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { temporal } from '@temporalio/proto';
import type { FileRecord } from '../../domain/upload/file.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { openRecords } from '../../adapters/mongo/records.ts';
import { silentProgress } from '../../dev/system/progress.ts';
import { startService } from '../../dev/service.ts';
import { startStack } from '../../dev/stack.ts';
import { scanWorkflowId, uploadWorkflowId } from '../../messages/names.ts';
import { createUploadHarness } from '../harness/upload-harness.ts';
import { createCloudCustomer, trustPolicy, untilRunning } from '../harness/cloud-customer.ts';
import { createMigrationCustomer, type MigrationCustomer } from '../harness/migration-customer.ts';
import { storeMigration } from '../harness/stored-migration.ts';
import { localServers, localService, stopLocalServers } from '../servers.ts';
import { openTemporalClient } from '../harness/temporal.ts';

/**
 * Records one history for each way an upload can go: `npx tsx test/histories/record.ts`. Run it when
 * a workflow gets a new way to go, under a new name. A history that is recorded stays as it is.
 */
const { timeSkippingServer, mongodbUri } = await localServers();
const harness = await createUploadHarness(await timeSkippingServer(), mongodbUri);

const stories: Record<string, (file: FileRecord) => Promise<unknown>> = {
  'upload-completed': async (file) => {
    harness.bucket.objects.set(file.objectKey, file.sizeBytes);
    await harness.complete(file);
  },
  'upload-expired': () => Promise.resolve(),
  'upload-found-at-the-deadline': async (file) => {
    harness.bucket.objects.set(file.objectKey, file.sizeBytes);
  },
  'upload-settled-after-an-outage': async (file) => {
    harness.bucket.objects.set(file.objectKey, file.sizeBytes);
    harness.bucket.silent = true;
    await harness.pass('26h');
    harness.bucket.silent = false;
  },
  'upload-deleted-while-pending': (file) => harness.remove(file),
  'upload-deleted-by-its-run': async (file) => {
    harness.bucket.silent = true;
    await harness.remove(file);
    await harness.pass('30m');
    harness.bucket.silent = false;
  },
  'upload-delete-stopped': async (file) => {
    harness.bucket.silent = true;
    await harness.remove(file);
    const deleteStartedAt = addSeconds(harness.now(), -7 * 86_400);
    await harness.records.files.change(file.fileId, ['deleting'], { set: { deleteStartedAt } });
  },
  'upload-deleted-by-a-second-run': async (file) => {
    await harness.ending(file);
    harness.bucket.silent = true;
    await harness.remove(file);
    harness.bucket.silent = false;
  },
};

for (const [name, tell] of Object.entries(stories)) {
  if (isRecorded(name)) continue;
  harness.bucket.silent = false;
  const file = await harness.arrive();
  await tell(file);
  await harness.ending(file);
  const history = await harness.env.client.workflow
    .getHandle(uploadWorkflowId(file.fileId))
    .fetchHistory();
  await write(name, history);
}
await harness.close();

/** A scan that completes, and one whose role is taken away before it has begun. */
const { stack } = await localServers();
const { baseUrl } = await localService();
const customer = await createCloudCustomer(stack, baseUrl);
const bucket = customer.bucket('recorded');
customer.double.seed({ bucket, objects: [{ key: 'a/b.txt', size: 1 }] });
const connectionId = await customer.connect();
await recordScan('scan-completed');
customer.putRole({ trustPolicy: trustPolicy({ 'sts:ExternalId': 'another' }) });
customer.double.revokeSessions({ roleArn: customer.roleArn });
await recordScan('scan-failed');

await recordFailureMidway();

/** Moves that go through, that are dearer than their quote by now, that are cancelled or fail midway. */
const moving = await startStack({ progress: silentProgress });
assert.ok(moving.cloud);
const service = await startService(moving, {
  environment: { DEFAULT_PLAN: 'enterprise', PROVIDER_ENDPOINT_B2: moving.cloud.s3Endpoint },
});
const slowSource = ({ double, source: bucket }: MigrationCustomer): void => {
  double.addFault({ effect: 'latency', operation: 'GetObject', bucket, latencyMs: 400 });
};
const cancel = (customer: MigrationCustomer, migrationId: string): void => {
  void customer.client.migrations.cancel(migrationId);
};
await recordMigration('migration-completed', {});
await recordMigration('migration-quote-exceeded', {
  afterScan(customer) {
    customer.put(Array.from({ length: 9 }, (_unused, n) => ({ key: `more/${n}`, size: 200_000 })));
  },
});
await recordMigration('migration-cancelled', {
  objects: 2_100,
  afterScan: slowSource,
  onCopied: cancel,
});
await recordSuperseded('migration-superseded');
await recordMigration('migration-failed', {
  objects: 2_100,
  afterScan: slowSource,
  onCopied: ({ double, keys }) => double.removeUser(keys.source.accessKeyId),
});
await service.stop();
await moving.stop();
/** A scan that looks back at a migration. */
const records = openRecords({
  uri: stack.environment['MONGODB_URI'] ?? '',
  database: stack.environment['MONGODB_DATABASE'] ?? '',
});
customer.putRole();
customer.double.seed({ bucket, objects: [{ key: 'a/large', size: 1e12, etag: 'e' }] });
const first = await customer.scan();
const { recommendationId = '' } = first.recommendations.find(({ kind }) => kind === 'move') ?? {};
await storeMigration(records, {
  accountId: customer.accountId,
  scan: first,
  recommendationId,
  copied: [{ key: 'a/large', etag: 'e', sizeBytes: 1e12 }],
  status: 'completed',
});
await recordScan('scan-reconciling');
await records.close();
await stopLocalServers();

interface MigrationStory {
  readonly objects?: number;
  readonly afterScan?: (customer: MigrationCustomer) => void;
  /** Called once, after the first objects. */
  readonly onCopied?: (customer: MigrationCustomer, migrationId: string) => void;
}

async function recordMigration(
  name: string,
  { objects = 60, afterScan, onCopied }: MigrationStory,
): Promise<void> {
  if (isRecorded(name)) return;
  const customer = await createMigrationCustomer(moving, service.baseUrl);
  customer.put(Array.from({ length: objects }, (_unused, n) => ({ key: `o/${n}`, size: 200_000 })));
  const { recommendationId } = await customer.recommend();
  afterScan?.(customer);
  const { migrations } = customer.client;
  const { migrationId } = await migrations.approve(recommendationId, { targetProvider: 'b2' });
  let isTold = false;
  await migrations.waitFor(migrationId, {
    pollMs: 100,
    onProgress({ progress }) {
      if (isTold || progress.objectsCopied === 0) return;
      isTold = true;
      onCopied?.(customer, migrationId);
    },
  });
  await writeFile(fileOf(name), `${JSON.stringify(await customer.history(recommendationId))}\n`);
}

/** A recommendation that a newer scan supersedes. */
async function recordSuperseded(name: string): Promise<void> {
  if (isRecorded(name)) return;
  const customer = await createMigrationCustomer(moving, service.baseUrl);
  customer.put(Array.from({ length: 60 }, (_unused, n) => ({ key: `o/${n}`, size: 200_000 })));
  const { recommendationId } = await customer.recommend();
  await customer.recommend();
  await writeFile(fileOf(name), `${JSON.stringify(await customer.history(recommendationId))}\n`);
}

/** The session ends while several buckets are read. */
async function recordFailureMidway(): Promise<void> {
  customer.putRole();
  for (const extra of ['b', 'c', 'd', 'e']) {
    const bucket = customer.bucket(extra);
    customer.double.seed({ bucket, generated: [{ count: 20_000, keyPattern: '{i:6}', size: 1 }] });
  }
  const bucket = `*-${customer.awsAccount}`;
  customer.double.addFault({ effect: 'latency', operation: 'ListObject*', bucket, latencyMs: 500 });
  await recordScan('scan-failed-midway', () => {
    customer.putRole({ trustPolicy: trustPolicy({ 'sts:ExternalId': 'another' }) });
    customer.double.revokeSessions({ roleArn: customer.roleArn });
  });
  customer.double.clearFaults();
}

async function recordScan(name: string, onRunning?: () => void): Promise<void> {
  if (isRecorded(name)) return;
  const { scanId } = await customer.client.scanner.start(connectionId);
  if (onRunning) {
    await untilRunning(customer, scanId);
    onRunning();
  }
  await customer.ended(scanId);
  const temporal = await openTemporalClient(stack);
  const handle = temporal.workflow.getHandle(scanWorkflowId(connectionId));
  await handle.result();
  await write(name, await handle.fetchHistory());
  await temporal.connection.close();
}

function isRecorded(name: string): boolean {
  return existsSync(fileOf(name));
}

async function write(name: string, history: temporal.api.history.v1.IHistory): Promise<void> {
  await writeFile(fileOf(name), `${historyToJSON(history)}\n`);
}

function fileOf(name: string): URL {
  return new URL(`${name}.json`, import.meta.url);
}
