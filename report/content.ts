import { AWS, type Catalogue } from '../domain/providers/catalogue.ts';
import type { ExitScenario, ReadScenario } from '../domain/decision/types.ts';
import { formatDay } from '../domain/common/format.ts';
import { roundUsd } from '../domain/pricing/money.ts';
import type { ScanRecord } from '../domain/scans/scan.ts';
import type { RecommendationRecord } from '../domain/recommendations/recommendation.ts';
import {
  describePayback,
  formatCount,
  formatMoney,
  formatNumber,
  formatPayback,
} from '../shared/amounts.ts';
import { auditHeadline, confidenceLevel, knowsReads } from '../shared/audits.ts';
import { heading, list, paragraph, table, type Bars, type Block, type Page } from './blocks.ts';
import { billSection, billSentence } from './bill-section.ts';
import { changesSection } from './changes-section.ts';
import { bucketSection, holdingsSection, type ReportedBucket } from './bucket-sections.ts';
import { coverageSection, findingSection, leftAloneSection } from './finding-section.ts';
import { howToSection, stepSections } from './step-sections.ts';
import {
  buildSteps,
  buildTotals,
  formatAmount,
  toAmounts,
  type ReadingTerms,
  type Step,
  type Totals,
} from './steps.ts';

/** What a report is made of. */
export interface ReportInput extends ReadingTerms {
  readonly scan: ScanRecord;
  /** 12 digits; null if the connection was removed. */
  readonly sourceAccount: string | null;
  readonly catalogue: Catalogue;
  /** Where the dashboard is, without a slash at the end; null: the audit was made without a service. */
  readonly dashboardUrl: string | null;
  readonly buckets: readonly ReportedBucket[];
  readonly recommendations: readonly RecommendationRecord[];
}

const YEAR_MONTHS = 12;
const SERVICE_PAGE = 'https://github.com/storage-routing/storage-routing-service';

/**
 * The result of a completed scan for a person: the verdict and its figures, what to do in which
 * order, then what the figures cover and what they assume. Totals are the API's figures, rounded to
 * cents; rows add up to them.
 */
export function reportPage(input: ReportInput): Page {
  const { scan, buckets, recommendations } = input;
  const report = scan.decisionReport;
  const totals = buildTotals(scan, recommendations);
  const steps = buildSteps(recommendations, totals);
  return {
    title: auditHeadline({
      currentMonthlyUsd: totals.nowUsd,
      monthlySavingsUsd: totals.savedUsd,
      recommendations,
      verdict: report?.verdict,
      providerTitle: input.catalogue.titleOf,
    }),
    about: aboutText(input),
    blocks: [
      ...changesSection(scan.changes),
      ...opening(input, totals, steps),
      ...billSection(scan.summary?.bill, buckets),
      ...stepSections(steps, totals, input),
      ...howToSection(steps, input),
      ...(input.dashboardUrl === null ? serviceSection(input) : []),
      ...bucketSection(buckets, totals),
      ...(report ? scenarioSection(report.readScenarios) : []),
      ...findingSection(scan, buckets),
      ...leftAloneSection(scan),
      ...(report?.exitScenario ? exitSection(input, report.exitScenario) : []),
      ...sentences('Risks', report?.risks),
      ...holdingsSection(buckets),
      ...coverageSection(scan, buckets),
      ...sentences('Appendix: assumptions', report?.assumptions),
      ...closing(input),
    ],
  };
}

function aboutText({ scan, sourceAccount, catalogue }: ReportInput): string {
  return [
    sourceAccount === null
      ? `Account ${scan.accountId}`
      : scan.provider === AWS
        ? `AWS account ${sourceAccount}`
        : catalogue.titleOf(scan.provider),
    `audit of ${formatDay(scan.startedAt)}`,
    ...(scan.decisionReport ? [`prices of ${scan.decisionReport.priceBook}`] : []),
  ].join(' · ');
}

function opening(input: ReportInput, totals: Totals, steps: readonly Step[]): readonly Block[] {
  const { scan, buckets } = input;
  const { decisionReport: report, summary } = scan;
  const bill = summary?.bill;
  const { nowUsd, savedUsd, afterUsd, onceUsd, paybackMonths, firstYearUsd } = totals;
  const notes = `${unreadNote(buckets)}${copiedNote(buckets)}`;
  if (steps.length === 0) {
    const text =
      report?.verdict === 'nothing_read'
        ? 'No bucket could be read, so nothing can be said of this account.'
        : `No change saves enough to be worth it. What was found costs ${formatMoney(nowUsd)} a month.`;
    return [...toKnow(input), paragraph(billSentence(bill), { strong: text }, notes)];
  }
  const confidence = report?.confidence ?? findLowest(steps);
  return [
    ...toKnow(input),
    paragraph(
      billSentence(bill),
      bill ? 'A month of what was found, at the prices and with the reads of that bill: ' : '',
      { strong: `From ${formatMoney(nowUsd)} to ${formatMoney(afterUsd)} a month.` },
      onceUsd === 0
        ? ' The steps cost nothing.'
        : ` The steps cost ${formatMoney(onceUsd)} once, ${describePayback(paybackMonths)}.`,
      notes,
    ),
    table(
      ['If you take every step below', '#Amount', 'Basis'],
      [
        [
          'Today',
          `${formatMoney(nowUsd)} a month`,
          bill
            ? 'what was found, at your prices, with the reads that the bill shows'
            : 'what was found, at list prices, without reads',
        ],
        ['Afterwards', `${formatMoney(afterUsd)} a month`, 'the same, after every step'],
        [
          'You save',
          `${formatMoney(savedUsd)} a month`,
          bill
            ? 'a conservative estimate: with half of the known reads, or with all of them if that saves less'
            : 'a conservative estimate: without reads, or with the expected ones if that saves less',
        ],
        ['Costs once', formatMoney(onceUsd), 'what the stores charge for the steps today'],
        ['Paid back', formatPayback(paybackMonths), 'costs once, divided by what you save a month'],
        ['In the first 12 months', formatMoney(firstYearUsd), 'saved, less what it costs once'],
        ['Confidence', confidenceLevel(confidence), 'of the least certain step'],
      ],
    ),
    drawnYear(savedUsd, onceUsd),
  ];
}

/** The statement of the role that lets an audit see the bill and the metrics. */
export const USAGE_STATEMENT = JSON.stringify({
  Sid: 'StorageRoutingScanUsage',
  Effect: 'Allow',
  Action: [
    'ce:GetCostAndUsage',
    'cloudwatch:ListMetrics',
    'cloudwatch:GetMetricData',
    's3:GetMetricsConfiguration',
  ],
  Resource: ['*'],
});

/** What it takes to know who reads: an audit without a bill and metrics begins with it. */
function toKnow({ scan, buckets, dashboardUrl }: ReportInput): readonly Block[] {
  const isKnown =
    scan.provider !== AWS ||
    scan.summary?.bill ||
    knowsReads(buckets.map(({ decision }) => decision));
  if (isKnown || buckets.length === 0) return [];
  return [
    paragraph(
      {
        strong:
          'This audit has seen no bill and no metrics, so it does not know who reads your objects.',
      },
      ` Without that, almost nothing is advised to leave AWS: what your own machines read would cost more from another store. To know it takes one cent: add this statement to the policy of ${dashboardUrl === null ? 'whoever reads the account' : 'the role'}, and audit again.`,
    ),
    paragraph({ code: USAGE_STATEMENT }),
    paragraph('Where a finding says so, request metrics of a bucket tell more.'),
  ];
}

/** What this audit cannot do, and who can. */
function serviceSection({ catalogue, scan }: ReportInput): readonly Block[] {
  return [
    heading('Where the service comes in'),
    paragraph(
      `This audit was made on your own machine. It changed nothing at ${catalogue.titleOf(scan.provider)} and sent nothing to anybody else. The `,
      { link: SERVICE_PAGE, text: `Storage Routing Service (${SERVICE_PAGE})` },
      ' makes the same audit on a schedule, and carries out the moves that you approve: it copies the objects, verifies each one by its hash, keeps a line about each, copies what was written since, and proves what may be deleted at the source. You run it yourself; it runs on your own credentials.',
    ),
  ];
}

function findLowest(steps: readonly Step[]): number {
  return Math.min(...steps.map(({ recommendation: { confidence } }) => confidence));
}

/** What has been saved after each month, less what it costs once. */
function drawnYear(savedUsd: number, onceUsd: number): Bars {
  return {
    kind: 'bars',
    title: 'Saved in all, less what it costs once',
    series: ['saved'],
    groups: [0, 2, 4, 6, 8, 10, YEAR_MONTHS].map((months) => {
      const usd = roundUsd(months * savedUsd - onceUsd);
      return {
        label: months === 0 ? 'today' : `after ${months} months`,
        bars: [{ value: usd, text: formatMoney(usd) }],
      };
    }),
  };
}

function copiedNote(buckets: readonly ReportedBucket[]): string {
  const findings = buckets.flatMap(({ decision }) => decision.findings);
  return findings.some(({ code }) => code === 'copied_not_yet_released')
    ? ' Objects that were copied are still billed at the source: see Other findings.'
    : '';
}

function unreadNote(buckets: readonly ReportedBucket[]): string {
  const unread = buckets.filter(({ error }) => error !== null).length;
  return unread === 0
    ? ''
    : ` ${formatCount(unread, 'bucket')} could not be read to the end, so the figures are incomplete: see What was not seen.`;
}

/** The costs as nothing or half is read, and as expected; equal ones are one row. */
function scenarioSection(scenarios: readonly ReadScenario[]): readonly Block[] {
  const rows = new Map<string, string[]>();
  for (const { title, stayMonthlyUsd, optimalMonthlyUsd } of scenarios) {
    const amounts = [formatMoney(stayMonthlyUsd), formatMoney(optimalMonthlyUsd)];
    const row = rows.get(amounts.join(' '));
    rows.set(amounts.join(' '), [row ? `${row[0]}; ${title}` : title, ...amounts]);
  }
  return [
    heading('If it is read more, or less'),
    paragraph(
      'A listing shows when an object was written, not how often it is read. Storage and reads together, a month.',
    ),
    table(['How much is read', '#Today', '#Afterwards'], [...rows.values()]),
  ];
}

function exitSection({ scan, catalogue }: ReportInput, exit: ExitScenario): readonly Block[] {
  const title = catalogue.titleOf(exit.provider);
  const { monthlyCostUsd, remainingMonthlyUsd } = exit;
  const totalUsd = roundUsd(monthlyCostUsd + remainingMonthlyUsd);
  const [moved, staying] = toAmounts([monthlyCostUsd, remainingMonthlyUsd], totalUsd);
  const once = (name: string, onceUsd: number, months: number | null) => [
    name,
    formatMoney(onceUsd),
    formatPayback(months),
  ];
  return [
    heading(`Leaving ${catalogue.titleOf(scan.provider)} altogether`),
    paragraph(
      'For comparison, not a recommendation: it asks neither who reads what nor what is better left alone, so it may look cheaper than it is. What may not move is archived, has no price sheet, is locked or kept, is an old version or an unfinished upload; it costs the same as before.',
    ),
    table(
      ['A month, with the reads that are known', '#Amount'],
      [
        [`What may move, at ${title}`, moved ? formatAmount(moved) : ''],
        ['What stays where it is', staying ? formatAmount(staying) : ''],
        ['Total', formatMoney(totalUsd)],
      ],
      true,
    ),
    table(
      ['', '#Costs once', '#Paid back'],
      [
        once('With egress', exit.oneOffUsd, exit.breakEvenMonths),
        once(
          'With the egress waived',
          exit.oneOffWithExitWaiverUsd,
          exit.breakEvenMonthsWithExitWaiver,
        ),
      ],
    ),
  ];
}

function sentences(title: string, all: readonly string[] = []): readonly Block[] {
  return all.length === 0 ? [] : [heading(title), ...list(all)];
}

function closing({ scan, catalogue, dashboardUrl }: ReportInput) {
  const { scanId, startedAt, completedAt, requests, decisionReport, provider } = scan;
  const whose = provider === AWS ? 'AWS' : catalogue.titleOf(provider);
  const { list: lists, other, costUsd } = requests;
  const horizon = decisionReport ? ` Horizon: ${decisionReport.horizonMonths} months.` : '';
  return [
    heading('This audit'),
    paragraph(
      ...(dashboardUrl === null ? ['Made without a service'] : ['Scan ', { code: scanId }]),
      `, ${startedAt.toISOString()} to ${completedAt?.toISOString() ?? ''}. It sent ${formatNumber(lists + other)} requests, which cost ${formatMoney(costUsd)} on the bill of ${whose}.${horizon} A GB is 10^9 bytes; a month has 30 days. Totals are rounded to cents, and the rows of a table add up to its total.`,
    ),
  ];
}
