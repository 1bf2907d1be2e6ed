import type { Reply } from './http.ts';
import { CALLERS, median, quantile, toRatios, repeat, runLoad, type LoadResult } from './load.ts';
import {
  mapCpu,
  measureIdle,
  readCpu,
  readMachineMs,
  subtract,
  sumCpu,
  untilQuiet,
  type CpuMs,
} from './processor-time.ts';
import { list, say, short, showCpu, showOthers, showRatio } from './report.ts';
import type { Target } from './targets.ts';

export type LoadedCall = 'complete' | 'delete' | 'init';

/** The files of one target that a measurement can use; each is used once per call. */
export interface FilePool {
  readonly target: Target;
  /** Pending, with the object in the store. */
  readonly stored: string[];
  /** Completed. */
  readonly active: string[];
  readonly idle: CpuMs;
}

interface Round extends LoadResult {
  readonly perSecond: number;
  readonly cpu: CpuMs;
  /** Processors that neither the measured processes nor the callers used. */
  readonly otherWork: number;
}

const LOAD_SECONDS = 4;
const PACED_SECONDS = 10;
const WARM_UP_SECONDS = 2;
const WARM_UP_FILES = 80;
const IDLE_SECONDS = 4;
/** Seeding takes longer than the load: a fast target's measurement ends when they are used up. */
const MOST_FILES = 450;
const AIMS: Readonly<Record<LoadedCall, string>> = {
  complete: 'at least 0.6, aim 0.8',
  delete: 'at least 0.5',
  init: 'at least 0.7',
};
/** The share of the floor's calls per second with as many callers: both targets answer all of them in time. */
const PACE = 0.2;

export async function createPool(target: Target): Promise<FilePool> {
  const pool = { target, stored: [], active: [], idle: {} };
  await fill(pool, 'delete', WARM_UP_FILES);
  return { ...pool, idle: await measureIdle(target.processes, IDLE_SECONDS) };
}

/** Prints ours and the floor's calls per second, their times, and the processor time of each call. */
export async function compare(
  call: LoadedCall,
  pools: readonly [ours: FilePool, floor: FilePool],
  rounds: number,
): Promise<void> {
  const [ours, floor]: [Round[], Round[]] = [[], []];
  const needed = [0, 0];
  for (const [index, pool] of pools.entries()) {
    const { perSecond } = await measure(call, pool, {
      count: WARM_UP_FILES,
      seconds: WARM_UP_SECONDS,
    });
    needed[index] = perSecond;
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, pool] of pools.entries()) {
      const count = Math.min(MOST_FILES, Math.ceil((needed[index] ?? 0) * LOAD_SECONDS * 1.4) + 32);
      const result = await measure(call, pool, { count, seconds: LOAD_SECONDS });
      (index === 0 ? ours : floor).push(result);
      needed[index] = result.perSecond;
    }
  }
  report(call, ours, floor);
}

/** Prints the times of inits at a pace that both can keep: without a queue in front of them. */
export async function compareAtPace(
  pools: readonly [ours: FilePool, floor: FilePool],
  rounds: number,
): Promise<void> {
  const [ours, floor]: [Round[], Round[]] = [[], []];
  const { perSecond: most } = await measure('init', pools[1], { count: 0, seconds: LOAD_SECONDS });
  const perSecond = Math.round(most * PACE);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, pool] of pools.entries())
      (index === 0 ? ours : floor).push(
        await measure('init', pool, { count: 0, seconds: PACED_SECONDS, perSecond }),
      );
  say('');
  say(
    `init, ${CALLERS} callers, ${perSecond} calls a second together (${PACE} of the floor's most)`,
  );
  reportTimes(ours, floor, { p50: ', at most 0.8', p99: ', at most 1.0' });
}

interface Load {
  /** Files to seed; an init needs none. */
  readonly count: number;
  readonly seconds: number;
  readonly perSecond?: number;
}

async function measure(call: LoadedCall, pool: FilePool, { count, ...load }: Load): Promise<Round> {
  const { target, idle } = pool;
  if (call !== 'init') await fill(pool, call, count);
  await untilQuiet(target.processes);
  const startedAt = performance.now();
  const before = readCpu(target.processes);
  const machineBefore = readMachineMs();
  const result = await runLoad({
    ...load,
    callers: CALLERS,
    expected: call === 'init' ? 201 : 200,
    next: nextCall(call, pool),
  });
  // What a call leaves for later belongs to it.
  await untilQuiet(target.processes);
  const spanSeconds = (performance.now() - startedAt) / 1000;
  const used = subtract(readCpu(target.processes), before);
  const otherMs = readMachineMs() - machineBefore - sumCpu(used);
  const tried = result.calls + [...result.others.values()].reduce((sum, count) => sum + count, 0);
  const cpu = mapCpu(used, (ms, name) => (ms - (idle[name] ?? 0) * spanSeconds) / tried);
  if (result.calls === 0) throw new Error(`no ${call} succeeded: ${showOthers(result.others)}`);
  const perSecond = result.calls / result.seconds;
  return { ...result, perSecond, cpu, otherWork: otherMs / 1000 / spanSeconds };
}

function nextCall(
  call: LoadedCall,
  { target, stored, active }: FilePool,
): () => (() => Promise<Reply>) | undefined {
  if (call === 'init') return () => () => target.init();
  const files = call === 'complete' ? stored : active;
  return () => {
    const fileId = files.pop();
    if (fileId === undefined) return undefined;
    if (call === 'delete') return () => target.delete(fileId);
    return async () => {
      const reply = await target.complete(fileId);
      if (reply.status === 200) active.push(fileId);
      return reply;
    };
  };
}

/** Seeds files until there are enough for the call; those to delete are completed. */
async function fill(pool: FilePool, call: LoadedCall, count: number): Promise<void> {
  const { target, stored, active } = pool;
  const toComplete = call === 'delete' ? Math.max(0, count - active.length) : 0;
  const missing = (call === 'delete' ? toComplete : count) - stored.length;
  await repeat(Math.max(0, missing), async () => void stored.push(await target.seed()));
  const complete = nextCall('complete', pool);
  await repeat(toComplete, async () => void (await complete()?.()));
}

function report(call: LoadedCall, ours: readonly Round[], floor: readonly Round[]): void {
  say('');
  say(`${call}, ${CALLERS} callers`);
  const calls = compareBy(ours, floor, ({ perSecond }) => perSecond, '');
  say(`  calls per second: ${calls}, ${AIMS[call]}`);
  reportTimes(ours, floor);
}

function reportTimes(
  ours: readonly Round[],
  floor: readonly Round[],
  aims: { readonly p50: string; readonly p99: string } = { p50: '', p99: '' },
): void {
  const time = (share: number) => compareBy(ours, floor, ({ ms }) => quantile(ms, share), ' ms');
  say(`  p50: ${time(0.5)}${aims.p50}`);
  say(`  p99: ${time(0.99)}${aims.p99}`);
  say(`  CPU ms per call: ${compareBy(ours, floor, ({ cpu }) => sumCpu(cpu), '')}`);
  reportCpu('ours ', ours);
  reportCpu('floor', floor);
}

function compareBy(
  ours: readonly Round[],
  floor: readonly Round[],
  value: (round: Round) => number,
  unit: string,
): string {
  const [values, floorValues] = [ours.map(value), floor.map(value)];
  return (
    `ours ${short(median(values))}${unit} (${list(values)}), ` +
    `floor ${short(median(floorValues))}${unit} (${list(floorValues)}); ` +
    `ratio ${showRatio(toRatios(values, floorValues))}`
  );
}

function reportCpu(name: string, rounds: readonly Round[]): void {
  const elsewhere = median(rounds.map(({ otherWork }) => otherWork));
  say(
    `    ${name}: ${showCpu(medianCpu(rounds.map(({ cpu }) => cpu)))}; ` +
      `processors that other work took meanwhile: ${short(elsewhere)}`,
  );
  for (const { others } of rounds)
    if (others.size > 0) say(`  other answers, ${name}: ${showOthers(others)}`);
}

/** Of each process by itself. */
export function medianCpu(rounds: readonly CpuMs[]): CpuMs {
  return mapCpu(rounds[0] ?? {}, (_ms, name) => median(rounds.map((cpu) => cpu[name] ?? 0)));
}
