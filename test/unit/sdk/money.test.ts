import assert from 'node:assert/strict';
import { assert as check, double, integer, property } from 'fast-check';
import { formatUsd, StorageRoutingError, withFixedUsd } from '../../../sdk/src/index.ts';

describe('formatUsd', () => {
  it('writes an amount with six decimals, ties away from zero', () => {
    for (const [amount, text] of [
      [-0, '0.000000'],
      [-12.5, '-12.500000'],
      [0.0000005, '0.000001'],
      [-0.0000005, '-0.000001'],
      [0.00000049999, '0.000000'],
      [-0.0000004, '0.000000'],
      [1.0000005, '1.000001'],
      [5e-324, '0.000000'],
      [1.5e25, '15000000000000000000000000.000000'],
    ] as const)
      assert.equal(formatUsd(amount), text);
    for (const amount of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      assert.throws(() => formatUsd(amount), StorageRoutingError);
  });

  // spec: init-result.saved-vs-aws
  it('gives back every amount of whole micro-dollars that a number holds', () => {
    check(
      property(integer({ min: -1e15, max: 1e15 }), (microUsd) => {
        const digits = Math.abs(microUsd).toString().padStart(7, '0');
        const text = `${microUsd < 0 ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
        assert.equal(formatUsd(Number(text)), text);
      }),
    );
  });

  // spec: init-result.saved-vs-aws
  it('always has six decimals, no exponent, and is at most half a micro-dollar away', () => {
    check(
      property(double({ noNaN: true, noDefaultInfinity: true }), (amount) => {
        const text = formatUsd(amount);
        assert.match(text, /^-?\d+\.\d{6}$/);
        assert.notEqual(text, '-0.000000');
        const slackUsd = 0.5e-6 + Math.abs(amount) * Number.EPSILON;
        assert.ok(Math.abs(Number(text) - amount) <= slackUsd * (1 + 1e-9), `${amount} ${text}`);
      }),
    );
  });
});

describe('withFixedUsd', () => {
  it('adds a fixed-point string to each amount at any depth, and changes nothing else', () => {
    const amounts = { savings12MonthsUsd: -1.5, monthlySavingsUsd: null };
    const quote = { totalWithExitWaiverUsd: 1e-7, breakEvenMonths: null };
    const answer = { status: 'completed', ...amounts, options: [{ provider: 'b2', quote }] };
    const fixed = withFixedUsd(answer);
    const typed: string = fixed.options[0]?.quote.totalWithExitWaiverUsdFixed ?? '';
    assert.equal(typed, '0.000000');
    const fixedQuote = { ...quote, totalWithExitWaiverUsdFixed: '0.000000' };
    assert.deepEqual(fixed, {
      ...answer,
      savings12MonthsUsdFixed: '-1.500000',
      monthlySavingsUsdFixed: null,
      options: [{ provider: 'b2', quote: fixedQuote }],
    });
    assert.equal('savings12MonthsUsdFixed' in answer, false);
  });
});
