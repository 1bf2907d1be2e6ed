import { writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { FileRecord } from '../../domain/file.ts';
import { uploadWorkflowId } from '../../workflows/names.ts';
import { createUploadWorld } from '../integration/upload-world.ts';
import { localServers, stopLocalServers } from '../servers.ts';

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
  const text = historyToJSON(history);
  await writeFile(new URL(`${name}.json`, import.meta.url), `${text}\n`);
}
await world.close();
await stopLocalServers();
