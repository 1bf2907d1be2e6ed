import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { silentProgress } from '../dev/system/progress.ts';
import { startService, type Service } from '../dev/service.ts';
import { startStack, type Stack } from '../dev/stack.ts';
import { createCloudCustomer, type CloudCustomer } from '../test/harness/cloud-customer.ts';
import { seed, timeScan } from './scan/seeded.ts';
import { readCpu, readPeakMib, subtract, sumCpu } from './uploads/processor-time.ts';
import { median } from './uploads/load.ts';

/**
 * `npm run bench:scan`: a whole scan (list, classify, aggregate, decide, write) through the API, next
 * to rclone on the same bucket of the same server in the same run. `RCLONE` names its program.
 */
const RCLONE = process.env['RCLONE'] || 'rclone';
const MANY = 1_000_000;
const FEW = 10_000;
const PAGE = 1_000;
const PAGE_LATENCY_MS = 50;
const ROUNDS = Number(process.env['ROUNDS'] || 3);
const run = promisify(execFile);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function timeRclone(customer: CloudCustomer, args: readonly string[]): Promise<number> {
  const secretAccessKey = randomBytes(20).toString('hex');
  const accessKeyId = `AKIA${randomBytes(8).toString('hex').toUpperCase()}`;
  customer.double.putUser({ accessKeyId, secretAccessKey, accountId: customer.awsAccount });
  const { AWS_CA_BUNDLE: _unused, ...environment } = process.env;
  const startedAt = performance.now();
  await run(RCLONE, [...args], {
    maxBuffer: 1 << 30,
    env: {
      ...environment,
      RCLONE_CONFIG: '/dev/null',
      RCLONE_S3_PROVIDER: 'AWS',
      RCLONE_S3_ENDPOINT: customer.double.s3Endpoint,
      RCLONE_S3_REGION: 'us-east-1',
      RCLONE_S3_FORCE_PATH_STYLE: 'true',
      RCLONE_S3_ACCESS_KEY_ID: accessKeyId,
      RCLONE_S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
  });
  return (performance.now() - startedAt) / 1000;
}

async function countEvents(stack: Stack, connectionId: string): Promise<number> {
  const connection = await Connection.connect({
    address: stack.environment['TEMPORAL_ADDRESS'] ?? '',
  });
  const handle = new Client({ connection }).workflow.getHandle(`scan/${connectionId}`);
  const events = (await handle.fetchHistory()).events?.length ?? 0;
  await connection.close();
  return events;
}

const rate = (seconds: number): string => `${Math.round(MANY / seconds).toLocaleString('en')}/s`;

async function compareThroughput(
  customer: CloudCustomer,
  { worker, connectionId, bucket }: { worker: number; connectionId: string; bucket: string },
) {
  const metered = [{ name: 'worker', pid: worker }];
  const cpuMs: number[] = [];
  const ours: number[] = [];
  const sizes: number[] = [];
  const lists: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = readCpu(metered);
    ours.push((await timeScan(customer, connectionId, MANY)).seconds);
    cpuMs.push(sumCpu(subtract(readCpu(metered), before)));
    sizes.push(await timeRclone(customer, ['size', '--fast-list', `:s3:${bucket}`]));
    lists.push(await timeRclone(customer, ['lsf', '-R', '--fast-list', `:s3:${bucket}`]));
  }
  const best = Math.min(median(sizes), median(lists));
  say(
    `${MANY.toLocaleString('en')} objects, whole scan: ${median(ours).toFixed(2)} s, ${rate(median(ours))}; ` +
      `rclone size --fast-list ${median(sizes).toFixed(2)} s, ${rate(median(sizes))}; ` +
      `rclone lsf -R --fast-list ${median(lists).toFixed(2)} s; ` +
      `ratio to the faster: ${(best / median(ours)).toFixed(2)} (at least 1.3, aim 5); ` +
      `processor time of the worker: ${(median(cpuMs) / 1000).toFixed(2)} s`,
  );
}

async function compareLatency(customer: CloudCustomer, connectionId: string, bucket: string) {
  customer.double.addFault({
    effect: 'latency',
    operation: 'ListObjectsV2',
    bucket,
    latencyMs: PAGE_LATENCY_MS,
  });
  const { seconds, requests } = await timeScan(customer, connectionId, MANY);
  const sequential = await timeRclone(customer, ['size', '--fast-list', `:s3:${bucket}`]);
  customer.double.clearFaults();
  say(
    `with ${PAGE_LATENCY_MS} ms added to each page: ${seconds.toFixed(2)} s; ` +
      `one page after the other (rclone): ${sequential.toFixed(2)} s; ` +
      `ratio ${(sequential / seconds).toFixed(1)} (at least 10); ` +
      `${requests.list} list requests for ${MANY / PAGE} pages`,
  );
}

/** Of the fleet that scans, built as it is deployed. */
async function measureMemory(stack: Stack): Promise<void> {
  await run('npm', ['run', 'build']);
  const peaks: number[] = [];
  for (const [name, count] of [
    ['few', FEW],
    ['many', MANY],
  ] as const) {
    const service: Service = await startService(stack, {
      entries: { api: 'api/main.ts', worker: 'dist/worker/main.js' },
      environment: { ...SERVICE.environment, WORKER_QUEUES: 'scans' },
    });
    const customer = await createCloudCustomer(stack, service.baseUrl);
    seed(customer, name, count);
    const connectionId = await customer.connect();
    await timeScan(customer, connectionId, count);
    peaks.push(readPeakMib(service.workers[0]?.pid ?? 0));
    await service.stop();
  }
  const [few = 0, many = 0] = peaks;
  say(
    `peak memory of a worker of the queue scans, as built: ${few.toFixed(0)} MiB at ${FEW}, ${many.toFixed(0)} MiB at ${MANY} objects; ` +
      `ratio ${(many / few).toFixed(2)} (at most 1.25), at most 300 MB`,
  );
}

const SERVICE = { environment: { DEFAULT_PLAN: 'enterprise', LOG_LEVEL: 'warn' } };

if (spawnSync(RCLONE, ['version'], { stdio: 'ignore' }).status !== 0) {
  say(`There is no ${RCLONE}: go install github.com/rclone/rclone@v1.75.1, then set RCLONE.`);
  process.exit(1);
}
const stack = await startStack({ progress: silentProgress });
const service = await startService(stack, SERVICE);
const customer = await createCloudCustomer(stack, service.baseUrl);
const bucket = seed(customer, 'many', MANY);
const connectionId = await customer.connect();
await timeScan(customer, connectionId, MANY);
const worker = service.workers[0]?.pid ?? 0;
await compareThroughput(customer, { worker, connectionId, bucket });
say(`workflow events of one scan: ${await countEvents(stack, connectionId)} (at most 8,000)`);
await compareLatency(customer, connectionId, bucket);
await service.stop();
await measureMemory(stack);
await stack.stop();
process.exit(0);
