import { CATALOGUE, SCANNED_PROVIDER } from '../../domain/catalogue.ts';
import type {
  BucketDecision,
  DecisionReport,
  Selector,
  Verdict,
} from '../../domain/decision/types.ts';
import type { BucketInventory } from '../../domain/inventory/inventory.ts';
import type { Finding } from '../../domain/finding.ts';
import { formatBytes, formatMonths, formatNumber, formatUsd } from '../../domain/format.ts';
import type { RecommendationRecord, ScannedBucket, ScanRecord } from '../../domain/scan/scan.ts';
import { code, heading, list, table, text } from '../../domain/markdown.ts';
import type { ScanSnapshot } from '../operations/scans.ts';

const VERDICT_TITLES: Readonly<Record<Verdict, string>> = {
  migrate: 'Move',
  migrate_partly: 'Move a part',
  optimize_in_place: 'Stay, and tidy up',
  stay: 'Stay',
};

/** What the report says of a bucket. */
interface ReportedBucket {
  readonly name: string;
  readonly region: string;
  readonly objects: number;
  readonly bytes: number;
  readonly error: BucketInventory['error'];
  readonly decision: BucketDecision;
}

/** The result of a completed scan as a page that a person reads: the verdict first. */
export async function presentReport(snapshot: ScanSnapshot): Promise<string> {
  const { scan } = snapshot;
  const buckets: ReportedBucket[] = [];
  for await (const bucket of snapshot.buckets) buckets.push(toReported(bucket));
  const recommendations: RecommendationRecord[] = [];
  for await (const recommendation of snapshot.recommendations) recommendations.push(recommendation);
  const report = scan.decisionReport;
  return [
    ...opening(scan, report),
    ...costSection(scan, report),
    ...whatToDo(recommendations, isAnyCopied(buckets)),
    ...heading('Bucket by bucket'),
    ...table(
      ['bucket', 'region', '#objects', '#size', '#now, a month', '#then', 'answer'],
      buckets.map(({ name, region, objects, bytes, error, decision }) => {
        const answers = recommendations.filter(({ bucket }) => bucket === name).length;
        return [
          code(name),
          text(region),
          formatNumber(objects),
          formatBytes(bytes),
          formatUsd(decision.currentMonthlyCostUsd),
          formatUsd(decision.optimalMonthlyCostUsd),
          error ? 'not read' : answers === 0 ? 'stay' : `${answers} above`,
        ];
      }),
    ),
    ...findings(scan, buckets),
    ...(report ? scenarios(report) : []),
    ...(report?.risks.length ? [...heading('Risks'), ...list(report.risks)] : []),
    ...(report?.assumptions.length ? [...heading('Assumptions'), ...list(report.assumptions)] : []),
    ...notSeen(scan, buckets),
    ...made(scan, report),
  ].join('\n');
}

function opening({ summary }: ScanRecord, report: DecisionReport | null): string[] {
  const savings = summary?.monthlySavingsUsd ?? 0;
  const verdict = report?.verdict ?? (savings > 0 ? 'optimize_in_place' : 'stay');
  const title = report || savings === 0 ? VERDICT_TITLES[verdict] : 'There is something to save';
  const saved =
    savings > 0
      ? `${formatUsd(savings)} of ${formatUsd(summary?.currentMonthlyCostUsd ?? 0)} a month can be saved.`
      : `Nothing cheaper was found for what is stored here; it costs ${formatUsd(summary?.currentMonthlyCostUsd ?? 0)} a month.`;
  return [`# ${title}`, '', saved, ...(report ? ['', ...list(report.reasons)] : [])];
}

function costSection({ summary }: ScanRecord, report: DecisionReport | null): string[] {
  if (!summary) return [];
  return [
    ...heading('Figures'),
    ...table(
      ['', '#'],
      [
        ['buckets', formatNumber(summary.buckets)],
        ['objects', formatNumber(summary.objects)],
        ['size', formatBytes(summary.bytes)],
        ['workload', summary.workloadProfile],
        ['costs now, a month', formatUsd(summary.currentMonthlyCostUsd)],
        ['would cost, a month', formatUsd(summary.optimalMonthlyCostUsd)],
        ...(report
          ? [
              ['once, to get there', formatUsd(report.oneOffCostUsd)],
              ['pays back after', payback(report.breakEvenMonths)],
              ['saved in the first 12 months', formatUsd(report.savings12MonthsUsd)],
              ['confidence', String(report.confidence)],
            ]
          : []),
      ],
    ),
  ];
}

function isAnyCopied(buckets: readonly ReportedBucket[]): boolean {
  const findings = buckets.flatMap(({ decision }) => decision.findings);
  return findings.some(({ code: found }) => found === 'copied_not_yet_saved');
}

function whatToDo(recommendations: readonly RecommendationRecord[], isCopied: boolean): string[] {
  if (recommendations.length === 0) {
    const answer = isCopied
      ? 'Nothing new. What was copied already can be deleted at the source, as is said below.'
      : 'Nothing. Staying is the cheapest answer everywhere.';
    return [...heading('What to do'), answer];
  }
  return [
    ...heading('What to do'),
    ...table(
      [
        'what',
        'bucket',
        'which',
        '#objects',
        '#size',
        '#now',
        '#then',
        '#saves a month',
        '#once',
        'pays back',
        '#confidence',
      ],
      recommendations.map((recommendation) => {
        const { options, recommendedProvider } = recommendation;
        const option = options.find(({ provider }) => provider === recommendedProvider);
        return [
          whatOf(recommendation),
          code(recommendation.bucket),
          whichOf(recommendation.selector),
          formatNumber(recommendation.objects),
          formatBytes(recommendation.bytes),
          formatUsd(recommendation.currentMonthlyCostUsd),
          formatUsd(recommendation.optimalMonthlyCostUsd),
          formatUsd(recommendation.monthlySavingsUsd),
          formatUsd(option?.quote.totalUsd ?? 0),
          option ? payback(option.breakEvenMonths) : 'at once',
          String(recommendation.confidence),
        ];
      }),
    ),
    ...recommendations.flatMap(({ blockers, bucket }) =>
      blockers.map(({ message }) => `\n- ${code(bucket)}: ${text(message)}`),
    ),
  ];
}

function whatOf(recommendation: RecommendationRecord): string {
  switch (recommendation.kind) {
    case 'move': {
      const { recommendedProvider } = recommendation;
      return `move to ${recommendedProvider ? CATALOGUE[recommendedProvider].title : '?'}`;
    }
    case 'change_class':
      return `change class to ${recommendation.recommendedStorageClass}`;
    case 'abort_multipart_uploads':
      return 'abort incomplete uploads';
    case 'expire_old_versions':
      return 'expire old versions';
  }
}

function whichOf({ prefix, storageClass, minAgeDays, maxAgeDays, minSizeBytes }: Selector): string {
  const parts = [
    ...(prefix === null ? [] : [code(prefix)]),
    ...(storageClass === null ? [] : [storageClass]),
    ...(minAgeDays === null ? [] : [`from ${minAgeDays} days`]),
    ...(maxAgeDays === null ? [] : [`up to ${maxAgeDays} days`]),
    ...(minSizeBytes === null ? [] : [`of ${formatNumber(minSizeBytes)} bytes and more`]),
  ];
  return parts.length === 0 ? 'all' : parts.join(', ');
}

function findings({ summary }: ScanRecord, buckets: readonly ReportedBucket[]): string[] {
  const row = (where: string, { message, objects, bytes, monthlyCostUsd }: Finding) => [
    where,
    text(message),
    formatNumber(objects),
    formatBytes(bytes),
    formatUsd(monthlyCostUsd),
  ];
  const rows = [
    ...(summary?.findings ?? []).map((finding) => row('all', finding)),
    ...buckets.flatMap(({ name, decision }) =>
      decision.findings.map((finding) => row(code(name), finding)),
    ),
  ];
  if (rows.length === 0) return [];
  return [
    ...heading('Found on the way'),
    ...table(['where', 'what', '#objects', '#size', '#a month'], rows),
  ];
}

function scenarios({ readScenarios, exitScenario }: DecisionReport): string[] {
  return [
    ...heading('If it is read more, or less'),
    ...table(
      ['reads', '#staying, a month', '#as recommended'],
      readScenarios.map(({ reads, stayMonthlyUsd, optimalMonthlyUsd }) => [
        reads,
        formatUsd(stayMonthlyUsd),
        formatUsd(optimalMonthlyUsd),
      ]),
    ),
    ...(exitScenario
      ? [
          ...heading(`Leaving ${CATALOGUE[SCANNED_PROVIDER].title} altogether`),
          `Everything that may move would cost ${formatUsd(exitScenario.monthlyCostUsd)} a month at ` +
            `${CATALOGUE[exitScenario.provider].title}, and ${formatUsd(exitScenario.oneOffUsd)} once ` +
            `(pays back: ${payback(exitScenario.breakEvenMonths)}); with the egress waived, ` +
            `${formatUsd(exitScenario.oneOffWithExitWaiverUsd)} (pays back: ` +
            `${payback(exitScenario.breakEvenMonthsWithExitWaiver)}).`,
        ]
      : []),
  ];
}

function notSeen({ summary }: ScanRecord, buckets: readonly ReportedBucket[]): string[] {
  const unread = buckets.flatMap(({ name, error }) =>
    error ? [`${code(name)}: ${text(error.message)}`] : [],
  );
  const gaps = (summary?.coverage ?? []).map(
    ({ bucket, missing, effect }) => `${code(bucket)}, without \`${missing}\`: ${text(effect)}`,
  );
  const lines = [...unread, ...gaps];
  return [
    ...heading('What was not seen'),
    ...(lines.length === 0 ? ['Every bucket was read in full.'] : lines.map((line) => `- ${line}`)),
  ];
}

function made(scan: ScanRecord, report: DecisionReport | null): string[] {
  const { list: lists, other, costUsd } = scan.requests;
  return [
    '',
    '---',
    '',
    `Scan ${scan.scanId}, ${scan.startedAt.toISOString()} to ${scan.completedAt?.toISOString() ?? ''}; ` +
      `${formatNumber(lists + other)} requests, ${formatUsd(costUsd)}.` +
      (report ? ` Prices: ${report.priceBook}. Horizon: ${report.horizonMonths} months.` : ''),
    '',
  ];
}

function toReported({ inventory, decision }: ScannedBucket): ReportedBucket {
  const { name, region, groups, error } = inventory;
  const { objects, bytes } = groups.reduce(
    (sum, group) => ({ objects: sum.objects + group.objects, bytes: sum.bytes + group.bytes }),
    { objects: 0, bytes: 0 },
  );
  return { name, region, objects, bytes, error, decision };
}

/** Null where savings never pay for the cost. */
function payback(months: number | null): string {
  return months === null ? 'never' : formatMonths(months);
}
