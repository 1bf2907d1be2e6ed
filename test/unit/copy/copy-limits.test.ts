import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { abortCalls } from '../../../adapters/abort-signals.ts';
import * as copyLimits from '../../../copy/copy-limits.ts';

const { signal } = new AbortController();

/** Limits whose waits end when the fake clock advances. */
function gateAt(options: Partial<copyLimits.CopyLimitsOptions> = {}) {
  const clock = { ms: 5_000 };
  const waits: { dueMs: number; end: () => void }[] = [];
  const limits = copyLimits.createCopyLimits({
    maxBytesPerSecond: Number.POSITIVE_INFINITY,
    maxRequestsPerSecond: Number.POSITIVE_INFINITY,
    bufferedBytes: Number.POSITIVE_INFINITY,
    now: () => clock.ms,
    wait: (ms, stop) =>
      new Promise((resolve, reject) => {
        waits.push({ dueMs: clock.ms + ms, end: resolve });
        abortCalls(stop).add(() => reject(stop.reason as Error));
      }),
    ...options,
  });
  const forward = async (ms: number) => {
    clock.ms += ms;
    for (const wait of waits.filter(({ dueMs }) => dueMs <= clock.ms)) wait.end();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { limits, forward, waits };
}

/** The callers that have passed so far, by number. */
function follow(asked: readonly Promise<unknown>[]): number[] {
  const passed: number[] = [];
  for (const [index, one] of asked.entries())
    void one.then(() => passed.push(index)).catch(() => {});
  return passed;
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the copy limits', () => {
  it('passes everything where no bound is set, else a burst of one second, then one by one in order', async () => {
    const unbounded = gateAt();
    await unbounded.limits.acquireRequest(signal);
    await unbounded.limits.acquireBytes(2 ** 40, signal);
    (await unbounded.limits.acquireMemory(2 ** 40, signal))();
    assert.deepEqual(unbounded.waits, []);
    const { limits, forward } = gateAt({ maxRequestsPerSecond: 10 });
    const passed = follow(Array.from({ length: 15 }, () => limits.acquireRequest(signal)));
    await settle();
    for (const [ms, count] of [
      [0, 10],
      [100, 11],
      [250, 13],
      [1_000, 15],
    ] as const) {
      await forward(ms);
      assert.equal(passed.length, count);
    }
    assert.deepEqual(passed, [...passed.keys()]);
  });

  it('passes a request larger than a burst, and delays the next ones', async () => {
    const { limits, forward } = gateAt({ maxBytesPerSecond: 100 });
    const passed = follow([250, 1].map((count) => limits.acquireBytes(count, signal)));
    await settle();
    assert.deepEqual(passed, [0]);
    await forward(1_500);
    assert.deepEqual(passed, [0]);
    await forward(10);
    assert.deepEqual(passed, [0, 1]);
  });

  it('never exceeds the burst plus the rate', async () => {
    const ask = fc.record({ count: fc.integer({ min: 1, max: 300 }), pause: fc.nat(900) });
    const asks = fc.array(ask);
    await fc.assert(
      fc.asyncProperty(asks, async (given) => {
        const { limits, forward } = gateAt({ maxBytesPerSecond: 100 });
        let passedMs = 0;
        let bytes = 0;
        let last = 0;
        for (const { count, pause } of given) {
          void limits.acquireBytes(count, signal).then(() => {
            bytes += count;
            last = count;
          });
          await forward(pause);
          passedMs += pause;
          // The last one may have passed on credit.
          assert.ok(bytes - last <= 100 + passedMs / 10 + 1e-6, `${bytes} in ${passedMs} ms`);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('grants memory in request order', async () => {
    const { limits } = gateAt({ bufferedBytes: 10 });
    const first = await limits.acquireMemory(6, signal);
    const second = limits.acquireMemory(5, signal);
    const passed = follow([second, limits.acquireMemory(1, signal)]);
    await settle();
    assert.deepEqual(passed, []);
    first();
    first();
    await settle();
    assert.deepEqual(passed, [0, 1]);
    (await second)();
    const rest = await limits.acquireMemory(9, signal);
    rest();
  });

  it('grants all memory to a request that exceeds it', async () => {
    const { limits } = gateAt({ bufferedBytes: 10 });
    const small = await limits.acquireMemory(1, signal);
    const large = limits.acquireMemory(1_000, signal);
    const passed = follow([large]);
    await settle();
    assert.deepEqual(passed, []);
    small();
    (await large)();
    assert.deepEqual(passed, [0]);
    (await limits.acquireMemory(10, signal))();
  });

  it('drops an aborted request, and passes the next one', async () => {
    const { limits } = gateAt({ bufferedBytes: 10, maxRequestsPerSecond: 1, maxBytesPerSecond: 1 });
    const held = await limits.acquireMemory(8, signal);
    const stop = new AbortController();
    const reason = new Error('called off');
    const large = limits.acquireMemory(9, stop.signal);
    const small = limits.acquireMemory(2, signal);
    await limits.acquireRequest(signal);
    const request = limits.acquireRequest(stop.signal);
    stop.abort(reason);
    const late = [limits.acquireBytes(1, stop.signal), limits.acquireMemory(1, stop.signal)];
    for (const asked of [large, request, ...late])
      await assert.rejects(asked, (error) => error === reason);
    (await small)();
    held();
  });
});
