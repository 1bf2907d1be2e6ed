import { writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Client, Connection } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { FileRecord } from '../../domain/file.ts';
import { scanWorkflowId, uploadWorkflowId } from '../../workflows/names.ts';
import { createUploadWorld } from '../integration/upload-world.ts';
import { createCloudCustomer, trustPolicy } from '../integration/scan/cloud-customer.ts';
import { localServers, localService, stopLocalServers } from '../servers.ts';

/**
 * Records one history for each way an upload can go: `npx tsx test/histories/record.ts`. Run it when
 * a workflow gets a new way to go; never to make a replay pass that an old history fails.
 */
const { timeSkippingServer, mongodbUri } = await localServers();
const world = await createUploadWorld(await timeSkippingServer(), mongodbUri);

const stories: Record<string, (file: FileRecord) => Promise<unknown>> = {
  'upload-completed': async (file) => {
    world.bucket.objects.set(file.objectKey, file.sizeBytes);
    await world.uploads.complete(file, 'record');
  },
  'upload-expired': () => Promise.resolve(),
  'upload-found-at-the-deadline': async (file) => {
    world.bucket.objects.set(file.objectKey, file.sizeBytes);
  },
  'upload-deleted-while-pending': (file) => world.uploads.delete(file, 'record'),
  'upload-deleted-by-a-second-run': async (file) => {
    world.bucket.objects.set(file.objectKey, file.sizeBytes);
    await world.uploads.complete(file, 'record');
    await world.ending(file);
    await world.uploads.delete(file, 'record');
  },
};

for (const [name, tell] of Object.entries(stories)) {
  const file = await world.arrive();
  await tell(file);
  await world.ending(file);
  const history = await world.env.client.workflow
    .getHandle(uploadWorkflowId(file.fileId))
    .fetchHistory();
  await write(name, history);
}
await world.close();

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
await stopLocalServers();

async function recordScan(name: string): Promise<void> {
  const { scanId } = await customer.client.scanner.start(connectionId);
  await customer.ended(scanId);
  const connection = await Connection.connect({
    address: stack.environment['TEMPORAL_ADDRESS'] ?? '',
  });
  const handle = new Client({ connection }).workflow.getHandle(scanWorkflowId(connectionId));
  await handle.result();
  await write(name, await handle.fetchHistory());
  await connection.close();
}

async function write(name: string, history: temporal.api.history.v1.IHistory): Promise<void> {
  await writeFile(new URL(`${name}.json`, import.meta.url), `${historyToJSON(history)}\n`);
}
