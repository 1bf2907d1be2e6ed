import {
  QUOTE_LINES,
  formatMoney,
  formatRow,
  roundRows,
  type Quote,
} from '@storage-routing/client';
import { textColumn } from './columns.tsx';
import { DataTable } from './data-table.tsx';

interface QuoteTableProps {
  readonly caption: string;
  readonly quotes: readonly { readonly title: string; readonly quote: Quote }[];
}

const LINES: readonly { readonly key: keyof Quote; readonly title: string }[] = [
  ...QUOTE_LINES,
  { key: 'totalUsd', title: 'Total, once' },
  { key: 'totalWithExitWaiverUsd', title: 'Total if the source waives egress' },
];

/** A line of nothing says nothing; nor does a waiver that waives nothing. */
function isShown(quote: Quote, key: keyof Quote): boolean {
  return key === 'totalWithExitWaiverUsd' ? quote[key] < quote.totalUsd : quote[key] > 0;
}

/** What a move costs once, line by line, a column for each store; the lines add up to the total. */
export function QuoteTable({ caption, quotes }: QuoteTableProps) {
  return (
    <DataTable
      caption={caption}
      rows={LINES.filter(
        ({ key }) => key === 'totalUsd' || quotes.some(({ quote }) => isShown(quote, key)),
      )}
      rowKey={({ key }) => key}
      columns={[
        textColumn('Line', 'title'),
        ...quotes.map(({ title, quote }) => ({
          title,
          isNumber: true,
          cell: ({ key }: (typeof LINES)[number]) =>
            key === 'totalUsd' || key === 'totalWithExitWaiverUsd' ? (
              <strong>{formatMoney(quote[key])}</strong>
            ) : (
              formatRow(quote[key], roundLines(quote).get(key) ?? 0)
            ),
        })),
      ]}
    />
  );
}

/** The cents of each line, by its key. */
function roundLines(quote: Quote): ReadonlyMap<keyof Quote, number> {
  const cents = roundRows(
    QUOTE_LINES.map(({ key }) => quote[key]),
    quote.totalUsd,
  );
  return new Map(QUOTE_LINES.map(({ key }, at) => [key, cents[at] ?? 0]));
}
