import assert from 'node:assert/strict';
import { differences } from '../../oracle/compare.ts';
import type { ExpectedScan } from '../../oracle/expected.ts';
import { inventoryOf } from '../../oracle/inventory.ts';
import { agreed, agreedOn, bucketOf, listingOf, MIB, objects } from './listings.ts';

/** The figures of a scan's result that are given; its moves and changes beside each other. */
function holds({ recommendations, ...scan }: ExpectedScan, wanted: object): void {
  const of = (name: string) => recommendations.filter(({ kind }) => kind === name);
  const answers = recommendations.map(({ kind, objects, bytes, monthlySavingsUsd }) =>
    [kind, objects, bytes, monthlySavingsUsd].join(' '),
  );
  const shown = { ...scan, answers, moves: of('move'), changes: of('change_class') };
  assert.deepEqual(differences(shown, wanted), []);
}

const YOUNG = objects('a/x', 1);
const SELECTOR = {
  prefix: null,
  storageClass: 'STANDARD',
  minAgeDays: 90,
  minSizeBytes: 131_072,
};
const CHANGE = { recommendedProvider: 'aws', recommendedStorageClass: 'GLACIER_IR' };
const B2 = {
  provider: 'b2',
  storageClass: 'STANDARD',
  configured: true,
  monthlyCostUsd: 0.72876,
  monthlySavingsUsd: 1.517333,
  // Heavy: five reads of 104.8576 GB; three times the stored bytes leave for nothing, the rest for 0.01.
  placedMonthlyUsd: { none: 0.72876, expected: 0.72876, heavy: 2.825912 },
  quote: {
    egressUsd: 8.789063,
    sourceRequestsUsd: 0.00405,
    retrievalUsd: 0,
    earlyDeletionUsd: 0,
    destinationRequestsUsd: 0,
    transitionUsd: 0,
    totalUsd: 8.793113,
    totalWithExitWaiverUsd: 0.00405,
  },
  breakEvenMonths: 5.8,
  breakEvenMonthsWithExitWaiver: 0.1,
  waiting: null,
};
const R2 = { monthlySavingsUsd: 0.67323, configured: false, quote: { totalUsd: 8.838113 } };

/** Section 6 of the pricing rules: us-east-1, 10,000 objects of 10 MiB each, minimum 0. */
describe('the worked answers', () => {
  it('move young STANDARD objects to b2', () => {
    const stayMonthlyUsd = { none: 2.246094, expected: 6.642625, heavy: 46.211406 };
    holds(agreedOn([YOUNG]), {
      summary: { currentMonthlyCostUsd: 2.246094 },
      answers: ['move 10000 104857600000 1.517333'],
      moves: [{ options: [B2, R2], stayMonthlyUsd }],
    });
  });

  it('change STANDARD objects of 90-365 days to GLACIER_IR', () => {
    const options = [{ quote: { transitionUsd: 0.2, totalUsd: 0.2 } }];
    const selector = { ...SELECTOR, maxAgeDays: 365 };
    holds(agreedOn([objects('a/x', 90)]), {
      answers: ['change_class 10000 104857600000 1.764698'],
      changes: [{ ...CHANGE, currentMonthlyCostUsd: 2.246094, options, selector }],
    });
  });

  it('move the whole of all four bands to b2', () => {
    const options = [{ quote: { totalUsd: 35.17245 } }, {}];
    holds(agreedOn([1, 30, 90, 365].map((days) => objects('a/x', days))), {
      answers: ['move 40000 419430400000 6.069334'],
      moves: [{ recommendedProvider: 'b2', currentMonthlyCostUsd: 8.984375, options }],
      decisionReport: {
        verdict: 'migrate',
        oneOffCostUsd: 35.17245,
        breakEvenMonths: 5.8,
        savings12MonthsUsd: 37.659555,
      },
    });
  });

  it('move the young prefix, and change the old one in one answer from 90 days', () => {
    const options = [{ quote: { transitionUsd: 0.4 } }];
    const selector = { ...SELECTOR, maxAgeDays: null };
    holds(agreedOn([YOUNG, objects('b/x', 90), objects('b/x', 365)]), {
      answers: ['change_class 20000 209715200000 3.58991', 'move 10000 104857600000 1.517333'],
      moves: [{ recommendedProvider: 'b2', selector: { prefix: 'a/' } }],
      changes: [{ ...CHANGE, selector, options }],
      decisionReport: { verdict: 'migrate_partly', workloadProfile: 'cold' },
    });
  });

  for (const [storageClass, days, usd] of [
    ['STANDARD_IA', 30, 1.220703],
    ['GLACIER', 365, 0.354416],
    ['INTELLIGENT_TIERING', 30, 1.245703],
  ] as const)
    it(`stay with ${storageClass} of ${days} days`, () =>
      holds(agreedOn([objects('a/x', days, storageClass)]), {
        summary: { currentMonthlyCostUsd: usd, optimalMonthlyCostUsd: usd },
        answers: [],
        decisionReport: { verdict: 'stay' },
      }));

  it('clean up old versions and parts', () => {
    const [gigabyte, initiated] = [{ size: 1e9, times: 1 }, new Date('2026-11-01')];
    const oldVersions = [{ size: 1e9, storageClass: 'STANDARD', times: 100 }];
    const held = [objects('a/x', 1, 'STANDARD', gigabyte)];
    const findings = [
      { code: 'incomplete_multipart_uploads', monthlyCostUsd: 0.107102 },
      { code: 'old_versions', monthlyCostUsd: 2.142042 },
    ];
    holds(agreedOn(held, { oldVersions, uploads: [{ initiated, bytes: 5e9 }] }), {
      summary: { currentMonthlyCostUsd: 2.270564 },
      answers: [
        'expire_old_versions 100 100000000000 2.142042',
        'abort_multipart_uploads 1 5000000000 0.107102',
        'move 1 1000000000 0.01447',
      ],
      buckets: [{ findings }],
      // One PUT, and sixteen for its parts.
      moves: [{ options: [{}, { quote: { destinationRequestsUsd: 0.000077 } }] }],
    });
  });

  for (const [what, internetGb, expected] of [
    ['none of which leaves', 0, 2.286094],
    ['all of which leave', 976.5625, 90.176719],
  ] as const)
    it(`stay with 100,000 reads a month, ${what}`, () => {
      const row = { unit: '', listUsd: 0, netUsd: 0 };
      const rows = [
        { ...row, usageType: 'Requests-Tier2', operation: 'GetObject', quantity: 100_000 },
        { ...row, usageType: 'DataTransfer-Out-Bytes', operation: '', quantity: internetGb },
      ];
      const bill = { period: '2026-09', estimated: false, rows };
      const usage = { bill, metrics: new Map() };
      holds(agreed(listingOf([bucketOf([YOUNG])], { usage })), {
        summary: { currentMonthlyCostUsd: internetGb === 0 ? 2.266094 : 46.211406 },
        decisionReport: { readScenarios: [{}, { stayMonthlyUsd: expected }, {}] },
      });
    });

  it('leave what saves less than the minimum, and say how much', () => {
    const [objects, bytes, monthlyCostUsd] = [10_000, 100_000 * MIB, 1.517333];
    holds(agreed(listingOf([bucketOf([YOUNG])], { minMonthlySavingsUsd: 2 })), {
      answers: [],
      decisionReport: { verdict: 'stay' },
      summary: { findings: [{ code: 'below_minimum', objects, bytes, monthlyCostUsd }] },
    });
  });
});

/** What of an account is merged, and how: `random.test.ts`. */
describe('the limits of an answer', () => {
  it('keeps the 50 largest prefixes, ties by their UTF-8 bytes', () => {
    const names = Array.from({ length: 49 }, (_, index) => `p${index}/`);
    const equal = [...names, '\u{1F4BE}/', '\uFFFD/', ''].map((name) => objects(`${name}x`, 400));
    const [inventory] = inventoryOf(listingOf([bucketOf(equal)]));
    const found = new Map(inventory?.groups.map(({ prefix, objects }) => [prefix, objects]));
    const [rest, before, behind] = ['*', '\uFFFD/', '\u{1F4BE}/'].map((name) => found.get(name));
    assert.deepEqual([rest, before, behind], [20_000, 10_000, undefined]);
  });

  it('sums the recommendations after the first 200', () => {
    const moving = Array.from({ length: 45 }, (_, index) => objects(`p${index}/x`, 1));
    const held = [...moving, objects('z/x', 400)];
    const buckets = ['a', 'b', 'c', 'd', 'e'].map((name) => bucketOf(held, { name }));
    const { summary, recommendations } = agreed(listingOf(buckets));
    assert.equal(recommendations.length, 200);
    const [code, monthlyCostUsd, bytes] = ['more_recommendations', 45.520003, 3_000_000 * MIB];
    assert.deepEqual(summary.findings, [{ code, objects: 300_000, bytes, monthlyCostUsd }]);
  });
});
