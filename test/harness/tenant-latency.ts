import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Customer } from './customer.ts';

/** Other work on the machine only makes calls slower: the best of some rounds counts. */
const ROUNDS = 3;
/** Some hundred calls, so that one of them does not decide. */
const CALLERS = 4;
const CALLS_EVERY_MS = 10;
const MOST_P99_MS = 250;

/** The latencies of a tenant's calls until the work ends, in milliseconds. */
export async function latenciesDuring(
  customer: Pick<Customer, 'call'>,
  work: Promise<unknown>,
): Promise<number[]> {
  const over = new AbortController();
  const ended = work.finally(() => over.abort());
  const latencies: number[] = [];
  const call = async () => {
    while (!over.signal.aborted) {
      const startedAt = performance.now();
      assert.equal((await customer.call('GET /v1/me')).status, 200);
      latencies.push(performance.now() - startedAt);
      await wait(CALLS_EVERY_MS);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  await ended;
  return latencies;
}

/** Asserts that the p99 of a tenant's calls stays below 250 ms beside an attack. */
export async function assertServedDuring(
  customer: Pick<Customer, 'call'>,
  attack: () => Promise<unknown>,
): Promise<void> {
  const rounds: string[] = [];
  let isServed = false;
  while (!isServed && rounds.length < ROUNDS) {
    const latencies = (await latenciesDuring(customer, attack())).sort((a, b) => a - b);
    const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? Infinity;
    rounds.push(`p99 ${Math.round(p99)} ms of ${latencies.length} calls`);
    isServed = p99 < MOST_P99_MS;
  }
  assert.ok(isServed, rounds.join(', '));
}
