import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { addSeconds } from '../../domain/common/time.ts';
import type { FileRecord } from '../../domain/uploads/file.ts';
import { startService } from '../../dev/service.ts';
import {
  deliveryWorkflowId,
  drillWorkflowId,
  migrationWorkflowId,
  relocationWorkflowId,
  scanWorkflowId,
  uploadWorkflowId,
} from '../../messages/names.ts';
import {
  createCloudCustomer,
  slowDown,
  trustPolicy,
  untilRunning,
} from '../harness/cloud-customer.ts';
import {
  createMigrationCustomer,
  objectsOf,
  untilCopied,
  type MigrationCustomer,
} from '../harness/migration-customer.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { eventually, type Customer } from '../harness/customer.ts';
import { drillFrom, drillsOf, untilDrill } from '../harness/drill.ts';
import { openFormerPlace, type OwnPlace } from '../harness/own-place.ts';
import { relocationsOf, startRelocation, untilRelocation } from '../harness/relocation.ts';
import { startWebhookServer } from '../harness/webhook-receiver.ts';
import { openRecordsOf } from '../harness/stored-approval.ts';
import { storeMigration } from '../harness/stored-migration.ts';
import { insertMove } from '../harness/stored-recommendation.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { createUploadHarness } from '../harness/upload-harness.ts';
import { fetchRuns, type History } from '../harness/workflow-runs.ts';
import { customerWith } from '../integration/customers.ts';
import {
  localMigrationService,
  localServers,
  startOwnStack,
  stopLocalServers,
} from '../servers.ts';

/**
 * Records one history for each way a workflow can go, and the first, a middle and the last run of a scan and of a
 * migration that continue as new: `npx tsx test/histories/record.ts`. Run it when a workflow gets a new way to go, under
 * a new name. A history that is recorded stays as it is.
 */
const { timeSkippingServer, mongodbUri } = await localServers();
const harness = await createUploadHarness(await timeSkippingServer(), mongodbUri);
const { bucket } = harness;
const arrive = async ({ objectKey, sizeBytes }: FileRecord) =>
  void bucket.objects.set(objectKey, sizeBytes);

const uploads: Record<string, (file: FileRecord) => Promise<unknown>> = {
  'upload-completed': async (file) => {
    await arrive(file);
    await harness.complete(file);
  },
  'upload-expired': () => Promise.resolve(),
  'upload-found-at-the-deadline': arrive,
  'upload-settled-after-an-outage': async (file) => {
    await arrive(file);
    bucket.silent = true;
    await harness.pass('26h');
    bucket.silent = false;
  },
  'upload-deleted-while-pending': (file) => harness.remove(file),
  'upload-deleted-by-its-run': async (file) => {
    bucket.silent = true;
    await harness.remove(file);
    await harness.pass('30m');
    bucket.silent = false;
  },
  'upload-delete-stopped': async (file) => {
    bucket.silent = true;
    await harness.remove(file);
    const deleteStartedAt = addSeconds(harness.now(), -7 * 86_400);
    await harness.records.files.change(file.fileId, ['deleting'], { set: { deleteStartedAt } });
  },
  'upload-deleted-by-a-second-run': async (file) => {
    await harness.ending(file);
    bucket.silent = true;
    await harness.remove(file);
    bucket.silent = false;
  },
};

for (const [name, tell] of Object.entries(uploads)) {
  if (isRecorded(name)) continue;
  bucket.silent = false;
  const file = await harness.arrive();
  await tell(file);
  await harness.ending(file);
  await write(name, await historyOf(harness.env.client, uploadWorkflowId(file.fileId)));
}
await harness.close();

const { stack, service } = await localMigrationService();
const temporal = await openTemporalClient(stack);

/** So many that they are copied in several slices. */
const OBJECTS = 2_100;
/** Moves that go through, that are dearer than their quote by now, that are cancelled, superseded, or fail midway. */
const moves: Record<string, (customer: MigrationCustomer, id: string) => Promise<unknown>> = {
  'migration-completed': (customer, id) => customer.approve(id),
  'migration-quote-exceeded': (customer, id) => {
    customer.put(objectsOf(OBJECTS * 1.2, () => 200_000));
    return customer.approve(id);
  },
  'migration-cancelled': async (customer, id) =>
    customer.client.migrations.cancel(await copying(customer, id)),
  'migration-superseded': (customer) => customer.recommend(),
  'migration-failed': async (customer, id) => {
    await copying(customer, id);
    customer.double.removeUser(customer.keys.source.accessKeyId);
  },
};

for (const [name, tell] of Object.entries(moves)) {
  if (isRecorded(name)) continue;
  const customer = await customerWith(objectsOf(OBJECTS, () => 200_000));
  const { recommendationId } = await customer.recommend();
  await tell(customer, recommendationId);
  await writeFile(fileOf(name), `${JSON.stringify(await customer.history(recommendationId))}\n`);
  customer.double.clearFaults();
}

/** Approves a move of slow objects, and waits until it copies. */
async function copying(customer: MigrationCustomer, recommendationId: string): Promise<string> {
  const slow = { effect: 'latency', operation: 'GetObject', latencyMs: 400 } as const;
  customer.addFaults([{ ...slow, side: 'source' }]);
  const migrationId = await customer.approve(recommendationId);
  await untilCopied({ customer, migrationId });
  return migrationId;
}

/** Scans that complete, that fail before they have begun and while several buckets are read, and that look back at a move. */
const owner = await createCloudCustomer(stack, service.baseUrl);
owner.readFromInternet();
const takeRole = (): void => {
  owner.putRole({ trustPolicy: trustPolicy({ 'sts:ExternalId': 'another' }) });
  owner.double.revokeSessions({ roleArn: owner.roleArn });
};
const large = { key: 'a/large', etag: 'e' };
owner.double.seed({ bucket: owner.bucket('recorded'), objects: [{ ...large, size: 1e12 }] });
const connectionId = await owner.connect();
await recordScan('scan-completed');
takeRole();
await recordScan('scan-failed');
owner.putRole();
if (!isRecorded('scan-reconciling')) {
  const records = openRecordsOf(stack);
  const scan = await owner.scan();
  const [{ recommendationId } = assert.fail()] = scan.recommendations;
  const move = { accountId: owner.accountId, scan, recommendationId, status: 'completed' } as const;
  await storeMigration(records, { ...move, copied: [{ ...large, sizeBytes: 1e12 }] });
  await records.close();
  await recordScan('scan-reconciling');
}
const generated = [{ count: 20_000, keyPattern: '{i:6}', size: 1 }];
for (const extra of ['b', 'c', 'd', 'e'])
  owner.double.seed({ bucket: owner.bucket(extra), generated });
slowDown(owner, 500);
await recordScan('scan-failed-midway', takeRole);
await temporal.connection.close();
await stopLocalServers();
await recordRuns();
await recordStanding();
await recordPlaceRuns();

async function recordScan(name: string, onRunning?: () => void): Promise<void> {
  if (isRecorded(name)) return;
  const { scanId } = await owner.client.scanner.start(connectionId);
  if (onRunning) {
    await untilRunning(owner, scanId);
    onRunning();
  }
  await owner.ended(scanId);
  await write(name, await historyOf(temporal, scanWorkflowId(connectionId)));
}

/** On servers that let a run continue as new after a few events. */
async function recordRuns(): Promise<void> {
  if (isRecorded('scan-first-run') && isRecorded('migration-first-run')) return;
  const stack = await startOwnStack({ eventsPerRun: 12 });
  const PROVIDER_ENDPOINT_B2 = stack.cloud?.s3Endpoint ?? '';
  const environment = { DEFAULT_PLAN: 'enterprise', PROVIDER_ENDPOINT_B2 };
  const service = await startService(stack, { environment });
  const [records, temporal] = [openRecordsOf(stack), await openTemporalClient(stack)];
  const customer = await createMigrationCustomer(stack, service.baseUrl);
  for (let n = 0; n < 12; n += 1) {
    const bucket = customer.bucket(`recorded-${n}`);
    customer.double.seed({ bucket, objects: [{ key: 'a/b.txt', size: 1 }] });
  }
  const { connectionId } = await customer.scan();
  await recordThree('scan', temporal, scanWorkflowId(connectionId));
  customer.put(objectsOf(4_100, () => 16));
  const place = { bucket: customer.source, region: 'us-east-1', objects: 4_100, bytes: 4_100 * 16 };
  const recommendationId = await insertMove(records, { accountId: customer.accountId, ...place });
  await customer.migrated(await customer.approve(recommendationId));
  await recordThree('migration', temporal, migrationWorkflowId(recommendationId));
  await temporal.connection.close();
  await records.close();
  await service.stop();
  await stack.stop();
}

/** A delivery to a webhook, and one run of each sweep of standing advice. */
async function recordStanding(): Promise<void> {
  const sweeps = ['sweepPrices', 'sweepWebhooks'];
  if (['deliver', ...sweeps].every(isRecorded)) return;
  const receiver = await startWebhookServer();
  const stack = await startOwnStack({ eventsPerRun: 12 });
  const service = await startService(stack, { environment: receiver.environment });
  const temporal = await openTemporalClient(stack);
  const customer = await createCloudCustomer(stack, service.baseUrl);
  for (const [taskQueue, sweep] of [
    ['scans', 'sweepPrices'],
    ['webhooks', 'sweepWebhooks'],
  ] as const)
    await temporal.workflow.start(sweep, { taskQueue, workflowId: `recorded-${sweep}` });
  const { webhooks } = customer.client;
  const { webhookId } = await webhooks.add({
    url: receiver.url('recorded'),
    events: ['scan.completed'],
  });
  const { eventId } = await webhooks.test(webhookId);
  await eventually('the event has arrived', () =>
    Promise.resolve(receiver.arrived('recorded').length === 1),
  );
  await write(
    'deliver',
    await historyOf(
      temporal,
      deliveryWorkflowId({ eventId, webhookId, accountId: customer.accountId }),
    ),
  );
  for (const sweep of sweeps) {
    const isContinued = async () => (await fetchRuns(temporal, `recorded-${sweep}`)).length > 1;
    assert.ok(await isSoon(isContinued, { withinMs: 300_000, everyMs: 1_000 }), sweep);
    const [first] = await fetchRuns(temporal, `recorded-${sweep}`);
    if (first) await write(sweep, first.history);
  }
  await temporal.connection.close();
  await service.stop();
  await stack.stop();
  await receiver.close();
}

/** Relocations and exit drills that go through, and that are cancelled while they copy. */
async function recordPlaceRuns(): Promise<void> {
  const ends = ['completed', 'cancelled'] as const;
  const missing = (['relocation', 'drill'] as const)
    .flatMap((kind) => ends.map((end) => ({ kind, end })))
    .filter(({ kind, end }) => !isRecorded(`${kind}-${end}`));
  if (missing.length === 0) return;
  const stack = await startOwnStack();
  const service = await startService(stack, {
    environment: {
      DEFAULT_PLAN: 'growth',
      UPLOAD_URL_SECONDS: '5',
      DOWNLOAD_URL_SECONDS: '5',
      RELOCATION_DRAIN_SECONDS: '1',
    },
  });
  const temporal = await openTemporalClient(stack);
  for (const { kind, end } of missing) {
    const opened = await openFormerPlace(stack, service.baseUrl, 3);
    const { customer, former: from, current: to } = opened;
    const run = kind === 'drill' ? drillRun(customer, from) : relocationRun(customer, from);
    const id = await run.start();
    const slow = { effect: 'latency', operation: 'PutObject', latencyMs: 3_000 } as const;
    stack.cloud?.double.addFault({ ...slow, bucket: to.name, key: '*report*' });
    await run.until(id, 'copying');
    if (end === 'cancelled') await run.cancel(id);
    await run.until(id, end);
    await write(`${kind}-${end}`, await historyOf(temporal, run.workflowId(id)));
    for (const { s3 } of [from, to]) s3.destroy();
    stack.cloud?.double.clearFaults();
  }
  await temporal.connection.close();
  await service.stop();
  await stack.stop();
}

type RunStatus = 'copying' | 'completed' | 'cancelled';

function relocationRun(customer: Customer, from: OwnPlace) {
  return {
    start: () => startRelocation(customer, from),
    until: (id: string, status: RunStatus) => untilRelocation(customer, id, status),
    cancel: relocationsOf(customer).cancel,
    workflowId: relocationWorkflowId,
  };
}

function drillRun(customer: Customer, from: OwnPlace) {
  const drills = drillsOf(customer);
  return {
    start: async () => (await drills.start(drillFrom(from, 3))).drillId,
    until: (id: string, status: RunStatus) => untilDrill(drills, id, status),
    cancel: drills.cancel,
    workflowId: drillWorkflowId,
  };
}

async function recordThree(kind: string, client: Client, workflowId: string): Promise<void> {
  await client.workflow.getHandle(workflowId).result();
  const runs = await fetchRuns(client, workflowId);
  for (const [name, at] of [
    ['first', 0],
    ['middle', Math.floor(runs.length / 2)],
    ['last', -1],
  ] as const) {
    const run = runs.at(at);
    if (run && !isRecorded(`${kind}-${name}-run`)) await write(`${kind}-${name}-run`, run.history);
  }
}

/** The history of a workflow that ends. */
async function historyOf(client: Pick<Client, 'workflow'>, workflowId: string): Promise<History> {
  const handle = client.workflow.getHandle(workflowId);
  await handle.result();
  return await handle.fetchHistory();
}

function isRecorded(name: string): boolean {
  return existsSync(fileOf(name));
}

async function write(name: string, history: History): Promise<void> {
  await writeFile(fileOf(name), `${historyToJSON(history)}\n`);
}

function fileOf(name: string): URL {
  return new URL(`${name}.json`, import.meta.url);
}
