import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { formatApiKey, isApiKey, storeApiKey } from '../../../domain/account/api-key.ts';
import { AppError, ERROR_CODES, httpStatus } from '../../../domain/common/errors.ts';
import { safeFileName, uploadKey } from '../../../domain/upload/file-name.ts';
import { roundUsd, toMicroUsd } from '../../../domain/pricing/money.ts';
import { parsePlans } from '../../../domain/account/plan.ts';
import { toMonth } from '../../../domain/common/time.ts';

describe('safeFileName', () => {
  it('returns 1 to 128 safe bytes for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        assert.match(safeFileName(name), /^(?!\.)[A-Za-z0-9._-]{1,128}$/);
      }),
    );
  });

  it('is the last part of the object key, without the path of Windows', () => {
    assert.equal(uploadKey('id', 'C:\\photos\\a b.png'), 'uploads/id/a_b.png');
  });
});

describe('roundUsd', () => {
  it('rounds half away from zero', () => {
    const rows: [usd: number, micro: number][] = [
      [0, 0],
      [0.0000005, 1],
      [-0.0000005, -1],
      [0.00000049999, 0],
      [1.0000005, 1_000_001],
      [2.0000015, 2_000_002],
      [-0.0000001, 0],
    ];
    for (const [usd, micro] of rows) assert.equal(toMicroUsd(usd), micro, String(usd));
  });

  it('rounds every decimal tie up at any amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000_000 }), (micro) => {
        assert.equal(toMicroUsd(Number(`${micro}5e-7`)), micro + 1);
      }),
    );
  });

  it('returns at most six decimals', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (usd) => {
        assert.equal(Number(roundUsd(usd).toFixed(6)), roundUsd(usd));
      }),
    );
  });
});

describe('an API key', () => {
  it('is accepted only in the mode of the deployment', () => {
    const key = formatApiKey('test', randomUUID());
    assert.ok(isApiKey('test', key));
    assert.ok(!isApiKey('live', key));
    for (const other of [
      '',
      'svc_test_',
      `${key}x`,
      key.toUpperCase(),
      key.replace(/-4(?=[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$)/, '-1'),
    ]) {
      assert.ok(!isApiKey('test', other), other);
    }
  });

  it('is stored as a hash and a masked form', () => {
    const key = 'svc_live_1a2b3c4d-0000-4000-8000-000000009f3c';
    const stored = storeApiKey(key, new Date(0));
    assert.equal(stored.masked, 'svc_live_1a2…9f3c');
    assert.match(stored.hash, /^[0-9a-f]{64}$/);
    assert.ok(!JSON.stringify(stored).includes('3c4d-0000'));
  });
});

describe('parsePlans', () => {
  const limits = {
    gbRoutedPerMonth: 1,
    uploadsPerMonth: 2,
    providers: 1,
    scansPerMonth: 1,
    migrations: false,
  };

  it('names the plan and the field of an invalid limit', () => {
    const row = { ...limits, providers: 'two' };
    assert.throws(() => parsePlans({ free: row }), /plan free: providers/);
    assert.throws(() => parsePlans({}), /plan free/);
  });
});

describe('toMonth', () => {
  it('uses UTC to the last millisecond', () => {
    assert.equal(toMonth(new Date('2026-11-30T23:59:59.999Z')), '2026-11');
    assert.equal(toMonth(new Date('2026-12-01T00:00:00.000Z')), '2026-12');
    assert.equal(toMonth(new Date('2028-02-29T12:00:00.000+14:00')), '2028-02');
  });
});

describe('the table of errors', () => {
  // spec: error-body.fields
  it('gives every code a status of the 4xx or 5xx range and a sentence', () => {
    for (const code of ERROR_CODES) {
      assert.ok(httpStatus(code) >= 400 && httpStatus(code) < 600, code);
      assert.match(new AppError(code).message, /\.$/);
    }
  });
});
