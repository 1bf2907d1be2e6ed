import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import type { Stack } from '../dev/stack.ts';
import {
  openBench,
  timeMove,
  withService,
  type Bench,
  type BenchStore,
  type Workload,
} from './migration/servers.ts';
import { median } from './uploads/load.ts';

/**
 * `npm run bench:migration`: a whole migration (preflight, list, copy, verify, ledger) through the API,
 * next to `rclone copy` of the same objects between the same two stores in the same run. `RCLONE` names
 * its program, `ROUNDS` how often each is measured.
 */
const RCLONE = process.env['RCLONE'] || 'rclone';
const ROUNDS = Number(process.env['ROUNDS'] || 3);
const LATENCY_MS = 20;
const run = promisify(execFile);

interface Measured extends Workload {
  readonly unit: 'objects' | 'MB';
  readonly atLeast: number;
  readonly aim: number;
}

const WORKLOADS: readonly Measured[] = [
  { name: 'small', count: 10_000, sizeBytes: 4_096, unit: 'objects', atLeast: 1, aim: 1.5 },
  { name: 'large', count: 40, sizeBytes: 64 * 2 ** 20, unit: 'MB', atLeast: 0.4, aim: 0.6 },
];
const AT_LEAST_WITH_LATENCY = 0.95;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

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
  await withService(bench, { isSlow }, async (client, accountId) => {
    for (const workload of WORKLOADS) {
      const { name, count, sizeBytes, unit, atLeast, aim } = workload;
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        ours.push(await timeMove(bench, client, accountId, workload));
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
const bench = await openBench(LATENCY_MS);
for (const workload of WORKLOADS) await seed(bench.stack, bench.source, workload);
for (const isSlow of [false, true]) await compare(bench, isSlow);
await bench.close();
process.exit(0);
