import assert from 'node:assert/strict';
import type { Decision, Waiting } from '../../../../domain/decision/types.ts';
import { bucket, decideGroups, decideOn, group } from './inventories.ts';

/** 10,000 objects of 10 MiB, STANDARD, in one region. */
function decideIn(region: string, startedAt: string): Decision {
  return decideOn([bucket([group('a/', 'STANDARD', 0)], { region })], {
    startedAt: new Date(startedAt),
  });
}

/** Of the move's options, by store. */
function waitingOf({ recommendations }: Decision): Record<string, Waiting | null> {
  const [move] = recommendations;
  assert.equal(move?.kind, 'move');
  return Object.fromEntries(move.options.map(({ provider, waiting }) => [provider, waiting]));
}

describe('what waiting for the law saves', () => {
  // 97.65625 GiB: egress 8.7890625; 0.0245 per GiB, b2 0.00695 per GB: saves 1.663817805 a month;
  // r2 0.015 per GB: 2.392578125 - 1.572864 = 0.819714125.
  const UNTIL = '2027-01-12';
  const CASES = [
    // 52.5 days are 1.75 months.
    ['2026-11-20T12:00:00.000Z', { b2: 5.877381, r2: 7.354563 }],
    // 1 day is a thirtieth.
    ['2027-01-11T00:00:00.000Z', { b2: 8.733602, r2: 8.761739 }],
    // One millisecond before the day nothing is lost by waiting.
    ['2027-01-11T23:59:59.999Z', { b2: 8.789062, r2: 8.789062 }],
    ['2027-01-12T00:00:00.000Z', { b2: null, r2: null }],
    ['2027-06-01T00:00:00.000Z', { b2: null, r2: null }],
  ] as const;
  for (const [startedAt, saves] of CASES) {
    it(`is worked out for a scan of ${startedAt}`, () => {
      const expected = Object.fromEntries(
        Object.entries(saves).map(([provider, savesUsd]) => [
          provider,
          savesUsd === null ? null : { until: UNTIL, savesUsd },
        ]),
      );
      assert.deepEqual(waitingOf(decideIn('eu-central-1', startedAt)), expected);
    });
  }

  it('is nothing where the move would have saved more by then', () => {
    // b2: 8.7890625 - 1.663817805 × 160 / 30 = -0.0846; r2: 8.7890625 - 0.819714125 × 160 / 30.
    const waiting = waitingOf(decideIn('eu-central-1', '2026-08-05T00:00:00.000Z'));
    assert.deepEqual(waiting, { b2: null, r2: { until: UNTIL, savesUsd: 4.417254 } });
  });

  for (const region of ['eu-west-1', 'eu-west-3', 'eu-north-1', 'eu-south-1', 'eu-south-2']) {
    it(`counts ${region} to the Union`, () => {
      const { b2 } = waitingOf(decideIn(region, '2027-01-11T00:00:00.000Z'));
      assert.equal(b2?.until, UNTIL);
    });
  }

  for (const region of ['eu-west-2', 'eu-central-2', 'us-east-1', 'me-south-1']) {
    it(`is null in ${region}, which lies outside the Union`, () => {
      for (const waiting of Object.values(waitingOf(decideIn(region, '2026-11-20T12:00:00Z')))) {
        assert.equal(waiting, null);
      }
    });
  }

  it('leaves the quote as it is due today', () => {
    const [before] = decideIn('eu-central-1', '2026-11-20T12:00:00Z').recommendations;
    const [after] = decideIn('eu-central-1', '2027-02-01T00:00:00Z').recommendations;
    assert.deepEqual(before?.options[0]?.quote, after?.options[0]?.quote);
    assert.equal(before?.options[0]?.quote.egressUsd, 8.789063);
  });

  it('is null for a change of class', () => {
    const [change] = decideGroups(group('a/', 'STANDARD', 2)).recommendations;
    assert.equal(change?.options[0]?.waiting, null);
    const [inUnion] = decideOn([
      bucket([group('a/', 'STANDARD', 2)], { region: 'eu-west-1' }),
    ]).recommendations;
    assert.equal(inUnion?.kind, 'change_class');
    assert.equal(inUnion.options[0]?.waiting, null);
  });
});

describe('what the report says of the law', () => {
  const risksIn = (region: string, startedAt: string) =>
    decideIn(region, startedAt).report.risks.filter((risk) => risk.includes('2023/2854'));

  it('names the saving and the regulation before the day, and that it covers switching', () => {
    assert.deepEqual(risksIn('eu-central-1', '2026-11-20T12:00:00Z'), [
      'As of this audit, waiting until 12 January 2027 saves $5.88 on 1 move: from that day the EU Data Act (Regulation (EU) 2023/2854, article 29) forbids charging customers in the European Union for switching to another provider, egress included. It covers switching, which a partial move may not be: ask AWS S3 before you count on it.',
    ]);
  });

  it('names the charge that is not due from that day on', () => {
    assert.deepEqual(risksIn('eu-central-1', '2027-01-12T00:00:00Z'), [
      'The $8.79 of egress on 1 move is not due for customers whom the EU Data Act (Regulation (EU) 2023/2854, article 29) covers: since 12 January 2027 it forbids charging customers in the European Union for switching to another provider, egress included. It covers switching, which a partial move may not be: ask AWS S3 before you approve. The figures include the charge all the same.',
    ]);
  });

  it('says nothing of it elsewhere', () => {
    assert.deepEqual(risksIn('eu-west-2', '2026-11-20T12:00:00Z'), []);
    assert.deepEqual(risksIn('eu-west-2', '2027-01-12T00:00:00Z'), []);
  });
});
