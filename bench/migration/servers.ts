import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openRecords, type Records } from '../../adapters/mongo/records.ts';
import { createAccessKey, type AccessKey } from '../../dev/parts/cloud-account.ts';
import { takeFreePort } from '../../dev/system/ports.ts';
import { silentProgress } from '../../dev/system/progress.ts';
import { startService, type Service } from '../../dev/service.ts';
import { findProgram } from '../../dev/services/service.ts';
import { toxiproxyProcess } from '../../dev/services/toxiproxy.ts';
import { storeProcess } from '../../dev/services/versitygw.ts';
import { services } from '../../dev/services/services.ts';
import { startStack, type Stack } from '../../dev/stack.ts';
import { createClient, type StorageRoutingClient } from '../../sdk/src/index.ts';
import { insertMove } from '../../test/harness/stored-recommendation.ts';
import type { MeteredProcess } from '../uploads/processor-time.ts';

/** Objects that are moved. */
export interface Workload {
  /** The name of the source's bucket. */
  readonly name: string;
  readonly count: number;
  readonly sizeBytes: number;
}

/** One of the two stores, reached directly or through a proxy that adds latency. */
export interface BenchStore {
  readonly endpoint: string;
  readonly slowEndpoint: string;
  readonly keys: AccessKey;
  readonly region: string;
  readonly pid: number;
  /** Where it keeps its buckets: folders. */
  readonly files: string;
}

/** The servers of a bench of migrations. */
export interface Bench {
  readonly stack: Stack;
  readonly records: Records;
  readonly source: BenchStore;
  readonly target: BenchStore;
  /** The processes of the two stores, and of the proxy before them. */
  readonly stores: readonly MeteredProcess[];
  close(): Promise<void>;
}

/** Starts the servers; every answer of a store through its proxy comes `latencyMs` later. */
export async function openBench(latencyMs: number): Promise<Bench> {
  const stack = await startStack({ progress: silentProgress });
  const proxyPort = await takeFreePort();
  const proxy = await stack.processes.start(
    toxiproxyProcess(await findProgram(services.toxiproxy, stack.resolverContext), proxyPort),
  );
  const proxyApi = `http://127.0.0.1:${proxyPort}`;
  const records = openRecords({
    uri: stack.environment['MONGODB_URI'] ?? '',
    database: stack.environment['MONGODB_DATABASE'] || 'storage_routing',
  });
  const source = await startStore(stack, 'source', 'us-east-1', { proxyApi, latencyMs });
  const target = await startStore(stack, 'target', 'us-west-004', { proxyApi, latencyMs });
  return {
    stack,
    records,
    source,
    target,
    stores: [
      { name: 'source', pid: source.pid },
      { name: 'target', pid: target.pid },
      { name: 'proxy', pid: proxy.pid },
    ],
    async close() {
      await records.close();
      await stack.stop();
    },
  };
}

async function startStore(
  stack: Stack,
  name: string,
  region: string,
  { proxyApi, latencyMs }: { proxyApi: string; latencyMs: number },
): Promise<BenchStore> {
  const port = await takeFreePort();
  const keys = createAccessKey();
  const dataFolder = join(stack.processes.dataFolder, name);
  const program = await findProgram(services.versitygw, stack.resolverContext);
  const options = { name, port, region, bucket: `${name}-bucket`, dataFolder, ...keys };
  const { pid } = await stack.processes.start(await storeProcess(program, options));
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
  const latency = { type: 'latency', stream: 'downstream', attributes: { latency: latencyMs } };
  await post(`/proxies/${name}/toxics`, latency);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    slowEndpoint: `http://127.0.0.1:${proxyPort}`,
    keys,
    region,
    pid,
    files: join(dataFolder, 'files'),
  };
}

interface ServiceSettings {
  readonly isSlow: boolean;
  readonly workerCount?: number;
  readonly environment?: Record<string, string>;
}

/** Runs the work with a new account on a service of its own. */
export async function withService<T>(
  { stack, source, target }: Bench,
  { isSlow, workerCount = 1, environment = {} }: ServiceSettings,
  work: (client: StorageRoutingClient, accountId: string, service: Service) => Promise<T>,
): Promise<T> {
  const of = (store: BenchStore) => (isSlow ? store.slowEndpoint : store.endpoint);
  const service: Service = await startService(stack, {
    entries: { api: 'dist/api/main.js', worker: 'dist/worker/main.js' },
    workerCount,
    environment: {
      DEFAULT_PLAN: 'enterprise',
      LOG_LEVEL: 'warn',
      WORKER_QUEUES: 'migrations',
      PROVIDER_ENDPOINT_AWS: of(source),
      PROVIDER_ENDPOINT_B2: of(target),
      ...environment,
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
    return await work(client, accountId, service);
  } finally {
    await service.stop();
  }
}

/** Seconds from the approval until its status is completed, with all objects verified and recorded. */
export async function timeMove(
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
  const migration = await client.migrations.waitFor(migrationId, { pollMs: 300 });
  const seconds = (performance.now() - startedAt) / 1000;
  if (migration.progress.objectsCopied !== workload.count)
    throw new Error(`the migration is ${JSON.stringify(migration)}`);
  await rm(join(target.files, 'target-bucket', workload.name), { recursive: true });
  return seconds;
}
