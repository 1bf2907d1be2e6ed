import { AGE_BANDS, SIZE_BANDS } from '../../domain/inventory/bands.ts';
import { QUOTE, SAMPLE, WHOLE_BUCKET } from '../http/examples.ts';

const { connectionId, scanId, recommendationId } = SAMPLE;
const ALL = { objects: 2000, bytes: 450_887_680_000 };
const NONE = { objects: 0, bytes: 0 };
const COSTS = { currentMonthlyCostUsd: 9.658203, optimalMonthlyCostUsd: 3.133669 };

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
    monthlySavingsUsd: 6.524534,
    workloadProfile: 'mixed',
    findings: [],
    coverage: [],
    bill: null,
  },
  buckets: [
    {
      name: 'acme-media',
      region: 'us-east-1',
      ...ALL,
      ...COSTS,
      byStorageClass: [{ storageClass: 'STANDARD', ...ALL }],
      byAge: AGE_BANDS.map((band) => countBand(band, '30-90')),
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
        source: 'assumed',
        getsPerMonth: 200,
        bytesPerMonth: 45_088_768_000,
        internetBytesPerMonth: 45_088_768_000,
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
      monthlySavingsUsd: 6.524534,
      recommendedProvider: 'b2',
      recommendedStorageClass: 'STANDARD',
      options: [
        {
          provider: 'b2',
          storageClass: 'STANDARD',
          configured: true,
          monthlyCostUsd: 3.133669,
          monthlySavingsUsd: 6.524534,
          quote: QUOTE,
          breakEvenMonths: 5.8,
          breakEvenMonthsWithExitWaiver: 0.1,
          waiting: null,
          blockers: [],
        },
        {
          provider: 'r2',
          storageClass: 'STANDARD',
          configured: true,
          monthlyCostUsd: 6.763315,
          monthlySavingsUsd: 2.894888,
          quote: {
            ...QUOTE,
            destinationRequestsUsd: 0.054,
            totalUsd: 37.847779,
            totalWithExitWaiverUsd: 0.05481,
          },
          breakEvenMonths: 13.1,
          breakEvenMonthsWithExitWaiver: 0.1,
          waiting: null,
          blockers: [],
        },
      ],
      confidence: 0.7,
      reasons: [
        'Backblaze B2 stores it for $3.13 a month instead of $9.66.',
        'Moving costs $37.79 once, $37.79 of it egress; paid back after 5.8 months.',
        'Over 12 months with the expected reads it costs $75.40; staying costs $161.25.',
        'It is the cheapest answer in two of the three read scenarios.',
      ],
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
    workloadProfile: 'mixed',
    verdict: 'migrate',
    confidence: 0.7,
    leftAlone: [],
    reasons: [
      'Moving 451 GB of 451 GB pays off within the horizon.',
      '1 recommendation would save $6.52 of $9.66 a month.',
      'They cost $37.79 once, paid back after 5.8 months.',
    ],
    risks: [
      'How often objects are read is not known; if they are read heavily it costs $3.13 a month with the recommendations and $47.45 a month without.',
      '$37.79 of the cost that is paid once is egress, due even if the move is undone.',
    ],
    assumptions: [
      'When an object was last modified does not say when it was last read: reads are assumed by age, 0.5, 0.1, 0.03 and 0.01 full reads a month, ten times as many when heavy.',
      'Free tiers and committed discounts are left out; a month has 30 days.',
      'The early deletion in a quote is an upper bound: it is due only if the source is deleted right after the move.',
      'Where objects could move to is priced at its first band in its default region.',
    ],
    horizonMonths: 12,
    priceBook: '2026-11-22',
    ...COSTS,
    oneOffCostUsd: 37.793779,
    breakEvenMonths: 5.8,
    savings12MonthsUsd: 40.500626,
    readScenarios: [
      { reads: 'none', stayMonthlyUsd: 9.658203, optimalMonthlyUsd: 3.133669 },
      { reads: 'expected', stayMonthlyUsd: 13.43758, optimalMonthlyUsd: 3.133669 },
      { reads: 'heavy', stayMonthlyUsd: 47.451972, optimalMonthlyUsd: 3.133669 },
    ],
    exitScenario: {
      provider: 'b2',
      monthlyCostUsd: 3.133669,
      remainingMonthlyUsd: 0,
      oneOffUsd: 37.793779,
      oneOffWithExitWaiverUsd: 0.00081,
      breakEvenMonths: 5.8,
      breakEvenMonthsWithExitWaiver: 0.1,
    },
    placements: [
      {
        bucket: 'acme-media',
        selector: WHOLE_BUCKET,
        from: { provider: 'aws', storageClass: 'STANDARD' },
        to: { provider: 'b2', storageClass: 'STANDARD' },
        ...ALL,
        monthlySavingsUsd: 6.524534,
      },
    ],
  },
  revisions: [
    {
      at: '2026-11-20T12:04:31.000Z',
      priceBook: '2026-11-22',
      verdict: 'migrate',
      currentMonthlyCostUsd: 9.658203,
      monthlySavingsUsd: 6.524534,
    },
  ],
};

/** Of its one recommendation. */
export const READ_SCENARIOS = [
  { reads: 'none', stayMonthlyUsd: 9.658203, options: optionsAt(3.133669, 6.763315) },
  { reads: 'expected', stayMonthlyUsd: 13.43758, options: optionsAt(3.133669, 6.763387) },
  { reads: 'heavy', stayMonthlyUsd: 47.451972, options: optionsAt(3.133669, 6.764035) },
];

function countBand(band: string, filled: string) {
  return band === filled ? { band, ...ALL } : { band, ...NONE };
}

function optionsAt(b2Usd: number, r2Usd: number) {
  return [
    { provider: 'b2', storageClass: 'STANDARD', monthlyUsd: b2Usd },
    { provider: 'r2', storageClass: 'STANDARD', monthlyUsd: r2Usd },
  ];
}
