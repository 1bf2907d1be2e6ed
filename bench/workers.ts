import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { openBench, timeMove, withService, type BenchStore } from './migration/servers.ts';
import { readCpu, subtract, sumCpu } from './uploads/processor-time.ts';
import { median } from './uploads/load.ts';

/**
 * `npm run bench:workers`: the same migration by 1, 2 and 4 workers, against stores whose answers come
 * 50 ms later. `OBJECTS` of `SIZE_BYTES`; `WORKERS` how many; `ROUNDS` how often each is measured; `REQUESTS_PER_SECOND` bounds each
 * worker, in place of a processor of its own: on one machine the workers, the stores and the databases
 * share the processors.
 */
const OBJECTS = Number(process.env['OBJECTS'] || 8_000);
const REQUESTS_PER_SECOND = process.env['REQUESTS_PER_SECOND'] || '250';
const ROUNDS = Number(process.env['ROUNDS'] || 1);
const SIZE_BYTES = Number(process.env['SIZE_BYTES'] || 4_096);
const LATENCY_MS = 50;
const WORKERS = (process.env['WORKERS'] || '1,2,4').split(',').map(Number);
const SEEDED_AT_ONCE = 32;
const workload = { name: 'scaling', count: OBJECTS, sizeBytes: SIZE_BYTES };

async function seed({ endpoint, keys, region, files }: BenchStore): Promise<void> {
  await mkdir(join(files, workload.name), { recursive: true });
  const s3 = new S3Client({ endpoint, region, forcePathStyle: true, credentials: { ...keys } });
  const Bucket = workload.name;
  const numbers = Array.from({ length: OBJECTS }, (_unused, n) => n).values();
  await Promise.all(
    Array.from({ length: SEEDED_AT_ONCE }, async () => {
      for (const n of numbers) {
        const Key = `${String(n).padStart(7, '0')}.bin`;
        await s3.send(new PutObjectCommand({ Bucket, Key, Body: Buffer.alloc(SIZE_BYTES, Key) }));
      }
    }),
  );
  s3.destroy();
}

const options = (workerCount: number) => ({
  isSlow: true,
  workerCount,
  environment: { MIGRATION_MAX_REQUESTS_PER_SECOND: REQUESTS_PER_SECOND },
});

const bench = await openBench(LATENCY_MS);
await seed(bench.source);
let ofOne = Number.NaN;
for (const workerCount of WORKERS) {
  await withService(bench, options(workerCount), async (client, accountId, service) => {
    const workers = service.workers.map(({ pid }, index) => ({ name: `worker ${index + 1}`, pid }));
    const seconds: number[] = [];
    const cpuMs: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = readCpu(workers);
      seconds.push(await timeMove(bench, client, accountId, workload));
      cpuMs.push(sumCpu(subtract(readCpu(workers), before)));
    }
    const rate = OBJECTS / median(seconds);
    if (workerCount === 1) ofOne = rate;
    process.stdout.write(
      `${workerCount} workers: ${OBJECTS} x ${SIZE_BYTES} bytes, ${LATENCY_MS} ms added to every request, at most ${REQUESTS_PER_SECOND} requests/s of each worker: ` +
        `${median(seconds).toFixed(1)} s, ${Math.round(rate)} objects/s; ` +
        `${(median(cpuMs) / OBJECTS).toFixed(2)} ms of the workers' processor time per object, ` +
        `${(median(cpuMs) / 1_000 / median(seconds)).toFixed(2)} processors; ` +
        `ratio to one worker ${(rate / ofOne).toFixed(2)}\n`,
    );
  });
}
await bench.close();
process.exit(0);
