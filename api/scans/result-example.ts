import { AGE_BANDS, SIZE_BANDS } from '../../domain/inventory/bands.ts';
import { QUOTE, SAMPLE, WHOLE_BUCKET } from '../http/examples.ts';

const { connectionId, scanId, recommendationId } = SAMPLE;
const ALL = { objects: 2000, bytes: 450_887_680_000 };
const NONE = { objects: 0, bytes: 0 };
const COSTS = { currentMonthlyCostUsd: 25.858443, optimalMonthlyCostUsd: 11.233789 };

const BILL = {
  period: '2026-10',
  estimated: false,
  listUsd: 26.411748,
  netUsd: 26.411748,
  explainedShare: 0.9986,
  unexplainedUsd: 0.013297,
  unexplained: [{ region: 'us-east-1', usageType: 'TimedStorage-ByteHrs', usd: 0.013297 }],
  factors: [],
  lines: [
    billLine('DataTransfer-Out-Bytes', 'egress', 186, 'GB', 16.74),
    billLine('TimedStorage-ByteHrs', 'storage', 420.5, 'GB-Month', 9.6715),
    billLine('Requests-Tier2', 'get', 620, 'Requests', 0.000248),
  ],
};

/** The result of a scan of an account with one bucket, as the service computed it. */
export const RESULT = {
  scanId,
  connectionId,
  provider: 'aws',
  status: 'completed',
  source: 'stored',
  progress: { bucketsTotal: 1, bucketsDone: 1, ...ALL, percent: 100 },
  requests: { list: 3, other: 8, costUsd: 0.000018 },
  startedAt: '2026-11-20T12:00:00.000Z',
  completedAt: '2026-11-20T12:00:01.897Z',
  error: null,
  summary: {
    buckets: 1,
    ...ALL,
    ...COSTS,
    monthlySavingsUsd: 14.624654,
    workloadProfile: 'cold',
    findings: [],
    coverage: [],
    bill: BILL,
  },
  buckets: [
    {
      name: 'acme-media',
      region: 'us-east-1',
      ...ALL,
      ...COSTS,
      byStorageClass: [{ storageClass: 'STANDARD', ...ALL }],
      byAge: AGE_BANDS.map((band) => countBand(band, '90-365')),
      bySize: SIZE_BANDS.map((band) => countBand(band, '64MiB-5GiB')),
      byContent: [{ kind: 'video', ...ALL }],
      byPrefix: [{ prefix: 'videos/', ...ALL }],
      findings: [
        {
          code: 'no_abort_multipart_rule',
          message: 'No lifecycle rule aborts incomplete uploads.',
          ...NONE,
          monthlyCostUsd: 0,
        },
        {
          code: 'no_lifecycle_rule',
          message: 'The bucket has no lifecycle rule.',
          ...NONE,
          monthlyCostUsd: 0,
        },
      ],
      reads: {
        source: 'apportioned',
        getsPerMonth: 600,
        bytesPerMonth: 193_273_528_320,
        internetBytesPerMonth: 193_273_528_320,
      },
      error: null,
    },
  ],
  recommendations: [
    {
      recommendationId,
      kind: 'move',
      bucket: 'acme-media',
      region: 'us-east-1',
      selector: WHOLE_BUCKET,
      ...ALL,
      ...COSTS,
      monthlySavingsUsd: 14.624654,
      recommendedProvider: 'b2',
      recommendedStorageClass: 'STANDARD',
      options: [
        {
          provider: 'b2',
          storageClass: 'STANDARD',
          configured: true,
          monthlyCostUsd: 3.133669,
          monthlySavingsUsd: 14.624654,
          quote: QUOTE,
          breakEvenMonths: 2.6,
          breakEvenMonthsWithExitWaiver: 0.1,
          waiting: null,
          blockers: [],
        },
        {
          provider: 'r2',
          storageClass: 'STANDARD',
          configured: true,
          monthlyCostUsd: 6.763531,
          monthlySavingsUsd: 10.9949,
          quote: {
            ...QUOTE,
            destinationRequestsUsd: 0.054,
            totalUsd: 37.847779,
            totalWithExitWaiverUsd: 0.05481,
          },
          breakEvenMonths: 3.5,
          breakEvenMonthsWithExitWaiver: 0.1,
          waiting: null,
          blockers: [],
        },
      ],
      confidence: 0.9,
      scenarios: [
        scenario('none', 'Half of what the bill shows', 17.758323),
        scenario('expected', 'As the bill shows', 25.858443),
        scenario('heavy', 'If twice what the bill shows is read, and all of it here', 42.058683),
        scenario('inside', 'If that is done by your own machines in AWS', 42.058683),
      ],
      arrivals: { objectsPerMonth: 0, bytesPerMonth: 0 },
      oneOffUsd: null,
      reasons: [
        'Backblaze B2 stores it, its known reads included, for $3.13 a month instead of $25.86.',
        'Moving costs $37.79 once, $37.79 of it egress; paid back after 2.6 months.',
        'Over 12 months with the expected reads it costs $75.40; staying costs $310.30.',
        'Each object is read 0.3 times a month, by what is left of the bill; 100 % of what is read leaves to the internet.',
        'It is the cheapest answer in all four scenarios.',
      ],
      risks: [],
      blockers: [],
      howTo: null,
      status: 'open',
      expiresAt: '2026-12-20T12:00:01.897Z',
      migrationId: null,
      supersededBy: null,
      dismissed: null,
    },
  ],
  decisionReport: {
    workloadProfile: 'cold',
    verdict: 'migrate',
    confidence: 0.9,
    leftAlone: [],
    reasons: [
      'Moving 451 GB of 451 GB pays off within the horizon.',
      '1 recommendation would save $14.62 of $25.86 a month.',
      'They cost $37.79 once, paid back after 2.6 months.',
    ],
    risks: [
      'Objects may be read more than they were. Each recommendation shows what it withstands.',
      '$37.79 of the cost that is paid once is egress, due even if the move is undone.',
    ],
    assumptions: [
      'The S3 bill of October 2026 is $26.41; what was listed explains $26.40 of it.',
      'The bill shows no discount: S3 is priced by its list prices, as all other stores.',
      'The reads of acme-media are what the bill has left of its region and storage class, shared by the number and age of their objects.',
      'Free tiers and credits are left out; a month has 30 days.',
      'The early deletion in a quote is an upper bound: it is due only if the source is deleted right after the move.',
      'Where objects could move to is priced at its first band in its default region.',
    ],
    horizonMonths: 12,
    priceBook: '2026-11-28',
    ...COSTS,
    oneOffCostUsd: 37.793779,
    breakEvenMonths: 2.6,
    savings12MonthsUsd: 137.702066,
    readScenarios: [
      {
        reads: 'none',
        title: 'Half of what the bill shows',
        stayMonthlyUsd: 17.758323,
        optimalMonthlyUsd: 3.133669,
      },
      {
        reads: 'expected',
        title: 'As the bill shows',
        stayMonthlyUsd: 25.858443,
        optimalMonthlyUsd: 3.133669,
      },
    ],
    exitScenario: {
      provider: 'b2',
      monthlyCostUsd: 3.133669,
      remainingMonthlyUsd: 0,
      oneOffUsd: 37.793779,
      oneOffWithExitWaiverUsd: 0.00081,
      breakEvenMonths: 2.6,
      breakEvenMonthsWithExitWaiver: 0.1,
    },
    placements: [
      {
        bucket: 'acme-media',
        selector: WHOLE_BUCKET,
        from: { provider: 'aws', storageClass: 'STANDARD' },
        to: { provider: 'b2', storageClass: 'STANDARD' },
        ...ALL,
        monthlySavingsUsd: 14.624654,
      },
    ],
  },
  revisions: [
    {
      at: '2026-11-20T12:04:31.000Z',
      priceBook: '2026-11-28',
      verdict: 'migrate',
      currentMonthlyCostUsd: 25.858443,
      monthlySavingsUsd: 14.624654,
    },
  ],
};

/** Of its one recommendation. */
export const READ_SCENARIOS = [
  { reads: 'none', stayMonthlyUsd: 17.758323, options: optionsAt(3.133669, 6.763423) },
  { reads: 'expected', stayMonthlyUsd: 25.858443, options: optionsAt(3.133669, 6.763531) },
  { reads: 'heavy', stayMonthlyUsd: 42.058683, options: optionsAt(3.133669, 6.763747) },
  { reads: 'inside', stayMonthlyUsd: 42.058683, options: optionsAt(3.133669, 6.763747) },
];

function billLine(usageType: string, line: string, quantity: number, unit: string, usd: number) {
  const storageClass = line === 'egress' ? null : 'STANDARD';
  const listedQuantity = line === 'storage' ? 419.921875 : null;
  const costs = { listUsd: usd, netUsd: usd };
  return {
    region: 'us-east-1',
    usageType,
    line,
    storageClass,
    quantity,
    unit,
    ...costs,
    listedQuantity,
  };
}

function scenario(name: string, title: string, stayMonthlyUsd: number) {
  return { scenario: name, title, stayMonthlyUsd, thereMonthlyUsd: 3.133669 };
}

function countBand(band: string, filled: string) {
  return band === filled ? { band, ...ALL } : { band, ...NONE };
}

function optionsAt(b2Usd: number, r2Usd: number) {
  return [
    { provider: 'b2', storageClass: 'STANDARD', monthlyUsd: b2Usd },
    { provider: 'r2', storageClass: 'STANDARD', monthlyUsd: r2Usd },
  ];
}
