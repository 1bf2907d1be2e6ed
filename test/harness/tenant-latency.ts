import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { ServiceProcess } from '../../dev/service.ts';
import type { Customer } from './customer.ts';
import { readProcessorMs } from './process-usage.ts';

const ROUNDS = 3;
/** Some hundred calls, so that one of them does not decide. */
const CALLERS = 4;
const CALLS_EVERY_MS = 10;
/** What the process may do before it answers a tenant. Other work on the machine does not count. */
const MOST_P99_PROCESSOR_MS = 250;
/** Less than any wait for a slow client; a tenth of it on a machine that does nothing else. */
const MOST_P99_MS = 2_500;

export interface Tenant {
  readonly customer: Pick<Customer, 'call'>;
  /** The process that serves it. */
  readonly api: Pick<ServiceProcess, 'pid'>;
}

/** What the calls of a tenant take until the work ends, in milliseconds, and of the process that answers them. */
export async function latenciesDuring(
  { customer, api }: Tenant,
  work: Promise<unknown>,
): Promise<readonly { readonly ms: number; readonly processorMs: number }[]> {
  const over = new AbortController();
  const ended = work.finally(() => over.abort());
  const latencies: { ms: number; processorMs: number }[] = [];
  const call = async () => {
    while (!over.signal.aborted) {
      const startedAt = performance.now();
      const usedBefore = readProcessorMs(api.pid);
      assert.equal((await customer.call('GET /v1/me')).status, 200);
      const processorMs = readProcessorMs(api.pid) - usedBefore;
      latencies.push({ ms: performance.now() - startedAt, processorMs });
      await wait(CALLS_EVERY_MS);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  await ended;
  return latencies;
}

/** Asserts that a tenant's calls are answered soon beside an attack. */
export async function assertServedDuring(
  tenant: Tenant,
  attack: () => Promise<unknown>,
): Promise<void> {
  const rounds: string[] = [];
  let isServed = false;
  while (!isServed && rounds.length < ROUNDS) {
    const latencies = await latenciesDuring(tenant, attack());
    const ms = p99(latencies.map((each) => each.ms));
    const processorMs = p99(latencies.map((each) => each.processorMs));
    rounds.push(
      `p99 ${Math.round(processorMs)} ms of the processor, ${Math.round(ms)} ms, of ${latencies.length} calls`,
    );
    isServed = processorMs < MOST_P99_PROCESSOR_MS && ms < MOST_P99_MS;
  }
  assert.ok(isServed, rounds.join(', '));
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Infinity;
}
