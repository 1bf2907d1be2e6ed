import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import { createAdaptiveConcurrency } from '../../../adapters/object-store/adaptive-concurrency.ts';

describe('the requests that a store gets at once', () => {
  it('are one more after each success, and half after a refusal, once for all that were under way', async () => {
    let now = 0;
    const waits: number[] = [];
    const wait = async (ms: number) => {
      waits.push(ms);
      now += ms;
    };
    const concurrency = createAdaptiveConcurrency({ now: () => now, random: () => 1, wait }, 8, 9);
    const send = async (work: () => Promise<void>) => {
      await concurrency.send(1, work).catch(() => undefined);
      return concurrency.limit();
    };
    const busy = () => Promise.reject(new StoreError('throttled'));
    assert.deepEqual([await send(async () => {}), await send(async () => {})], [9, 9]);
    let refuse = (_error: Error): void => undefined;
    const underWay = send(() => new Promise((_resolve, reject) => (refuse = reject)));
    await nextTurn();
    now += 1;
    assert.equal(await send(busy), 4);
    refuse(new StoreError('throttled'));
    assert.equal(await underWay, 4);
    assert.equal(await send(() => Promise.reject(new StoreError('missing'))), 4);
    assert.equal(await send(busy), 2);
    assert.equal(waits.length, 1, 'no request is sent in the pause after a refusal');
  });
});
