import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

/** A process whose processor time is measured, under the name that is printed. */
export interface MeteredProcess {
  readonly name: string;
  readonly pid: number;
}

/** Milliseconds of processor time, by the process's name. */
export type CpuMs = Readonly<Record<string, number>>;

/** `/proc` counts in ticks of USER_HZ, which is 100 on Linux (`getconf CLK_TCK`; man 5 proc). */
const TICK_MS = 10;
const QUIET_WINDOW_MS = 250;
/** The idle processes together stay below it; a tail of work does not. */
const QUIET_SHARE = 0.15;
const QUIET_WITHIN_MS = 4_000;

/** User and system time since each process started, with all of its threads and child processes. */
export function readCpu(processes: readonly MeteredProcess[]): CpuMs {
  return Object.fromEntries(
    processes.map(({ name, pid }) => [
      name,
      processTree(pid).reduce((sum, each) => sum + processTime(each), 0),
    ]),
  );
}

export function subtract(after: CpuMs, before: CpuMs): CpuMs {
  return mapCpu(after, (ms, name) => ms - (before[name] ?? 0));
}

export function mapCpu(cpu: CpuMs, change: (ms: number, name: string) => number): CpuMs {
  return Object.fromEntries(Object.entries(cpu).map(([name, ms]) => [name, change(ms, name)]));
}

export function sumCpu(cpu: CpuMs, names = Object.keys(cpu)): number {
  return names.reduce((sum, name) => sum + (cpu[name] ?? 0), 0);
}

/** Milliseconds of all processors in use, without this process: to see what other work took part. */
export function readMachineMs(): number {
  // user, nice, system, idle, iowait, irq, softirq, steal (man 5 proc).
  const [, ...ticks] = (readIfThere('/proc/stat') ?? '').split('\n', 1)[0]?.split(/\s+/) ?? [];
  const busy = ticks.slice(0, 8).filter((_ticks, index) => index !== 3 && index !== 4);
  const { user, system } = process.cpuUsage();
  return busy.reduce((sum, each) => sum + Number(each) * TICK_MS, 0) - (user + system) / 1000;
}

/** Seconds that some work took, and the processor time of the processes meanwhile. */
export interface Metered {
  readonly seconds: number;
  readonly cpuMs: CpuMs;
}

/** @param work how many seconds of it count */
export async function metered(
  processes: readonly MeteredProcess[],
  work: () => Promise<number>,
): Promise<Metered> {
  await untilQuiet(processes);
  const before = readCpu(processes);
  const seconds = await work();
  return { seconds, cpuMs: subtract(readCpu(processes), before) };
}

/** The seconds that some work takes. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

/** Waits for what earlier calls have left to do, so that it is counted for them and for no others. */
export async function untilQuiet(processes: readonly MeteredProcess[]): Promise<void> {
  const until = performance.now() + QUIET_WITHIN_MS;
  while (performance.now() < until) {
    const before = readCpu(processes);
    await wait(QUIET_WINDOW_MS);
    const usedMs = sumCpu(subtract(readCpu(processes), before));
    if (usedMs < QUIET_WINDOW_MS * QUIET_SHARE) return;
  }
}

/** What the processes use while nothing is asked of them, in milliseconds per second. */
export async function measureIdle(
  processes: readonly MeteredProcess[],
  seconds: number,
): Promise<CpuMs> {
  await untilQuiet(processes);
  const before = readCpu(processes);
  await wait(seconds * 1000);
  return mapCpu(subtract(readCpu(processes), before), (ms) => ms / seconds);
}

/** The process and its descendants: the pid may be a wrapper's. */
function processTree(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) =>
    (readIfThere(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean),
  );
  return [pid, ...children.flatMap((child) => processTree(Number(child)))];
}

function processTime(pid: number): number {
  return readTimes(pid).reduce((sum, ticks) => sum + ticks * TICK_MS, 0);
}

/** utime, stime, and both of the children that have ended: fields 14 to 17 of `stat`. */
function readTimes(pid: number): number[] {
  const stat = readIfThere(`/proc/${pid}/stat`) ?? '';
  // The second field is the program's name, which may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).map(Number);
}

/** Processor time of this process's children that have ended, in milliseconds. */
export function readEndedChildrenMs(): number {
  return readTimes(process.pid)
    .slice(2)
    .reduce((sum, ticks) => sum + ticks * TICK_MS, 0);
}

/** A process's memory at its highest, in MiB. */
export function readPeakMib(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readIfThere(`/proc/${pid}/status`) ?? '')?.[1]) / 1024;
}

/** A thread or a child may end between the listing and the reading. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
