import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
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
import { rclone, remote, requireRclone } from './rclone.ts';
import { listServers } from './uploads/targets.ts';
import {
  metered,
  readEndedChildrenMs,
  readPeakMib,
  secondsOf,
  type Metered,
} from './uploads/processor-time.ts';

/**
 * `npm run bench:migration [name…]`: a whole migration (preflight, list, copy, verify, ledger) through the
 * API, next to `rclone copy` of the same objects between the same two stores in the same run. `RCLONE`
 * names its program, `ROUNDS` how often each is measured, `SINGLE_MIB` the size of the single object. The
 * stores keep their files below `TMPDIR`: a slow disk hides what is measured, and memory (`/dev/shm`) needs
 * three times the single object.
 */
const ROUNDS = Number(process.env['ROUNDS'] || 3);
const LATENCY_MS = 20;
const MIB = 2 ** 20;
const SEEDED_AT_ONCE = 16 * MIB;
const SINGLE_BYTES = Number(process.env['SINGLE_MIB'] || 5_120) * MIB;
const run = promisify(execFile);

interface Measured extends Workload {
  readonly unit: 'objects' | 'MB';
  /** The required ratio of rates, without and with latency. */
  readonly atLeast: readonly [number, number];
}

const WORKLOADS: readonly Measured[] = [
  { name: 'small', count: 10_000, sizeBytes: 4_096, unit: 'objects', atLeast: [1.2, 2] },
  { name: 'large', count: 40, sizeBytes: 64 * MIB, unit: 'MB', atLeast: [0.75, 0.95] },
  { name: 'single', count: 1, sizeBytes: SINGLE_BYTES, unit: 'MB', atLeast: [0.75, 0.95] },
];
const chosen = WORKLOADS.filter(
  ({ name }) => process.argv.length === 2 || process.argv.includes(name, 2),
);

/** rclone's settings, of which the faster one counts: its own, and more parts of an object at once. */
const RCLONE_SETTINGS: readonly (readonly string[])[] = [
  ['--transfers', '16'],
  ['--transfers', '16', '--multi-thread-streams', '8', '--multi-thread-cutoff', '64M'],
];

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Random bytes, put into the source as any client would put them. */
async function seed(stack: Stack, source: BenchStore, workload: Workload): Promise<void> {
  const { name, count, sizeBytes } = workload;
  const folder = join(stack.processes.dataFolder, `seed-${name}`);
  await mkdir(folder, { recursive: true });
  for (let n = 0; n < count; n += 1) {
    const file = await open(join(folder, `${String(n).padStart(6, '0')}.bin`), 'w');
    for (let at = 0; at < sizeBytes; at += SEEDED_AT_ONCE)
      await file.write(randomBytes(Math.min(SEEDED_AT_ONCE, sizeBytes - at)));
    await file.close();
  }
  await mkdir(join(source.files, name), { recursive: true });
  await rclone(
    ['copy', folder, `src:${name}`, '--transfers', '8'],
    remote('SRC', source, source.endpoint),
  );
  await rm(folder, { recursive: true });
}

async function timeRclone(
  { source, target }: Bench,
  isSlow: boolean,
  { name }: Workload,
  settings: readonly string[],
): Promise<number> {
  const of = (store: BenchStore) => (isSlow ? store.slowEndpoint : store.endpoint);
  const seconds = await secondsOf(() =>
    rclone(['copy', `src:${name}`, `dst:target-bucket/${name}`, ...settings], {
      ...remote('SRC', source, of(source)),
      ...remote('DST', target, of(target)),
    }),
  );
  await rm(join(target.files, 'target-bucket', name), { recursive: true });
  return seconds;
}

async function runRclone(bench: Bench, isSlow: boolean, workload: Workload): Promise<Metered> {
  const runs: Metered[] = [];
  for (const settings of RCLONE_SETTINGS) {
    const beforeMs = readEndedChildrenMs();
    const { seconds, cpuMs } = await metered(bench.stores, () =>
      timeRclone(bench, isSlow, workload, settings),
    );
    const ownMs = readEndedChildrenMs() - beforeMs;
    runs.push({ seconds, cpuMs: { rclone: ownMs, ...cpuMs } });
  }
  return runs.reduce((best, each) => (each.seconds < best.seconds ? each : best));
}

async function compare(bench: Bench, workload: Measured, isSlow: boolean): Promise<void> {
  await withService(bench, { isSlow }, async (client, accountId, service) => {
    const [worker] = service.workers;
    const processes = [
      ...service.apis.map(({ pid }) => ({ name: 'API', pid })),
      ...service.workers.map(({ pid }) => ({ name: 'worker', pid })),
      ...bench.stores,
      ...listServers(bench.stack).filter(({ name }) => name !== 'store'),
    ];
    const ours: Metered[] = [];
    const theirs: Metered[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      ours.push(await metered(processes, () => timeMove(bench, client, accountId, workload)));
      theirs.push(await runRclone(bench, isSlow, workload));
    }
    report(workload, isSlow, { ours, theirs });
    if (worker)
      say(`  the worker's memory at its highest: ${Math.round(readPeakMib(worker.pid))} MiB`);
  });
}

function report(
  { name, count, sizeBytes, unit, atLeast }: Measured,
  isSlow: boolean,
  { ours, theirs }: { readonly ours: readonly Metered[]; readonly theirs: readonly Metered[] },
): void {
  const amount = unit === 'objects' ? count : (count * sizeBytes) / 1e6;
  const rate = (runs: readonly Metered[]) => {
    const seconds = median(runs.map((each) => each.seconds));
    return `${seconds.toFixed(2)} s, ${Math.round(amount / seconds)} ${unit}/s`;
  };
  const ratios = ours.map((each, round) => (theirs[round]?.seconds ?? Number.NaN) / each.seconds);
  say(
    `${count} x ${sizeBytes} bytes (${name})${isSlow ? `, ${LATENCY_MS} ms added to every request` : ''}: ` +
      `ours ${rate(ours)}; rclone copy ${rate(theirs)}; ` +
      `ratio ${median(ratios).toFixed(2)} (at least ${atLeast[isSlow ? 1 : 0]})`,
  );
  const per = unit === 'objects' ? 'object' : 'MB';
  for (const [who, runs] of [
    ['ours', ours],
    ['rclone', theirs],
  ] as const) {
    const names = Object.keys(runs[0]?.cpuMs ?? {});
    const figures = names.map(
      (each) =>
        `${each} ${(median(runs.map(({ cpuMs }) => cpuMs[each] ?? 0)) / amount).toFixed(2)}`,
    );
    say(`  ${who}: processor time per ${per} in ms: ${figures.join(', ')}`);
  }
}

requireRclone();
await run('npm', ['run', 'build']);
const bench = await openBench(LATENCY_MS);
for (const workload of chosen) {
  await seed(bench.stack, bench.source, workload);
  for (const isSlow of [false, true]) await compare(bench, workload, isSlow);
  await rm(join(bench.source.files, workload.name), { recursive: true });
}
await bench.close();
process.exit(0);
