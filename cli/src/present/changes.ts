import {
  escapeText,
  formatMoney,
  formatRow,
  roundRows,
  type ScanChanges,
} from '@storage-routing/client';
import { table } from '../io/text.ts';

type Cause = ScanChanges['causes'][number]['code'];

const CAUSES: Readonly<Record<Cause, string>> = {
  new_bucket: 'new buckets',
  gone_bucket: 'buckets that are gone',
  objects: 'objects added, removed or in another class',
  reads: 'more or fewer reads',
  prices: 'new prices',
};

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
  const cents = roundRows(
    causes.map(({ usd }) => usd),
    costChangeUsd,
  );
  const causeRows = causes.flatMap(({ code, usd }, index) =>
    usd === 0 ? [] : [[signed(usd, formatRow(usd, cents[index] ?? 0)), CAUSES[code] ?? code]],
  );
  const bucketRows = buckets.map(({ name, costChangeUsd: usd }) => [
    signed(usd, formatMoney(usd)),
    name,
  ]);
  return [
    `since    ${since.at}: scan ${since.scanId}, prices of ${escapeText(since.priceBook)}`,
    `cost     ${signed(costChangeUsd, formatMoney(costChangeUsd))} a month`,
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

function signed(usd: number, text: string): string {
  return usd > 0 ? `+${text}` : text;
}
