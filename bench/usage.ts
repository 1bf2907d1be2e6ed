import process from 'node:process';
import { rolePolicy } from '../adapters/cloud-account/permissions.ts';
import { startService } from '../dev/service.ts';
import { startStack } from '../dev/stack.ts';
import { silentProgress } from '../dev/system/progress.ts';
import { lastMonth } from '../test/harness/bill-rows.ts';
import { createCloudCustomer } from '../test/harness/cloud-customer.ts';
import { readCpu, subtract, sumCpu } from './uploads/processor-time.ts';
import { median } from './uploads/load.ts';

/**
 * `npm run bench:usage`: a scan of 200 buckets with request metrics, without and with the statement that lets it
 * read the bill and the metrics. Each request to the double takes 20 ms more.
 */
const BUCKETS = 200;
const ROUNDS = Number(process.env['ROUNDS'] || 3);
const LATENCY_MS = 20;
const WHOLE = '<MetricsConfiguration><Id>EntireBucket</Id></MetricsConfiguration>';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const stack = await startStack({ namespaces: ['bench-usage'], progress: silentProgress });
const service = await startService(stack, { environment: { DEFAULT_PLAN: 'enterprise' } });
const customer = await createCloudCustomer(stack, service.baseUrl);
const { double, awsAccount: accountId } = customer;
const { month } = lastMonth();
const days = Array.from({ length: 30 }, (_, at) =>
  new Date(Date.now() - (at + 1) * 86_400_000).toISOString().slice(0, 10),
);
for (let index = 0; index < BUCKETS; index += 1) {
  const bucket = customer.bucket(`b${index}`);
  double.putBucket({ name: bucket, settings: { 'metrics/EntireBucket': WHOLE } });
  double.seed({ bucket, objects: [{ key: 'a/x', size: 1_000_000 }] });
  const dimensions = { BucketName: bucket, FilterId: 'EntireBucket' };
  const values = Object.fromEntries(days.map((day) => [day, 1_000]));
  double.putMetrics(
    ['GetRequests', 'BytesDownloaded'].map((name) => ({
      accountId,
      region: 'us-east-1',
      name,
      dimensions,
      values,
    })),
  );
}
double.putBill({
  accountId,
  rows: Array.from({ length: 400 }, (_, index) => ({
    month,
    linkedAccount: accountId,
    usageType: index === 0 ? 'TimedStorage-ByteHrs' : `Other-${index}`,
    quantity: 1,
    unblendedUsd: 1,
    netUnblendedUsd: 0.8,
  })),
});
double.addFault({ effect: 'latency', latencyMs: LATENCY_MS });
const connectionId = await customer.connect();

async function scan(withUsage: boolean) {
  const policy = rolePolicy();
  customer.putRole({
    policies: [withUsage ? policy : { ...policy, Statement: policy.Statement.slice(0, 3) }],
  });
  const metered = service.workers.map(({ pid }) => ({ name: 'worker', pid }));
  const before = readCpu(metered);
  const startedAt = performance.now();
  const { scanId } = await customer.client.scanner.start(connectionId);
  const result = await customer.client.scanner.waitFor(scanId, { pollMs: 100 });
  const seconds = (performance.now() - startedAt) / 1000;
  const isRead = result.summary.bill !== null;
  if (result.status !== 'completed' || isRead !== withUsage) throw new Error(result.status);
  const cpu = sumCpu(subtract(readCpu(metered), before)) / 1000;
  return { seconds, cpu, costUsd: result.requests.costUsd };
}

const found = { without: [] as number[], with: [] as number[] };
const cpu = { without: [] as number[], with: [] as number[] };
let costUsd = 0;
for (let round = 0; round < ROUNDS; round += 1)
  for (const kind of ['without', 'with'] as const) {
    const measured = await scan(kind === 'with');
    found[kind].push(measured.seconds);
    cpu[kind].push(measured.cpu);
    costUsd = measured.costUsd;
  }
say(
  `${BUCKETS} buckets: ${median(found.without).toFixed(2)} s without the bill, ${median(found.with).toFixed(2)} s with it; ` +
    `ratio ${(median(found.with) / median(found.without)).toFixed(2)}; ` +
    `processor time of the worker ${median(cpu.without).toFixed(2)} s and ${median(cpu.with).toFixed(2)} s; ` +
    `requests for ${costUsd.toFixed(6)} USD (below 0.10)`,
);
await service.stop();
await stack.stop();
process.exit(0);
