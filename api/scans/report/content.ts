import { CATALOGUE, SCANNED_PROVIDER } from '../../../domain/provider/catalogue.ts';
import type { DecisionReport, ExitScenario, Verdict } from '../../../domain/decision/types.ts';
import { formatCount, formatDay, formatNumber, formatUsd } from '../../../domain/common/format.ts';
import type { ScanRecord } from '../../../domain/scan/scan.ts';
import type { RecommendationRecord } from '../../../domain/recommendation/recommendation.ts';
import { unitsFor, type Units } from './amounts.ts';
import { heading, list, paragraph, table, type Bars, type Block, type Page } from './blocks.ts';
import { bucketSection, holdingsSection, type ReportedBucket } from './bucket-sections.ts';
import { coverageSection, findingSection } from './finding-section.ts';
import { stepSections } from './step-sections.ts';
import { buildSteps, confidenceWords, payback, type ReadingTerms, type Step } from './steps.ts';
import { scenarioSection, buildSums, sumsSection, type Sums } from './sums.ts';

/** What a report is made of. */
export interface ReportInput extends ReadingTerms {
  readonly scan: ScanRecord;
  /** 12 digits; null if the connection was removed. */
  readonly awsAccount: string | null;
  readonly buckets: readonly ReportedBucket[];
  readonly recommendations: readonly RecommendationRecord[];
}

const VERDICT_TITLES: Readonly<Record<Verdict, string>> = {
  migrate: 'Move',
  migrate_partly: 'Move a part',
  optimize_in_place: 'Stay, and tidy up',
  stay: 'Stay',
};
const YEAR_MONTHS = 12;

/**
 * The result of a completed scan for a person: the verdict and the figures it rests on, what to do in which
 * order, how the figures add up, and what they cover. Sums are sums of the shown amounts.
 */
export function reportPage(input: ReportInput): Page {
  const { scan, buckets, recommendations } = input;
  const report = scan.decisionReport;
  const currentUsd = scan.summary?.currentMonthlyCostUsd ?? 0;
  const units = unitsFor(currentUsd);
  const steps = buildSteps(recommendations, units);
  const sums = buildSums(currentUsd, report, steps, units);
  return {
    title: titleText(scan, sums),
    about: aboutText(input),
    blocks: [
      ...opening(sums, steps, report, units, buckets),
      ...stepSections(steps, units, input),
      ...sumsSection(sums, steps, units),
      ...(report ? scenarioSection(report, sums, units) : []),
      ...sentences('Risks', report?.risks),
      ...bucketSection(buckets, steps, sums.storageNow, units),
      ...holdingsSection(buckets),
      ...findingSection(scan, buckets, units),
      ...(report?.exitScenario ? exitSection(report.exitScenario) : []),
      ...sentences('Assumptions', report?.assumptions),
      ...coverageSection(scan, buckets),
      ...closing(scan),
    ],
  };
}

function titleText({ decisionReport }: ScanRecord, { saved }: Sums): string {
  if (decisionReport) return VERDICT_TITLES[decisionReport.verdict];
  return saved > 0 ? 'There is something to save' : VERDICT_TITLES.stay;
}

function aboutText({ scan, awsAccount }: ReportInput): string {
  return [
    `Account ${scan.accountId}`,
    ...(awsAccount === null ? [] : [`AWS account ${awsAccount}`]),
    `audit of ${formatDay(scan.startedAt)}`,
    ...(scan.decisionReport ? [`prices of ${scan.decisionReport.priceBook}`] : []),
  ].join(' · ');
}

function opening(
  sums: Sums,
  steps: readonly Step[],
  report: DecisionReport | null,
  units: Units,
  buckets: readonly ReportedBucket[],
): readonly Block[] {
  const { show } = units;
  const { storageNow, saved, afterwards, once } = sums;
  if (steps.length === 0) {
    const text = `Nothing that could be done saves enough to be worth it. What is stored here costs ${show(storageNow)} a month.`;
    return [paragraph({ strong: text }, unreadNote(buckets), copiedNote(buckets))];
  }
  if (saved === 0) {
    const text = `Each step below saves less than a cent a month. What is stored here costs ${show(storageNow)}.`;
    return [paragraph({ strong: text }, unreadNote(buckets))];
  }
  const { level, basis } = confidenceWords(report?.confidence ?? findLowest(steps));
  const months = report?.breakEvenMonths ?? null;
  const firstYear = YEAR_MONTHS * saved - once;
  return [
    paragraph(
      { strong: `${show(saved)} of ${show(storageNow)} a month can be saved.` },
      once === 0
        ? ' Doing it costs nothing.'
        : ` It takes ${show(once)} once${months === null ? '' : `, earned back after ${payback(months)}`}.`,
      // The other reasons repeat figures of the table.
      ` ${report?.reasons[0] ?? ''}`,
      unreadNote(buckets),
    ),
    table(
      ['If every step below is taken', '#Amount', 'Basis'],
      [
        ['Today', `${show(storageNow)} a month`, 'storage, as the bill shows it; no reads'],
        ['Saved', `${show(saved)} a month`, `the sum of ${countText(steps)}`],
        ['Afterwards', `${show(afterwards)} a month`, 'today less saved'],
        ['Costs once', show(once), 'what the stores bill for it, as of today'],
        ...(report
          ? [
              [
                'Earned back after',
                once === 0 ? 'at once' : payback(months),
                'costs once, divided by saved a month',
              ],
            ]
          : []),
        ['In the first 12 months', show(firstYear), '12 times saved, less what it costs once'],
        ['Confidence', level, `the least sure step: ${basis}`],
      ],
    ),
    drawnYear(saved, once, units),
  ];
}

function countText(steps: readonly Step[]): string {
  return steps.length === 1
    ? 'the one step below'
    : `the ${formatNumber(steps.length)} steps below`;
}

function findLowest(steps: readonly Step[]): number {
  return Math.min(...steps.map(({ recommendation: { confidence } }) => confidence));
}

/** What has been saved after each month, less what it costs once. */
function drawnYear(saved: number, once: number, units: Units): Bars {
  const after = (months: number) => months * saved - once;
  return {
    kind: 'bars',
    title: 'Saved in all after so many months, less what it costs once',
    series: ['saved'],
    groups: [0, 2, 4, 6, 8, 10, YEAR_MONTHS].map((months) => ({
      label: months === 0 ? 'at once' : `after ${months} months`,
      bars: [{ value: units.toUsd(after(months)), text: units.show(after(months)) }],
    })),
  };
}

function copiedNote(buckets: readonly ReportedBucket[]): string {
  const findings = buckets.flatMap(({ decision }) => decision.findings);
  return findings.some(({ code }) => code === 'copied_not_yet_saved')
    ? ' What was copied already can be deleted at the source: see what was found on the way.'
    : '';
}

function unreadNote(buckets: readonly ReportedBucket[]): string {
  const unread = buckets.filter(({ error }) => error !== null).length;
  return unread === 0
    ? ''
    : ` ${formatCount(unread, 'bucket')} could not be read to the end, so the figures lack a part: see what was not seen.`;
}

function exitSection(exit: ExitScenario): readonly Block[] {
  const row = (name: string, onceUsd: number, months: number | null) => [
    name,
    `${formatUsd(exit.monthlyCostUsd)} a month`,
    formatUsd(onceUsd),
    payback(months),
  ];
  return [
    heading(`Leaving ${CATALOGUE[SCANNED_PROVIDER].title} altogether`),
    paragraph(
      `For comparison, not a recommendation: everything that may move, moved to ${CATALOGUE[exit.provider].title}. Storage alone. It pays back from what those objects cost today; archived objects, old versions and unfinished uploads may not move, and cost the same as before.`,
    ),
    table(
      ['', '#Would cost', '#Costs once', '#Paid back after'],
      [
        row('With egress', exit.oneOffUsd, exit.breakEvenMonths),
        row(
          'Where the egress is waived',
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

function closing({ scanId, startedAt, completedAt, requests, decisionReport }: ScanRecord) {
  const { list: lists, other, costUsd } = requests;
  const horizon = decisionReport ? ` Horizon: ${decisionReport.horizonMonths} months.` : '';
  return [
    heading('This audit'),
    paragraph(
      'Scan ',
      { code: scanId },
      `, ${startedAt.toISOString()} to ${completedAt?.toISOString() ?? ''}. It sent ${formatNumber(lists + other)} requests, which cost ${formatUsd(costUsd)} on the AWS bill.${horizon} A GB is 10^9 bytes; a month has 30 days.`,
    ),
  ];
}
