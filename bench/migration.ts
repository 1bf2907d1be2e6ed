import { execFile, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { openRecords, type Records } from '../adapters/mongo/records.ts';
import { createAccessKey, type AccessKey } from '../dev/parts/cloud-account.ts';
import { takeFreePort } from '../dev/system/ports.ts';
import { silentProgress } from '../dev/system/progress.ts';
import { startService, type Service } from '../dev/service.ts';
import { findProgram } from '../dev/services/service.ts';
import { toxiproxyProcess } from '../dev/services/toxiproxy.ts';
import { storeProcess } from '../dev/services/versitygw.ts';
import { services } from '../dev/services/services.ts';
import { startStack, type Stack } from '../dev/stack.ts';
import { createClient, type StorageRoutingClient } from '../sdk/src/index.ts';
import { insertMove } from '../test/harness/stored-recommendation.ts';

/**
 * `npm run bench:migration`: a whole migration (preflight, list, copy, verify, ledger) through the API,
 * next to `rclone copy` of the same objects between the same two stores in the same run. `RCLONE` names
 * its program, `ROUNDS` how often each is measured.
 */
const RCLONE = process.env['RCLONE'] || 'rclone';
const ROUNDS = Number(process.env['ROUNDS'] || 3);
const LATENCY_MS = 20;
const run = promisify(execFile);

interface Workload {
  readonly name: string;
  readonly count: number;
  readonly sizeBytes: number;
  readonly unit: 'objects' | 'MB';
  readonly atLeast: number;
  readonly aim: number;
}

const WORKLOADS: readonly Workload[] = [
  { name: 'small', count: 10_000, sizeBytes: 4_096, unit: 'objects', atLeast: 1, aim: 1.5 },
  { name: 'large', count: 40, sizeBytes: 64 * 2 ** 20, unit: 'MB', atLeast: 0.4, aim: 0.6 },
];
const AT_LEAST_WITH_LATENCY = 0.95;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** One of the two stores, reached directly or through a proxy that adds latency. */
interface BenchStore {
  readonly endpoint: string;
  readonly slowEndpoint: string;
  readonly keys: AccessKey;
  readonly region: string;
  /** Where it keeps its buckets: folders. */
  readonly files: string;
}

async function startStore(stack: Stack, name: string, region: string, proxyApi: string) {
  const port = await takeFreePort();
  const keys = createAccessKey();
  const dataFolder = join(stack.processes.dataFolder, name);
  const program = await findProgram(services.versitygw, stack.resolverContext);
  const options = { name, port, region, bucket: `${name}-bucket`, dataFolder, ...keys };
  await stack.processes.start(await storeProcess(program, options));
  const proxyPort = await takeFreePort();
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${proxyApi}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
  };
  const upstream = `127.0.0.1:${port}`;
  await post('/proxies', { name, listen: `127.0.0.1:${proxyPort}`, upstream });
  const latency = { type: 'latency', stream: 'downstream', attributes: { latency: LATENCY_MS } };
  await post(`/proxies/${name}/toxics`, latency);
  const store: BenchStore = {
    endpoint: `http://127.0.0.1:${port}`,
    slowEndpoint: `http://127.0.0.1:${proxyPort}`,
    keys,
    region,
    files: join(dataFolder, 'files'),
  };
  return store;
}

async function rclone(args: readonly string[], environment: Record<string, string>) {
  const { AWS_CA_BUNDLE: _unused, ...own } = process.env;
  await run(RCLONE, [...args], {
    maxBuffer: 1 << 28,
    env: { ...own, RCLONE_CONFIG: '/dev/null', ...environment },
  });
}

const remote = (name: string, store: BenchStore, endpoint: string): Record<string, string> => ({
  [`RCLONE_CONFIG_${name}_TYPE`]: 's3',
  [`RCLONE_CONFIG_${name}_PROVIDER`]: 'Other',
  [`RCLONE_CONFIG_${name}_ENDPOINT`]: endpoint,
  [`RCLONE_CONFIG_${name}_REGION`]: store.region,
  [`RCLONE_CONFIG_${name}_FORCE_PATH_STYLE`]: 'true',
  [`RCLONE_CONFIG_${name}_ACCESS_KEY_ID`]: store.keys.accessKeyId,
  [`RCLONE_CONFIG_${name}_SECRET_ACCESS_KEY`]: store.keys.secretAccessKey,
});

/** Random bytes, put into the source as any client would put them. */
async function seed(stack: Stack, source: BenchStore, workload: Workload): Promise<void> {
  const { name, count, sizeBytes } = workload;
  const folder = join(stack.processes.dataFolder, `seed-${name}`);
  await mkdir(folder, { recursive: true });
  for (let n = 0; n < count; n += 1)
    await writeFile(join(folder, `${String(n).padStart(6, '0')}.bin`), randomBytes(sizeBytes));
  await mkdir(join(source.files, name), { recursive: true });
  await rclone(
    ['copy', folder, `src:${name}`, '--s3-no-check-bucket', '--transfers', '8'],
    remote('SRC', source, source.endpoint),
  );
  await rm(folder, { recursive: true });
}

interface Bench {
  readonly stack: Stack;
  readonly records: Records;
  readonly source: BenchStore;
  readonly target: BenchStore;
}

async function withService<T>(
  { stack, source, target }: Bench,
  isSlow: boolean,
  work: (client: StorageRoutingClient, accountId: string) => Promise<T>,
): Promise<T> {
  const of = (store: BenchStore) => (isSlow ? store.slowEndpoint : store.endpoint);
  const service: Service = await startService(stack, {
    entries: { api: 'dist/api/main.js', worker: 'dist/worker/main.js' },
    environment: {
      DEFAULT_PLAN: 'enterprise',
      LOG_LEVEL: 'warn',
      WORKER_QUEUES: 'migrations',
      PROVIDER_ENDPOINT_AWS: of(source),
      PROVIDER_ENDPOINT_B2: of(target),
    },
  });
  try {
    const accountId = `bench-${randomUUID().slice(0, 8)}`;
    const dashboardToken = stack.identity?.issueToken({ account: accountId, algorithm: 'ES256' });
    const client = createClient({ baseUrl: service.baseUrl, dashboardToken: dashboardToken ?? '' });
    for (const [provider, store] of [
      ['aws', source],
      ['b2', target],
    ] as const) {
      const { keys, region } = store;
      const bucketName = provider === 'aws' ? 'source-bucket' : 'target-bucket';
      await client.providers.save({ provider, ...keys, bucketName, region });
    }
    return await work(client, accountId);
  } finally {
    await service.stop();
  }
}

/** Seconds from the approval until its status is completed, with all objects verified and recorded. */
async function timeOurs(
  { records, source, target }: Bench,
  client: StorageRoutingClient,
  accountId: string,
  workload: Workload,
): Promise<number> {
  const { name, count, sizeBytes } = workload;
  const recommendationId = await insertMove(records, {
    accountId,
    bucket: name,
    region: source.region,
    objects: count,
    bytes: count * sizeBytes,
  });
  const startedAt = performance.now();
  const { migrationId } = await client.migrations.approve(recommendationId, {
    targetProvider: 'b2',
  });
  const migration = await client.migrations.waitFor(migrationId, { pollMs: 100 });
  const seconds = (performance.now() - startedAt) / 1000;
  if (migration.progress.objectsCopied !== workload.count)
    throw new Error(`the migration is ${JSON.stringify(migration)}`);
  await rm(join(target.files, 'target-bucket', workload.name), { recursive: true });
  return seconds;
}

async function timeRclone({ source, target }: Bench, isSlow: boolean, { name }: Workload) {
  const of = (store: BenchStore) => (isSlow ? store.slowEndpoint : store.endpoint);
  const startedAt = performance.now();
  await rclone(
    [
      'copy',
      `src:${name}`,
      `dst:target-bucket/${name}`,
      '--transfers',
      '16',
      '--s3-no-check-bucket',
    ],
    { ...remote('SRC', source, of(source)), ...remote('DST', target, of(target)) },
  );
  const seconds = (performance.now() - startedAt) / 1000;
  await rm(join(target.files, 'target-bucket', name), { recursive: true });
  return seconds;
}

async function compare(bench: Bench, isSlow: boolean): Promise<void> {
  await withService(bench, isSlow, async (client, accountId) => {
    for (const workload of WORKLOADS) {
      const { name, count, sizeBytes, unit, atLeast, aim } = workload;
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        ours.push(await timeOurs(bench, client, accountId, workload));
        theirs.push(await timeRclone(bench, isSlow, workload));
      }
      const amount = unit === 'objects' ? count : (count * sizeBytes) / 1e6;
      const rate = (seconds: number) => `${Math.round(amount / seconds)} ${unit}/s`;
      const required = isSlow
        ? `at least ${AT_LEAST_WITH_LATENCY}`
        : `at least ${atLeast}, aim ${aim}`;
      say(
        `${count} x ${sizeBytes} bytes (${name})${isSlow ? `, ${LATENCY_MS} ms added to every request` : ''}: ` +
          `ours ${median(ours).toFixed(2)} s, ${rate(median(ours))}; ` +
          `rclone copy ${median(theirs).toFixed(2)} s, ${rate(median(theirs))}; ` +
          `ratio ${(median(theirs) / median(ours)).toFixed(2)} (${required})`,
      );
    }
  });
}

if (spawnSync(RCLONE, ['version'], { stdio: 'ignore' }).status !== 0) {
  say(`There is no ${RCLONE}: go install github.com/rclone/rclone@v1.75.1, then set RCLONE.`);
  process.exit(1);
}
await run('npm', ['run', 'build']);
const stack = await startStack({ progress: silentProgress });
const proxyPort = await takeFreePort();
await stack.processes.start(
  toxiproxyProcess(await findProgram(services.toxiproxy, stack.resolverContext), proxyPort),
);
const proxyApi = `http://127.0.0.1:${proxyPort}`;
const bench: Bench = {
  stack,
  records: openRecords({
    uri: stack.environment['MONGODB_URI'] ?? '',
    database: stack.environment['MONGODB_DATABASE'] || 'storage_routing',
  }),
  source: await startStore(stack, 'source', 'us-east-1', proxyApi),
  target: await startStore(stack, 'target', 'us-west-004', proxyApi),
};
for (const workload of WORKLOADS) await seed(stack, bench.source, workload);
for (const isSlow of [false, true]) await compare(bench, isSlow);
await bench.records.close();
await stack.stop();
process.exit(0);
