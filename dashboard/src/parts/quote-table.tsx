import type { Quote } from '@storage-routing/client';
import { formatUsd } from '../format/values.ts';
import { QUOTE_LINES } from '../format/recommendations.ts';
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

/** What a move costs once, line by line, a column for each store. */
export function QuoteTable({ caption, quotes }: QuoteTableProps) {
  return (
    <DataTable
      caption={caption}
      rows={LINES}
      rowKey={({ key }) => key}
      columns={[
        { title: 'Line', cell: ({ title }) => title },
        ...quotes.map(({ title, quote }) => ({
          title,
          isNumber: true,
          cell: ({ key }: (typeof LINES)[number]) =>
            key.startsWith('total') ? (
              <strong>{formatUsd(quote[key])}</strong>
            ) : (
              formatUsd(quote[key])
            ),
        })),
      ]}
    />
  );
}
