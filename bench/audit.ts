import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { promisify } from 'node:util';
import { createAccessKey } from '../dev/parts/cloud-account.ts';
import { silentProgress } from '../dev/system/progress.ts';
import { startService } from '../dev/service.ts';
import { startStack } from '../dev/stack.ts';
import { createCloudCustomer, type CloudCustomer } from '../test/harness/cloud-customer.ts';
import { seed, timeScan } from './scan/seeded.ts';
import { median } from './uploads/load.ts';
import { readPeakMib } from './uploads/processor-time.ts';

/**
 * `npm run bench:audit`: an audit without a service, from the start of its process to its end, next to
 * a scan of the service of the same bucket, both as built. `OBJECTS` and `ROUNDS` set the amount.
 */
const OBJECTS = Number(process.env['OBJECTS'] || 1_000_000);
const ROUNDS = Number(process.env['ROUNDS'] || 3);
const READ_PEAK_EVERY_MS = 50;
const run = promisify(execFile);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Seconds, and the most memory that the process has had. */
async function timeAudit({ double, awsAccount }: CloudCustomer) {
  const keys = createAccessKey();
  double.putUser({ ...keys, accountId: awsAccount });
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    ['audit/dist/main.js', '--yes', '--format', 'json', '-o', '-'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        AWS_ACCESS_KEY_ID: keys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
        AWS_ENDPOINT_URL_S3: double.s3Endpoint,
        AWS_ENDPOINT_URL_STS: double.stsEndpoint,
        AWS_ENDPOINT_URL_COST_EXPLORER: double.costExplorerEndpoint,
        AWS_ENDPOINT_URL_CLOUDWATCH: double.cloudWatchEndpoint,
      },
    },
  );
  let peakMib = 0;
  const reading = setInterval(() => {
    // A process that has just ended has none.
    peakMib = Math.max(peakMib, readPeakMib(child.pid ?? 0) || 0);
  }, READ_PEAK_EVERY_MS);
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  child.once('exit', () => clearInterval(reading));
  const [exitCode] = (await once(child, 'close')) as [number];
  const seconds = (performance.now() - startedAt) / 1000;
  const result = JSON.parse(Buffer.concat(pieces).toString()) as { summary: { objects: number } };
  if (exitCode !== 0 || result.summary.objects !== OBJECTS)
    throw new Error(`the audit ends with ${exitCode} and ${result.summary.objects} objects`);
  return { seconds, peakMib };
}

await run('npm', ['run', 'build', '-w', 'audit']);
await run('npm', ['run', 'build']);
const stack = await startStack({ progress: silentProgress });
const service = await startService(stack, {
  entries: { api: 'api/main.ts', worker: 'dist/worker/main.js' },
  environment: { DEFAULT_PLAN: 'enterprise', LOG_LEVEL: 'warn', WORKER_QUEUES: 'scans' },
});
const customer = await createCloudCustomer(stack, service.baseUrl);
seed(customer, 'many', OBJECTS);
const connectionId = await customer.connect();
await timeScan(customer, connectionId, OBJECTS);
const scans: number[] = [];
const audits: Awaited<ReturnType<typeof timeAudit>>[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  scans.push((await timeScan(customer, connectionId, OBJECTS)).seconds);
  audits.push(await timeAudit(customer));
}
const scan = median(scans);
const audit = median(audits.map(({ seconds }) => seconds));
const worker = readPeakMib(service.workers[0]?.pid ?? 0);
say(
  `${OBJECTS.toLocaleString('en')} objects: an audit without a service ${audit.toFixed(2)} s, a scan of the service ${scan.toFixed(2)} s, ` +
    `ratio ${(scan / audit).toFixed(2)} (at least 1); peak memory ${median(audits.map(({ peakMib }) => peakMib)).toFixed(0)} MiB, that of the worker ${worker.toFixed(0)} MiB`,
);
await service.stop();
await stack.stop();
process.exit(0);
