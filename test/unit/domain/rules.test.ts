import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { formatApiKey, isApiKey, storeApiKey } from '../../../domain/accounts/api-key.ts';
import { parsePlans } from '../../../domain/accounts/plan.ts';
import { toMonth } from '../../../domain/common/time.ts';
import { roundUsd, toMicroUsd } from '../../../domain/pricing/money.ts';
import { safeFileName, uploadKey } from '../../../domain/uploads/file-name.ts';

describe('safeFileName', () => {
  it('is 1 to 128 safe bytes for any name, and the last part of the object key without a path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) =>
        assert.match(safeFileName(name), /^(?!\.)[A-Za-z0-9._-]{1,128}$/),
      ),
    );
    assert.equal(uploadKey('id', 'C:\\photos\\a b.png'), 'uploads/id/a_b.png');
  });
});

describe('roundUsd', () => {
  it('rounds half away from zero, every decimal tie at any amount, to at most six decimals', () => {
    for (const [usd, micro] of [
      [0, 0],
      [-0.0000005, -1],
      [0.00000049999, 0],
      [-0.0000001, 0],
    ] as const)
      assert.equal(toMicroUsd(usd), micro, String(usd));
    const ties = fc.integer({ min: 0, max: 10_000_000_000 });
    fc.assert(
      fc.property(ties, fc.double({ min: -1e6, max: 1e6, noNaN: true }), (micro, usd) => {
        assert.equal(toMicroUsd(Number(`${micro}5e-7`)), micro + 1);
        assert.equal(Number(roundUsd(usd).toFixed(6)), roundUsd(usd));
      }),
    );
  });
});

describe('an API key', () => {
  it('is a UUID of version 4 in the mode of the deployment, stored as a hash', () => {
    const key = formatApiKey('test', randomUUID());
    assert.deepEqual([isApiKey('test', key), isApiKey('live', key)], [true, false]);
    const ofVersion1 = key.replace(/-4(?=[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$)/, '-1');
    for (const other of ['', 'svc_test_', `${key}x`, key.toUpperCase(), ofVersion1])
      assert.ok(!isApiKey('test', other), other);
    const stored = storeApiKey(key, new Date(0));
    assert.match(stored.hash, /^[0-9a-f]{64}$/);
    assert.ok(!JSON.stringify(stored).includes(key.slice(12, -4)));
  });
});

describe('parsePlans', () => {
  it('names the plan and the field of an invalid limit', () => {
    const quota = { gbRoutedPerMonth: 1, uploadsPerMonth: 2, scansPerMonth: 1, migrations: false };
    assert.throws(() => parsePlans({ free: { ...quota, providers: 'two' } }), /free: providers/);
    assert.throws(() => parsePlans({}), /plan free/);
  });
});

describe('toMonth', () => {
  it('uses UTC to the last millisecond', () => {
    for (const [at, month] of [
      ['2026-11-30T23:59:59.999Z', '2026-11'],
      ['2026-12-01T00:00:00.000Z', '2026-12'],
      ['2028-02-29T12:00:00.000+14:00', '2028-02'],
    ] as const)
      assert.equal(toMonth(new Date(at)), month);
  });
});
