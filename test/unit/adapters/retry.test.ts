import assert from 'node:assert/strict';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import { backoff, isTransient, retryTransient } from '../../../adapters/retry.ts';

const busy = () => new StoreError('throttled');

/** Work that fails with the errors given, then returns the number of the attempt. */
function failing(...errors: Error[]) {
  const attempts: number[] = [];
  const work = async (attempt: number) => {
    attempts.push(attempt);
    const error = errors[attempt - 1];
    if (error) throw error;
    return attempt;
  };
  return { attempts, work };
}

describe('retrying', () => {
  it('repeats transient failures after the delay of each', async () => {
    const waits: number[] = [];
    const { work } = failing(busy(), busy());
    const wait = async (ms: number) => void waits.push(ms);
    const delayMs = (failures: number) => failures * 10;
    assert.equal(await retryTransient({ attempts: 3, delayMs, wait }, work), 3);
    assert.deepEqual(waits, [10, 20]);
  });

  it('throws a lasting error at once, and the last one when the attempts are used up', async () => {
    const last = busy();
    const lasting = new StoreError('access_denied');
    for (const [errors, thrown, made] of [
      [[busy(), last, busy()], last, [1, 2]],
      [[lasting], lasting, [1]],
    ] as const) {
      const { attempts, work } = failing(...errors);
      await assert.rejects(retryTransient({ attempts: 2 }, work), (error) => error === thrown);
      assert.deepEqual(attempts, made);
    }
    const errors = [busy(), new StoreError('missing'), new Error('throttled'), 'throttled'];
    assert.deepEqual(errors.map(isTransient), [true, false, false, false]);
  });

  it('uses the predicate of its caller', async () => {
    const { work } = failing(new Error('conflict'));
    const isConflict = (error: unknown) => error instanceof Error && error.message === 'conflict';
    assert.equal(await retryTransient({ attempts: 2, isTransient: isConflict }, work), 2);
  });

  it('throws the reason of an aborted signal, in a pause and before an attempt', async () => {
    const stop = new AbortController();
    const reason = new Error('cancelled');
    const { attempts, work } = failing(busy());
    const options = { attempts: 2, delayMs: () => 60_000, signal: stop.signal };
    const retried = retryTransient(options, work);
    setImmediate(() => stop.abort(reason));
    await assert.rejects(retried, (error) => error === reason);
    await assert.rejects(retryTransient(options, work), (error) => error === reason);
    assert.deepEqual(attempts, [1]);
  });
});

describe('backoff', () => {
  it('doubles with each failure up to its maximum, and takes up to half away', () => {
    const delayMs = backoff({ firstMs: 100, maxMs: 350, random: () => 1 });
    assert.deepEqual([1, 2, 3, 9].map(delayMs), [100, 200, 350, 350]);
    assert.equal(backoff({ firstMs: 100, random: () => 0 })(1), 50);
  });
});
