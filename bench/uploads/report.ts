import process from 'node:process';
import { median } from './load.ts';
import { sumCpu, type CpuMs } from './processor-time.ts';

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** A few significant digits, whatever the magnitude. */
export function short(value: number): string {
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}

export const list = (values: readonly number[]): string => values.map(short).join(', ');

/** The median of the rounds' ratios, and each of them. */
export const showRatio = (ratios: readonly number[]): string =>
  `${short(median(ratios))} (${list(ratios)})`;

/** Each process's milliseconds, and their sum. */
export function showCpu(cpu: CpuMs): string {
  const each = Object.entries(cpu).map(([name, ms]) => `${name} ${short(ms)}`);
  return `${each.join(', ')}; sum ${short(sumCpu(cpu))}`;
}

export function showOthers(others: ReadonlyMap<number, number>): string {
  return [...others].map(([status, count]) => `${count} × ${status || 'no answer'}`).join(', ');
}
