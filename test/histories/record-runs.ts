import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { openRecords } from '../../adapters/mongo/records.ts';
import { startService } from '../../dev/service.ts';
import { migrationWorkflowId, scanWorkflowId } from '../../messages/names.ts';
import { createMigrationCustomer } from '../harness/migration-customer.ts';
import { insertMove } from '../harness/stored-recommendation.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { fetchRuns } from '../harness/workflow-runs.ts';
import { startOwnStack } from '../servers.ts';

/**
 * Records the first, a middle and the last run of a scan and of a migration that continue as new:
 * `npx tsx test/histories/record-runs.ts`. A history that is recorded stays as it is.
 */
const EVENTS_PER_RUN = 12;
const BUCKETS = 12;
const OBJECTS = 4_100;
const OBJECT_BYTES = 16;

const stack = await startOwnStack({ eventsPerRun: EVENTS_PER_RUN });
const service = await startService(stack, {
  environment: {
    DEFAULT_PLAN: 'enterprise',
    PROVIDER_ENDPOINT_B2: stack.cloud?.s3Endpoint ?? '',
  },
});
const records = openRecords({
  uri: stack.environment['MONGODB_URI'] ?? '',
  database: stack.environment['MONGODB_DATABASE'] ?? '',
});
const temporal = await openTemporalClient(stack);
const customer = await createMigrationCustomer(stack, service.baseUrl);

const connectionId = await customer.connect();
for (let n = 0; n < BUCKETS; n += 1) {
  const bucket = customer.bucket(`recorded-${n}`);
  customer.double.seed({ bucket, objects: [{ key: 'a/b.txt', size: 1 }] });
}
const { scanId } = await customer.client.scanner.start(connectionId);
await customer.ended(scanId);
await record('scan', scanWorkflowId(connectionId));

customer.put(
  Array.from({ length: OBJECTS }, (_unused, n) => ({ key: `o/${n}`, size: OBJECT_BYTES })),
);
const recommendationId = await insertMove(records, {
  accountId: customer.accountId,
  bucket: customer.source,
  region: 'us-east-1',
  objects: OBJECTS,
  bytes: OBJECTS * OBJECT_BYTES,
});
const { migrations } = customer.client;
const { migrationId } = await migrations.approve(recommendationId, { targetProvider: 'b2' });
await customer.migrated(migrationId);
await record('migration', migrationWorkflowId(recommendationId));

await temporal.connection.close();
await records.close();
await service.stop();
await stack.stop();

async function record(kind: string, workflowId: string): Promise<void> {
  await temporal.workflow.getHandle(workflowId).result();
  const runs = await fetchRuns(temporal, workflowId);
  const chosen = {
    'first-run': runs[0],
    'middle-run': runs[Math.floor(runs.length / 2)],
    'last-run': runs.at(-1),
  };
  for (const [name, run] of Object.entries(chosen)) {
    const file = new URL(`${kind}-${name}.json`, import.meta.url);
    if (run && !existsSync(file)) await writeFile(file, `${historyToJSON(run.history)}\n`);
  }
}
