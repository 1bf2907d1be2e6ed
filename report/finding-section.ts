import type { Finding, FindingCode } from '../domain/inventory/finding.ts';
import { formatBytes, formatCount, formatMoney, formatNumber } from '../shared/amounts.ts';
import { isPossibleSaving } from '../shared/audits.ts';
import type { ScanRecord } from '../domain/scans/scan.ts';
import { heading, list, paragraph, table, type Block, type Inline, type Text } from './blocks.ts';
import { keyPrefixOf } from '../domain/decision/types.ts';
import type { ReportedBucket } from './bucket-sections.ts';

/** Findings without figures of their own: one row for all buckets that have them. */
const GROUPED: Partial<Readonly<Record<FindingCode, string>>> = {
  no_abort_multipart_rule: 'No lifecycle rule aborts unfinished uploads.',
  no_lifecycle_rule: 'There is no lifecycle rule at all.',
  empty_bucket: 'The bucket holds nothing.',
};
const MAX_NAMED = 8;

/** Findings without a recommendation, the most expensive first. */
export function findingSection(
  { summary }: ScanRecord,
  buckets: readonly ReportedBucket[],
): readonly Block[] {
  const located = buckets.flatMap(({ name, decision }) =>
    decision.findings.map((finding) => ({ name, finding })),
  );
  const own = [
    ...(summary?.findings ?? []).map((finding) => ({ where: 'all buckets' as Text, finding })),
    ...located
      .filter(({ finding }) => GROUPED[finding.code] === undefined)
      .map(({ name, finding }) => ({ where: { code: name } as Text, finding })),
  ].sort((a, b) => b.finding.monthlyCostUsd - a.finding.monthlyCostUsd);
  const cost = ({ code, monthlyCostUsd }: Finding) =>
    isPossibleSaving(code) || monthlyCostUsd === 0 ? '' : formatMoney(monthlyCostUsd);
  const rows: Text[][] = [
    ...own.map(({ where, finding }) => [where, finding.message, cost(finding)]),
    ...Object.entries(GROUPED).flatMap(([code, message]): Text[][] => {
      const names = located.filter(({ finding }) => finding.code === code).map(({ name }) => name);
      return names.length === 0 ? [] : [[listNames(names), message, '']];
    }),
  ];
  if (rows.length === 0) return [];
  return [
    heading('Other findings'),
    paragraph('These costs are part of the costs above.'),
    table(['Where', 'What', '#Costs a month'], rows),
  ];
}

/** What could move and is left alone. */
export function leftAloneSection({ decisionReport }: ScanRecord): readonly Block[] {
  const rows = (decisionReport?.leftAlone ?? []).map(
    ({ bucket, prefix, message, objects, bytes, monthlyCostUsd }): Text[] => [
      { code: `${bucket}/${keyPrefixOf({ prefix })}` },
      message,
      `${formatCount(objects, 'object')}, ${formatBytes(bytes)}`,
      formatMoney(monthlyCostUsd),
    ],
  );
  if (rows.length === 0) return [];
  return [
    heading('Not touched, and why'),
    paragraph('These costs are part of the costs above.'),
    table(['Where', 'Why', 'Holds', '#Costs a month'], rows),
  ];
}

/** `12 buckets: a, b, … and 4 more` */
function listNames(names: readonly string[]): Text {
  const named = names.slice(0, MAX_NAMED);
  const pieces: Inline[] = named.flatMap((name, at) => [at === 0 ? '' : ', ', { code: name }]);
  const count = names.length === 1 ? [] : [`${formatNumber(names.length)} buckets: `];
  const unnamed =
    names.length > named.length ? [` and ${formatNumber(names.length - named.length)} more`] : [];
  return [...count, ...pieces, ...unnamed];
}

/** Buckets that could not be read, and permissions that were missing. */
export function coverageSection(
  { summary }: ScanRecord,
  buckets: readonly ReportedBucket[],
): readonly Block[] {
  const unread = buckets.flatMap(({ name, bytes, error }): Text[] => {
    const extent = bytes > 0 ? 'was read in part' : 'was not read';
    return error ? [[{ code: name }, ` ${extent}: ${error.message}`]] : [];
  });
  const gaps = (summary?.coverage ?? []).map(({ bucket, missing, effect }): Text => [
    bucket === null ? 'The whole account' : { code: bucket },
    ', without ',
    { code: missing },
    `: ${effect}`,
  ]);
  const lines = [...unread, ...gaps];
  return [
    heading('What was not seen'),
    ...(lines.length === 0 ? [paragraph('Every bucket was read in full.')] : list(lines)),
  ];
}
