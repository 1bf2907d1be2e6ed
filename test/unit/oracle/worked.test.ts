import assert from 'node:assert/strict';
import { differences } from '../../oracle/compare.ts';
import type { ExpectedScan } from '../../oracle/expected.ts';
import { inventoryOf } from '../../oracle/inventory.ts';
import {
  agreed,
  agreedAmongMore,
  agreedOn,
  bucketOf,
  listingOf,
  MIB,
  objects,
} from './listings.ts';

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
const WASABI = {
  monthlySavingsUsd: 1.484108,
  quote: { totalUsd: 8.793113 },
  // Five times what is stored would be read at most, and the least that Wasabi charges is 7.99.
  blockers: [
    { code: 'egress_refused', objects: 10_000 },
    { code: 'below_floor', objects: 10_000 },
  ],
};
const TIGRIS = { monthlySavingsUsd: 0.148942, quote: { totalUsd: 8.843113 }, blockers: [] };
const R2 = { monthlySavingsUsd: 0.67323, configured: false, quote: { totalUsd: 8.838113 } };

/** Section 6 of the pricing rules: us-east-1, 10,000 objects of 10 MiB each, minimum 0. */
describe('the worked answers', () => {
  it('move young STANDARD objects to b2', () => {
    const stayMonthlyUsd = { none: 2.246094, expected: 6.642625, heavy: 46.211406 };
    holds(agreedOn([YOUNG]), {
      summary: { currentMonthlyCostUsd: 2.246094 },
      answers: ['move 10000 104857600000 1.517333'],
      moves: [{ options: [B2, WASABI, R2, TIGRIS], stayMonthlyUsd }],
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
    const options = [{ quote: { totalUsd: 35.17245 } }, {}, {}, {}];
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
      moves: [{ options: [{}, {}, { quote: { destinationRequestsUsd: 0.000077 } }, {}] }],
    });
  });

  it('leave alone the files of the service, and nothing is said of the whole of their bucket', () => {
    const file = 'uploads/0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e/x';
    const oldVersions = [{ size: 1e9, storageClass: 'STANDARD', times: 100 }];
    const uploads = [{ initiated: new Date('2026-11-01'), bytes: 5e9 }];
    const held = [YOUNG, objects('b/x', 90), objects('c/x', 90), objects(file, 1)];
    const more = { oldVersions, uploads, isPlace: true };
    holds(agreedOn(held, more), {
      answers: [
        'change_class 10000 104857600000 1.764698',
        'change_class 10000 104857600000 1.764698',
        'move 10000 104857600000 1.517333',
      ],
      moves: [{ selector: { prefix: 'a/' } }],
      changes: [{ selector: { prefix: 'b/' } }, { selector: { prefix: 'c/' } }],
      decisionReport: {
        leftAlone: [
          {
            bucket: 'bucket',
            prefix: 'uploads/',
            code: 'routed',
            objects: 10_000,
            bytes: 104_857_600_000,
            monthlyCostUsd: 2.246094,
          },
        ],
        // The files, the old versions and the parts.
        exitScenario: { remainingMonthlyUsd: 4.495238, monthlyCostUsd: 2.186281 },
      },
    });
    const others = [{ size: 1, storageClass: 'STANDARD', key: 'uploads/x' }];
    holds(agreedOn(held, { ...more, oldVersions: [...oldVersions, ...others] }), {
      answers: [
        'change_class 20000 209715200000 3.529396',
        'expire_old_versions 101 100000000001 2.142042',
        'move 10000 104857600000 1.517333',
        'move 10000 104857600000 1.517333',
        'abort_multipart_uploads 1 5000000000 0.107102',
      ],
      moves: [{ selector: { prefix: 'a/' } }, { selector: { prefix: 'uploads/' } }],
      changes: [{ selector: { prefix: null } }],
      decisionReport: { leftAlone: [] },
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

const GIB = 2 ** 30;
/** So many objects of a size, older than a year. */
const old = (key: string, size: number, times: number) =>
  objects(key, 400, 'STANDARD', { size, times });

/** Section 9 of the pricing rules. `other-stores.ts` has the stores that are not the project's. */
describe('the worked answers of any store', () => {
  it('move everything out of b2 without egress, which three times what is stored covers', () => {
    const buckets = [6000, 3000].map((times, at) =>
      bucketOf([old('a/x', 1e9, times)], { name: `bucket-${at}`, region: 'us-west-004' }),
    );
    const { recommendations, decisionReport } = agreedAmongMore(
      listingOf(buckets, { source: 'b2' }),
    );
    const quotes = recommendations.map(({ options: [best] }) => best?.quote.egressUsd);
    assert.deepEqual([quotes, decisionReport.oneOffCostUsd], [[0, 0], 0]);
  });

  it('share what leaves for nothing among the moves, the larger savings first', () => {
    const buckets = [3000, 6000].map((times) =>
      bucketOf([old('a/x', 1e9, times)], { name: `gb-${times}`, region: 'main' }),
    );
    // A quarter of 9,000 GB is free, then 0.02 per GB: (6,000 - 2,250) and 3,000 GB.
    const move = (bucket: string, egressUsd: number, breakEvenMonths: number) => ({
      bucket,
      recommendedProvider: 'barn',
      options: [{ quote: { egressUsd }, breakEvenMonths }, {}, {}, {}, {}, {}, {}],
    });
    holds(agreedAmongMore(listingOf(buckets, { source: 'attic', horizonMonths: 36 })), {
      moves: [move('gb-6000', 75, 16.9), move('gb-3000', 60, 27.1)],
      decisionReport: { oneOffCostUsd: 135.003645, exitScenario: { oneOffUsd: 135.003645 } },
    });
  });

  it('leave out a store whose moves stay below its floor, and decide again', () => {
    const blockers = [{ code: 'below_floor', objects: 1000 }];
    const bucket = bucketOf([old('a/x', 1e9, 1000)], { region: 'auto' });
    const barn = { provider: 'barn', monthlyCostUsd: 3.259629, blockers };
    const attic = { provider: 'attic', monthlyCostUsd: 4, blockers: [] };
    holds(agreedAmongMore(listingOf([bucket], { source: 'r2' })), {
      moves: [{ recommendedProvider: 'attic', options: [barn, attic, {}, {}, {}, {}, {}] }],
    });
  });

  for (const [gib, provider, monthlyCostUsd] of [
    [1024, 'wasabi', 7.99],
    [1023, 'r2', 16.476568],
  ] as const)
    it(`leave b2 with ${gib} GiB for ${provider}, as Wasabi charges at least 7.99`, () => {
      const bucket = bucketOf([old('a/x', GIB, gib)], { region: 'us-west-004' });
      holds(agreed(listingOf([bucket], { source: 'b2' })), {
        answers: [],
        decisionReport: { verdict: 'stay', exitScenario: { provider, monthlyCostUsd } },
      });
    });

  it('refuse no egress of what is read as much as Wasabi allows', () => {
    // One full read a month in the heaviest scenario.
    const blockers = [{ code: 'below_floor', objects: 10_000 }];
    holds(agreedOn([objects('a/x', 40)]), {
      moves: [{ options: [{}, { provider: 'wasabi', blockers }, {}, {}] }],
    });
  });

  it('pay 4 KiB for each smaller object at Wasabi', () => {
    // 1,000,000 × 4,096 bytes are 3.814697 GiB.
    const bucket = bucketOf([old('a/x', 1024, 1_000_000)], { region: 'us-east-1' });
    const small = { objects: 1_000_000, bytes: 1_024_000_000, monthlyCostUsd: 0.029765 };
    holds(agreed(listingOf([bucket], { source: 'wasabi' })), {
      summary: { currentMonthlyCostUsd: 0.029765 },
      buckets: [{ findings: [{ code: 'small_objects', ...small }] }],
      answers: ['move 1000000 1024000000 0.022648'],
    });
  });

  it('move STANDARD_IA out of r2, and leave a class that r2 does not have', () => {
    const listed = [objects('a/x', 1, 'STANDARD_IA'), objects('b/x', 1, 'GLACIER')];
    const quote = {
      egressUsd: 0,
      // 10,000 reads for 0.0009 a thousand, and ten listings for 0.0045 a thousand.
      sourceRequestsUsd: 0.009045,
      retrievalUsd: 1.048576,
      earlyDeletionUsd: 1.048576,
      totalUsd: 2.106197,
    };
    const bucket = bucketOf(listed, { region: 'auto' });
    holds(agreed(listingOf([bucket], { source: 'r2' })), {
      summary: { currentMonthlyCostUsd: 2.62144 },
      answers: ['move 10000 104857600000 0.319816'],
      moves: [{ recommendedProvider: 'b2', blockers: [], options: [{ quote }, {}, {}, {}] }],
      decisionReport: { exitScenario: { remainingMonthlyUsd: 1.572864 } },
    });
  });

  it('price aws as a target in the configured region', () => {
    const inRegion = (regions: Record<string, string>) => {
      const buckets = [bucketOf([objects('a/x', 40)], { region: 'auto' })];
      const { recommendations } = agreed(listingOf(buckets, { source: 'tigris', regions }));
      const options = recommendations.flatMap((move) => move.options);
      return options.find(({ provider }) => provider === 'aws')?.monthlyCostUsd;
    };
    assert.equal(inRegion({}), 2.246094);
    assert.equal(inRegion({ aws: 'eu-central-1' }), 2.392578);
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
