import {
  describeCauses,
  escapeText,
  formatMoney,
  formatSigned,
  type ScanChanges,
} from '@storage-routing/client';
import { table } from '../io/text.ts';

const RECOMMENDATIONS = [
  ['opened', 'new'],
  ['gone', 'gone'],
  ['better', 'saves more'],
] as const satisfies readonly (readonly [keyof ScanChanges['recommendations'], string])[];

/** Formats what a scan changed; the cents of the causes add up to the change. */
export function changesText(changes: ScanChanges): string {
  const { since, costChangeUsd, causes, buckets } = changes;
  if (since === null || costChangeUsd === null) {
    return 'nothing to compare with: no earlier scan of this cloud account has completed';
  }
  const causeRows = describeCauses(causes, costChangeUsd).map(({ name, usd, amount }) => [
    formatSigned(usd, amount),
    name,
  ]);
  const bucketRows = buckets.map(({ name, costChangeUsd: usd }) => [
    formatSigned(usd, formatMoney(usd)),
    name,
  ]);
  return [
    `since    ${since.at}: scan ${since.scanId}, prices of ${escapeText(since.priceBook)}`,
    `cost     ${formatSigned(costChangeUsd, formatMoney(costChangeUsd))} a month`,
    ...section('CAUSE', causeRows),
    ...section('BUCKET', bucketRows),
    ...recommendationRows(changes),
  ].join('\n');
}

function section(head: string, rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  return ['', table([['A MONTH', head], ...rows.map((row) => row.map(escapeText))])];
}

function recommendationRows({ recommendations }: ScanChanges): string[] {
  const rows = RECOMMENDATIONS.flatMap(([list, said]) =>
    recommendations[list].map((id) => [id, said]),
  );
  return rows.length === 0 ? [] : ['', table([['RECOMMENDATION', 'CHANGE'], ...rows])];
}
