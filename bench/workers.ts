import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  openBench,
  timeMove,
  withService,
  type Bench,
  type BenchStore,
  type Workload,
} from './migration/servers.ts';
import { readCpu, subtract, sumCpu } from './uploads/processor-time.ts';
import { median } from './uploads/load.ts';

/**
 * `npm run bench:workers [objects] [bytes]`: the same migration by 1, 2 and 4 workers, against stores whose
 * answers come 50 ms later: of many small objects, and of large ones. `WORKERS` how many; `ROUNDS` how often each
 * is measured. A limit of the service bounds each worker, in place of a processor of its own: on one machine the
 * workers, the stores and the databases share the processors. The large objects are 4 GiB: set `TMPDIR` to a disk
 * that takes 100 MB a second, or to memory. They are 16 slices, for which one worker has the slots: the first one
 * that asks may take most of them (docs/sizing.md).
 */
const ROUNDS = Number(process.env['ROUNDS'] || 1);
const LATENCY_MS = 50;
const WORKERS = (process.env['WORKERS'] || '1,2,4').split(',').map(Number);
const SEEDED_AT_ONCE = 8;
const MIB = 2 ** 20;

interface Bounded extends Workload {
  /** Of each worker: a variable of the service. */
  readonly limit: readonly [name: string, value: string];
}

const WORKLOADS: readonly Bounded[] = [
  {
    name: 'objects',
    count: 8_000,
    sizeBytes: 4_096,
    limit: ['MIGRATION_MAX_REQUESTS_PER_SECOND', '250'],
  },
  {
    name: 'bytes',
    count: 64,
    sizeBytes: 64 * MIB,
    limit: ['MIGRATION_MAX_BYTES_PER_SECOND', String(25 * MIB)],
  },
];

async function seed(
  { endpoint, keys, region, files }: BenchStore,
  { name: Bucket, count, sizeBytes }: Workload,
): Promise<void> {
  await mkdir(join(files, Bucket), { recursive: true });
  const s3 = new S3Client({ endpoint, region, forcePathStyle: true, credentials: { ...keys } });
  const numbers = Array.from({ length: count }, (_unused, n) => n).values();
  await Promise.all(
    Array.from({ length: SEEDED_AT_ONCE }, async () => {
      for (const n of numbers) {
        const Key = `${String(n).padStart(7, '0')}.bin`;
        await s3.send(new PutObjectCommand({ Bucket, Key, Body: Buffer.alloc(sizeBytes, Key) }));
      }
    }),
  );
  s3.destroy();
}

async function measure(bench: Bench, workload: Bounded): Promise<void> {
  const { count, sizeBytes, limit } = workload;
  const [name, value] = limit;
  const isOfBytes = sizeBytes >= MIB;
  const [amount, unit] = isOfBytes ? [(count * sizeBytes) / 1e6, 'MB'] : [count, 'objects'];
  say(`${count} x ${sizeBytes} bytes, ${LATENCY_MS} ms added to every request, ${name}=${value}`);
  let ofOne = Number.NaN;
  for (const workerCount of WORKERS) {
    const options = { isSlow: true, workerCount, environment: { [name]: value } };
    await withService(bench, options, async (client, accountId, service) => {
      const workers = service.workers.map(({ pid }, at) => ({ name: `worker ${at + 1}`, pid }));
      const seconds: number[] = [];
      const cpuMs: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = readCpu(workers);
        seconds.push(await timeMove(bench, client, accountId, workload));
        cpuMs.push(sumCpu(subtract(readCpu(workers), before)));
      }
      const rate = amount / median(seconds);
      if (workerCount === 1) ofOne = rate;
      say(
        `  ${workerCount} workers: ${median(seconds).toFixed(1)} s, ${Math.round(rate)} ${unit}/s, ` +
          `${(median(cpuMs) / amount).toFixed(2)} ms of the workers' processor time for each; ` +
          `ratio to one worker ${(rate / ofOne).toFixed(2)}`,
      );
    });
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const bench = await openBench(LATENCY_MS);
for (const workload of WORKLOADS) {
  if (process.argv.length > 2 && !process.argv.includes(workload.name, 2)) continue;
  await seed(bench.source, workload);
  await measure(bench, workload);
  await rm(join(bench.source.files, workload.name), { recursive: true });
}
await bench.close();
process.exit(0);
