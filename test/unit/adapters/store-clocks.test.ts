import assert from 'node:assert/strict';
import { createStoreClocks } from '../../../adapters/object-store/store-clocks.ts';

const MINUTE = 60_000;
const [ONE, OTHER] = ['https://s3.one.example', 'https://s3.other.example'];

describe('the clocks of stores', () => {
  let oursMs: number;
  let passedMs: number;
  const open = () =>
    createStoreClocks(
      () => new Date(oursMs),
      () => passedMs,
    );
  const pass = (ms: number) => {
    oursMs += ms;
    passedMs += ms;
  };
  beforeEach(() => {
    oursMs = Date.parse('2026-11-01T12:00:00Z');
    passedMs = 5;
  });

  it('are ours until one refuses our time, and then that one has its own', () => {
    const clocks = open();
    const at = clocks.now();
    assert.equal(clocks.toStoreTime(ONE, at), at);
    assert.equal(clocks.skew(), undefined);
    clocks.noteRefusal(ONE, 'Sun, 01 Nov 2026 12:20:00 GMT');
    pass(MINUTE);
    const told = clocks.toStoreTime(ONE, clocks.now());
    assert.equal(told.toISOString(), '2026-11-01T12:21:00.000Z');
    assert.deepEqual(clocks.toStoreTime(OTHER, clocks.now()), clocks.now());
    assert.deepEqual(clocks.skew(), { seconds: 1_200 });
  });

  it('stay right where ours is set, and are no longer skewed then', () => {
    const clocks = open();
    clocks.noteRefusal(ONE, 'Sun, 01 Nov 2026 12:20:00 GMT');
    oursMs += 20 * MINUTE;
    const told = clocks.toStoreTime(ONE, clocks.now());
    assert.equal(told.toISOString(), '2026-11-01T12:20:00.000Z');
    assert.equal(clocks.skew()?.seconds, 0);
  });

  it('are skewed for an hour after the latest refusal, whatever it says of the time', () => {
    const clocks = open();
    for (const date of [undefined, 'soon']) {
      clocks.noteRefusal(ONE, date);
      assert.deepEqual(clocks.toStoreTime(ONE, clocks.now()), clocks.now());
      assert.deepEqual(clocks.skew(), { seconds: 0 });
      pass(60 * MINUTE - 1);
      assert.ok(clocks.skew());
      pass(1);
      assert.equal(clocks.skew(), undefined);
    }
  });
});
