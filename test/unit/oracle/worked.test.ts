import assert from 'node:assert/strict';
import type { AccountUsage, BillRow, MeasuredReads } from '../../../domain/bill/bill.ts';
import { differences } from '../../oracle/compare.ts';
import type { ExpectedScan } from '../../oracle/expected.ts';
import { inventoryOf } from '../../oracle/inventory.ts';
import type { ListedBucket } from '../../oracle/listing.ts';
import { agreed, agreedOn, bucketOf, listingOf, MIB, objects, STARTED_AT } from './listings.ts';

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(STARTED_AT.getTime() - days * DAY_MS);

/** The figures of a scan's result that are given; its moves and changes beside each other. */
function holds({ recommendations, ...scan }: ExpectedScan, wanted: object): void {
  const of = (name: string) => recommendations.filter(({ kind }) => kind === name);
  const answers = recommendations.map(({ kind, objects, bytes, monthlySavingsUsd }) =>
    [kind, objects, bytes, monthlySavingsUsd].join(' '),
  );
  const shown = { ...scan, answers, moves: of('move'), changes: of('change_class') };
  assert.deepEqual(differences(shown, wanted), []);
}

const row = (usageType: string, quantity: number, usd: number, operation = ''): BillRow => ({
  usageType,
  operation,
  quantity,
  unit: '',
  listUsd: usd,
  netUsd: usd,
});
const billOf = (period: string, ...rows: readonly BillRow[]): AccountUsage => ({
  bill: { period, estimated: false, rows },
  metrics: new Map(),
});
const measured = (reads: MeasuredReads, usage = billOf('2026-10')): AccountUsage => ({
  bill: usage.bill && usage.bill.rows.length > 0 ? usage.bill : null,
  metrics: new Map([['bucket', { reads, tiers: null }]]),
});
const expiration = (prefix: string, days: number) => ({
  Status: 'Enabled',
  Filter: { Prefix: prefix },
  Expiration: { Days: days },
});
/** As it is configured without a word. */
const MINIMUMS = { minMonthlySavingsUsd: 1, minMoveMonthlySavingsUsd: 10 };
const accountOf = (bucket: ListedBucket, usage?: AccountUsage) =>
  agreed(listingOf([bucket], { ...MINIMUMS, ...(usage ? { usage } : {}) }));

/** 2 TiB in a million objects. */
const MEDIA = { size: 2 * MIB, times: 2 ** 20 };

/** Accounts for which version 1 of the pricing rules gave advice that an expert would not sign. */
describe('advice that an expert would sign', () => {
  it('moves public media whose egress is on the bill, beside a bucket of ten bytes', () => {
    const usage = billOf(
      '2026-10',
      row('TimedStorage-ByteHrs', 2048, 47.104),
      row('DataTransfer-Out-Bytes', 20_000, 1751.2),
      row('Requests-Tier2', 10_000_000, 4, 'GetObject'),
    );
    const buckets = [
      bucketOf([objects('video/x', 400, 'STANDARD', MEDIA)], { name: 'media' }),
      bucketOf([objects('x', 400, 'STANDARD', { size: 10, times: 1 })], { name: 'tiny' }),
    ];
    const [options] = [
      [{ monthlyCostUsd: 36.469216, quote: { totalUsd: 189.463267 }, breakEvenMonths: 0.3 }],
    ];
    const scan = agreed(listingOf(buckets, { ...MINIMUMS, usage }));
    holds(scan, {
      summary: {
        currentMonthlyCostUsd: 1745.684645,
        bill: { listUsd: 1802.304, explainedShare: 1 },
      },
      answers: ['move 1048576 2199023255552 861.667038'],
      decisionReport: {
        verdict: 'migrate',
        confidence: 0.7,
        exitScenario: { provider: 'r2', breakEvenMonths: 0.3 },
      },
    });
    const [move] = scan.recommendations;
    assert.equal(move?.recommendedProvider, 'r2');
    assert.deepEqual(differences(move?.options.slice(0, 1), options), []);
  });

  it('says of the same media without a bill what measuring would decide', () => {
    const bucket = bucketOf([objects('video/x', 45, 'STANDARD', MEDIA)]);
    const finding = {
      code: 'measure_reads',
      objects: MEDIA.times,
      bytes: 2 ** 41,
      monthlyCostUsd: 31.820788,
    };
    holds(accountOf(bucket), {
      answers: [],
      buckets: [
        { findings: [{}, finding], reads: { source: 'assumed', internetBytesPerMonth: 0 } },
      ],
    });
  });

  it('leaves a lake where the machines of its owner read and write it', () => {
    const tib = { size: 64 * MIB, times: 16_384 };
    const young = { ...tib, times: 30 * tib.times };
    const old = { ...tib, times: 70 * tib.times };
    const bucket = bucketOf(
      [objects('lake/x', 1, 'STANDARD', young), objects('lake/y', 200, 'STANDARD', old)],
      { createdAt: daysAgo(400) },
    );
    const usage = billOf(
      '2026-09',
      row('TimedStorage-ByteHrs', 102_400, 2304),
      row('C3DataTransfer-Out-Bytes', 200_000, 0),
      row('C3DataTransfer-In-Bytes', 34_000, 0),
    );
    const scan = accountOf(bucket, measured({ gets: 5e6, bytes: 2e14, days: 30 }, usage));
    const kinds = scan.recommendations.map(({ kind }) => kind);
    assert.ok(!kinds.includes('move'));
    holds(scan, { buckets: [{ reads: { source: 'measured', bytesPerMonth: 2e14 } }] });
  });

  it('leaves logs that a rule deletes within the month', () => {
    const bucket = bucketOf([objects('logs/x', 1), objects('logs/y', 29)], {
      createdAt: daysAgo(400),
      rules: [expiration('logs/', 30)],
    });
    const leftAlone = [{ bucket: 'bucket', prefix: 'logs/', code: 'expires', objects: 20_000 }];
    holds(accountOf(bucket), { answers: [], decisionReport: { verdict: 'stay', leftAlone } });
  });

  it('leaves ten million objects that live for a week, each of which would pay a transition', () => {
    const bucket = bucketOf(
      [objects('tmp/x', 3, 'STANDARD', { size: 204_800, times: 10_000_000 })],
      { createdAt: daysAgo(400) },
    );
    const leftAlone = [{ prefix: 'tmp/', code: 'short_lived', monthlyCostUsd: 43.869019 }];
    holds(accountOf(bucket), { answers: [], decisionReport: { leftAlone } });
  });

  it('cleans up what nobody else does', () => {
    const oldVersions = [
      {
        key: 'a/x',
        size: 1e9,
        storageClass: 'GLACIER_IR',
        times: 100,
        lastModified: daysAgo(45),
        noncurrentSince: daysAgo(40),
      },
    ];
    const upload = (hours: number) => ({
      key: 'a/y',
      initiated: daysAgo(hours / 24),
      bytes: 5e9,
    });
    const rule = {
      Status: 'Enabled',
      Prefix: 'a/',
      NoncurrentVersionExpiration: { NoncurrentDays: 90 },
    };
    const ruled = bucketOf([], { oldVersions, uploads: [upload(1)], rules: [rule] });
    holds(agreed(listingOf([ruled])), {
      answers: [],
      summary: { currentMonthlyCostUsd: 0.479631 },
    });
    const free = bucketOf([], { oldVersions, uploads: [upload(8 * 24)], rules: [] });
    const scan = agreed(listingOf([free]));
    holds(scan, {
      answers: [
        'expire_old_versions 100 100000000000 0.372529',
        'abort_multipart_uploads 1 5000000000 0.107102',
      ],
      decisionReport: { oneOffCostUsd: 0.745058, verdict: 'optimize_in_place' },
    });
    assert.deepEqual(
      scan.recommendations.map(({ oneOffUsd }) => oneOffUsd),
      [0.745058, 0],
    );
  });

  it('saves nothing of versions that a rule expires, nor of uploads that are an hour old', () => {
    const rule = {
      Status: 'Enabled',
      Filter: {},
      NoncurrentVersionExpiration: { NoncurrentDays: 90 },
    };
    const bucket = bucketOf([], {
      rules: [rule],
      oldVersions: [
        {
          key: 'a/x',
          size: 2 ** 30,
          storageClass: 'STANDARD',
          times: 1_024,
          lastModified: daysAgo(45),
          noncurrentSince: daysAgo(40),
        },
      ],
      uploads: [{ key: 'a/y', initiated: daysAgo(1 / 24), bytes: 5 * 2 ** 40 }],
    });
    holds(accountOf(bucket), {
      summary: { currentMonthlyCostUsd: 141.312 },
      answers: [],
      decisionReport: { verdict: 'stay' },
    });
  });

  it('saves nothing of egress that is not charged', () => {
    const bucket = bucketOf([objects('a/x', 400, 'STANDARD', { times: 5_120 })]);
    const usage = billOf(
      '2026-09',
      row('TimedStorage-ByteHrs', 50, 1.15),
      row('DataTransfer-Out-Bytes', 90, 0),
      row('Requests-Tier2', 9_216, 0.02, 'GetObject'),
    );
    holds(accountOf(bucket, usage), {
      summary: { currentMonthlyCostUsd: 1.153686 },
      answers: [],
      decisionReport: { verdict: 'stay' },
    });
  });

  it('counts days without requests', () => {
    const bucket = bucketOf([objects('a/x', 1)]);
    for (const [days, getsPerMonth] of [
      [30, 2_200_000],
      [22, 3_000_000],
    ] as const)
      holds(accountOf(bucket, measured({ gets: 2_200_000, bytes: 0, days })), {
        buckets: [{ reads: { source: 'measured', getsPerMonth } }],
      });
    holds(accountOf(bucket, measured({ gets: 2_200_000, bytes: 0, days: 13 })), {
      buckets: [{ reads: { source: 'assumed' } }],
    });
  });

  it('says nothing of buckets that could not be read', () => {
    const error = { code: 'access_denied', message: 'the role may not list this bucket' };
    const buckets = ['a', 'b', 'c'].map((name) => bucketOf([], { name, error }));
    holds(agreed(listingOf(buckets)), {
      answers: [],
      decisionReport: { verdict: 'nothing_read', confidence: null },
    });
  });
});

const SELECTOR = { prefix: null, storageClass: 'STANDARD', minSizeBytes: 131_072 };

/** us-east-1, 10,000 objects of 10 MiB each, minimum 0. */
describe('the worked answers', () => {
  it('change what is never read to GLACIER_IR', () => {
    const usage = measured({ gets: 0, bytes: 0, days: 30 });
    holds(agreed(listingOf([bucketOf([objects('a/x', 90)])], { usage })), {
      answers: ['change_class 10000 104857600000 1.855469'],
      changes: [
        {
          recommendedStorageClass: 'GLACIER_IR',
          currentMonthlyCostUsd: 2.246094,
          options: [{ monthlyCostUsd: 0.390625, quote: { transitionUsd: 0.2, totalUsd: 0.2 } }],
          selector: { ...SELECTOR, minAgeDays: 90, maxAgeDays: 365 },
        },
      ],
    });
  });

  it('promise half of what INTELLIGENT_TIERING saves where reads are not known', () => {
    holds(agreedOn([objects('a/x', 400)]), {
      answers: ['change_class 10000 104857600000 0.754712'],
      changes: [
        {
          recommendedStorageClass: 'INTELLIGENT_TIERING',
          options: [{ quote: { transitionUsd: 0.1 } }],
          selector: { ...SELECTOR, minAgeDays: 365, maxAgeDays: null },
        },
      ],
    });
  });

  it('change GLACIER to DEEP_ARCHIVE, whose restores take longer', () => {
    const risks = [{ code: 'restore_takes_longer' }];
    holds(agreedOn([objects('a/x', 365, 'GLACIER')]), {
      summary: { currentMonthlyCostUsd: 0.354416 },
      answers: ['change_class 10000 104857600000 0.255679'],
      changes: [{ recommendedStorageClass: 'DEEP_ARCHIVE', confidence: 0.9, risks }],
    });
  });

  it('leave alone the files of the service, and nothing is said of the whole of their bucket', () => {
    const file = 'uploads/0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e/x';
    const held = [objects('b/x', 400), objects('c/x', 400), objects(file, 1)];
    const leftAlone = [
      { prefix: 'uploads/', code: 'routed', objects: 10_000, monthlyCostUsd: 2.246094 },
    ];
    const prefixes = ['b/', 'c/'].map((prefix) => ({ selector: { prefix } }));
    holds(agreedOn(held, { isPlace: true }), { changes: prefixes, decisionReport: { leftAlone } });
    const others = [...held, objects('uploads/x', 1)];
    holds(agreedOn(others, { isPlace: true }), {
      changes: [{ selector: { prefix: null } }],
      decisionReport: { leftAlone: [{ prefix: 'uploads/', code: 'short_lived' }] },
    });
  });
});

/** Section 9 of the pricing rules. */
describe('the worked answers of any store', () => {
  it('pay 4 KiB for each smaller object at Wasabi', () => {
    // 1,000,000 × 4,096 bytes are 3.814697 GiB.
    const small = objects('a/x', 400, 'STANDARD', { size: 1024, times: 1_000_000 });
    const bucket = bucketOf([small], { region: 'us-east-1' });
    const finding = { objects: 1_000_000, bytes: 1_024_000_000, monthlyCostUsd: 0.029765 };
    holds(agreed(listingOf([bucket], { source: 'wasabi' })), {
      summary: { currentMonthlyCostUsd: 0.029765 },
      buckets: [
        { findings: [{ code: 'no_abort_multipart_rule' }, { code: 'small_objects', ...finding }] },
      ],
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
      moves: [
        {
          recommendedProvider: 'b2',
          blockers: [],
          risks: [{ code: 'young_bucket' }],
          options: [{ quote }, {}, {}, {}],
        },
      ],
      decisionReport: { exitScenario: { remainingMonthlyUsd: 1.572864 } },
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
    // What a rule deletes is left alone, so that the bucket does not move as a whole.
    const held = [...moving, objects('z/x', 1)];
    const buckets = ['a', 'b', 'c', 'd', 'e'].map((name) =>
      bucketOf(held, { name, region: 'auto', rules: [expiration('z/', 30)] }),
    );
    const { summary, recommendations } = agreed(listingOf(buckets, { source: 'tigris' }));
    assert.equal(recommendations.length, 200);
    const [code, monthlyCostUsd, bytes] = ['more_recommendations', 30.609117, 2_500_000 * MIB];
    assert.deepEqual(summary.findings, [{ code, objects: 250_000, bytes, monthlyCostUsd }]);
  });
});
