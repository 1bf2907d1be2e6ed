import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import { createStoreHttp } from '../adapters/object-store/http-client.ts';
import { createObjectStores } from '../adapters/object-store/s3-store.ts';
import { createStoreClocks } from '../adapters/object-store/store-clocks.ts';
import { createAccessKey } from '../dev/parts/cloud-account.ts';
import { findProgram } from '../dev/services/service.ts';
import { services } from '../dev/services/services.ts';
import { storeProcess } from '../dev/services/versitygw.ts';
import { createCache } from '../dev/system/cache.ts';
import { takeFreePort } from '../dev/system/ports.ts';
import { tryTarget } from '../operations/migrations/target-trial.ts';
import { measureCapabilities } from '../operations/providers/capabilities.ts';
import { createProcesses } from '../dev/system/processes.ts';
import { silentProgress } from '../dev/system/progress.ts';

/**
 * `npm run bench:store`: the store adapter next to the official SDK, in turn in one run, as ratios of processor time
 * (of this process) and of elapsed time. Both stores are versitygw, in processes of their own.
 *
 * The SDK by ours, on Node 20.20 (2 cores, 3 runs): CPU of a HEAD 4.4-6.0, of a PUT of 4 KiB 3.2-3.8, of a page of
 * 1,000 keys 2.6-3.8, of a copy of 64 MiB 1.0-1.2. So large bodies alone are no reason for an HTTP client of our own, and
 * the SDK's HTTP handler under our signer costs what ours costs. What it lacks for a copy, by the tests of
 * `test/unit/adapters/store-http.test.ts` and `test/contract` run on it:
 *
 * - an error of a body's source, and a refusal while a body in memory is sent, are uncaught errors that end the process;
 * - a refusal while a stream is sent is lost (versitygw), and the call ends by its time-out;
 * - a success that comes before the body is sent counts as one;
 * - sequential calls open a second connection; each call leaves a listener on its signal until the call ends.
 */
const MIB = 2 ** 20;
const COPY_MIB = 64;
const KEYS = 1_000;
const ROUNDS = 7;
const REGION = 'us-east-1';

interface Cost {
  readonly cpuMs: number;
  readonly wallMs: number;
}

type Work = () => Promise<unknown>;

const processes = createProcesses((text) => process.stderr.write(`${text}\n`));
try {
  const [from, to] = [await startStore('source'), await startStore('target')];
  await from.sdk.send(
    new PutObjectCommand({ Bucket: from.bucket, Key: 'large', Body: randomBytes(COPY_MIB * MIB) }),
  );
  await Promise.all(
    Array.from({ length: KEYS }, (_, index) =>
      from.store.write(`keys/${String(index).padStart(6, '0')}`, {
        headers: {},
        sizeBytes: 1,
        body: Buffer.from('x'),
      }),
    ),
  );
  await compare(
    `a copy of ${COPY_MIB} MiB (per MiB)`,
    { calls: 4, units: COPY_MIB },
    async () => {
      const { etag = '' } = (await from.store.head('large')) ?? {};
      const { body } = await from.store.open('large', { ifMatch: etag });
      await to.store.write('ours', { headers: {}, sizeBytes: COPY_MIB * MIB, body });
    },
    async () => {
      const { ETag } = await from.sdk.send(
        new HeadObjectCommand({ Bucket: from.bucket, Key: 'large' }),
      );
      const { Body } = await from.sdk.send(
        new GetObjectCommand({ Bucket: from.bucket, Key: 'large', IfMatch: ETag }),
      );
      await to.sdk.send(
        new PutObjectCommand({
          Bucket: to.bucket,
          Key: 'theirs',
          Body: Body as Readable,
          ContentLength: COPY_MIB * MIB,
        }),
      );
    },
  );
  const small = randomBytes(4096);
  await compare(
    'a PUT of 4 KiB',
    { calls: 200, units: 1 },
    () => to.store.write('small', { headers: {}, sizeBytes: small.length, body: small }),
    () => to.sdk.send(new PutObjectCommand({ Bucket: to.bucket, Key: 'small', Body: small })),
  );
  await compare(
    'a HEAD',
    { calls: 300, units: 1 },
    () => from.store.head('large'),
    () => from.sdk.send(new HeadObjectCommand({ Bucket: from.bucket, Key: 'large' })),
  );
  await compare(
    `a page of ${KEYS} keys`,
    { calls: 20, units: 1 },
    () => from.store.list({ prefix: 'keys/', after: null }),
    () =>
      from.sdk.send(
        new ListObjectsV2Command({ Bucket: from.bucket, Prefix: 'keys/', EncodingType: 'url' }),
      ),
  );
  await showMeasurements(to.store);
  await showTrial(from.store, to.store);
  from.close();
  to.close();
} finally {
  await processes.stopAll();
}

/** What `POST /v1/providers/test` measures, side by side. */
async function showMeasurements(store: ObjectStore): Promise<void> {
  const startedAt = performance.now();
  const { checks } = await measureCapabilities({ store, folder: 'measured/', options: {} });
  const elapsedMs = Math.round(performance.now() - startedAt);
  process.stdout.write(`the measurements of a test: ${elapsedMs} ms\n`);
  for (const { name, ok, supported, latencyMs } of checks)
    process.stdout.write(`  ${name}: ${ok ? supported : 'not measured'}, ${latencyMs} ms\n`);
}

/** What each approval waits for. */
async function showTrial(source: ObjectStore, store: ObjectStore): Promise<void> {
  const startedAt = performance.now();
  const { failure } = await tryTarget(source, { store, keyPrefix: 'moved/', capabilities: {} });
  const elapsedMs = Math.round(performance.now() - startedAt);
  process.stdout.write(`the trial of an approval: ${elapsedMs} ms, ${failure ?? 'usable'}\n`);
}

async function startStore(name: string) {
  const resolverContext = { progress: silentProgress, cache: createCache(silentProgress) };
  const program = await findProgram(services.versitygw, resolverContext);
  const credentials = createAccessKey();
  const [port, bucket] = [await takeFreePort(), `${name}-bucket`];
  const dataFolder = join(processes.dataFolder, name);
  const options = { name, port, region: REGION, bucket, dataFolder, ...credentials };
  await processes.start(await storeProcess(program, options));
  const endpoint = `http://127.0.0.1:${port}`;
  const http = createStoreHttp();
  const open = createObjectStores({
    http,
    findEndpoint: () => ({ origin: endpoint, pathStyle: true }),
    clocks: createStoreClocks(),
  });
  const sdk = new S3Client({
    endpoint,
    region: REGION,
    credentials,
    forcePathStyle: true,
    maxAttempts: 1,
    // The settings that are best for it: by default it hashes bodies, and waits for `100 Continue` before large ones.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
  });
  return {
    bucket,
    sdk,
    store: open({ provider: 'aws', bucketName: bucket, region: REGION }, credentials),
    close() {
      http.close();
      sdk.destroy();
    },
  };
}

/** Both in turn; the first round warms up. */
async function compare(
  what: string,
  { calls, units }: { readonly calls: number; readonly units: number },
  ours: Work,
  theirs: Work,
): Promise<void> {
  const costs: [Cost[], Cost[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [index, work] of [ours, theirs].entries()) {
      const cost = await measure(work, calls);
      if (round > 0) costs[index]?.push(cost);
    }
  const show = (key: keyof Cost) => {
    const [own, sdk] = costs.map((list) => median(list.map((cost) => cost[key])) / units);
    const ratio = ((sdk ?? 0) / (own ?? 1)).toFixed(2);
    return `ours ${own?.toFixed(3)} ms, SDK ${sdk?.toFixed(3)} ms, ratio ${ratio}`;
  };
  process.stdout.write(`${what}\n  CPU: ${show('cpuMs')}\n  elapsed: ${show('wallMs')}\n`);
}

async function measure(work: Work, calls: number): Promise<Cost> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  for (let call = 0; call < calls; call += 1) await work();
  const { user, system } = process.cpuUsage(before);
  const wallMs = (performance.now() - startedAt) / calls;
  return { cpuMs: (user + system) / 1000 / calls, wallMs };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
