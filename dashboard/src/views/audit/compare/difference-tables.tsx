import {
  formatBytes,
  formatCount,
  formatMoney,
  formatNumber,
  type ScanResult,
} from '@storage-routing/client';
import { Link } from 'wouter';
import { useProviderTitle } from '../../../data/providers.ts';
import { scanHeadline } from '../../../format/audit.ts';
import { Facts } from '../../../parts/facts.tsx';
import { Card } from '../../../parts/card.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import { Time } from '../../../parts/time.tsx';
import { ListTable } from '../../../parts/list-table.tsx';
import {
  bucketDifferences,
  hasChanged,
  NOTHING,
  readTotals,
  type Amounts,
  type BucketDifference,
} from './differences.ts';

interface DifferenceTablesProps {
  readonly earlier: ScanResult;
  readonly later: ScanResult;
}

const MEASURES: readonly (readonly [string, keyof Amounts, (amount: number) => string])[] = [
  ['Objects', 'objects', formatNumber],
  ['Size', 'bytes', formatBytes],
  ['Costs a month', 'costUsd', formatMoney],
  ['Could save a month', 'savingsUsd', formatMoney],
];

/** What the account held and cost at each scan, and how that differs. */
export function DifferenceTables({ earlier, later }: DifferenceTablesProps) {
  const from = readTotals(earlier);
  const to = readTotals(later);
  const buckets = bucketDifferences(earlier, later);
  const changed = buckets.filter(hasChanged);
  return (
    <>
      <Card title="Totals">
        <Facts
          facts={[
            ['Earlier audit', <ScanSummary scan={earlier} />],
            ['Later audit', <ScanSummary scan={later} />],
          ]}
        />
        <DataTable
          caption="Totals of the two audits"
          rows={MEASURES}
          rowKey={([title]) => title}
          columns={[
            { title: 'What', cell: ([title]) => title },
            { title: 'Earlier', isNumber: true, cell: ([, name, format]) => format(from[name]) },
            { title: 'Later', isNumber: true, cell: ([, name, format]) => format(to[name]) },
            {
              title: 'Difference',
              isNumber: true,
              cell: ([, name, format]) => signed(to[name] - from[name], format),
            },
          ]}
        />
      </Card>
      <Card title="By bucket">
        {changed.length > 0 ? (
          <ListTable
            caption="The later audit, and the difference from the earlier one"
            fileName={`compared-${earlier.scanId}-${later.scanId}`}
            rows={changed}
            rowKey={({ name }) => name}
            columns={[
              {
                title: 'Bucket',
                value: ({ name }) => name,
                cell: (row) => <BucketName row={row} />,
              },
              ...MEASURES.map(([title, name, format]) => ({
                title,
                isNumber: true,
                value: ({ to: current = NOTHING }: BucketDifference) => current[name],
                cell: ({ from: previous = NOTHING, to: current = NOTHING }: BucketDifference) => (
                  <>
                    {format(current[name])}
                    <span className="quiet small">
                      {signed(current[name] - previous[name], format)}
                    </span>
                  </>
                ),
              })),
            ]}
          />
        ) : null}
        {changed.length < buckets.length ? (
          <p className="quiet">
            {formatCount(buckets.length - changed.length, 'bucket')} without a change.
          </p>
        ) : null}
      </Card>
    </>
  );
}

function ScanSummary({ scan }: { readonly scan: ScanResult }) {
  const { scanId, startedAt, decisionReport } = scan;
  const providerTitle = useProviderTitle();
  return (
    <>
      <Link href={`/audit/scans/${scanId}`}>
        <Time iso={startedAt} />
      </Link>
      {decisionReport ? (
        <span className="quiet small">{scanHeadline(scan, providerTitle)}</span>
      ) : null}
    </>
  );
}

function BucketName({ row: { name, from, to } }: { readonly row: BucketDifference }) {
  return (
    <>
      <code>{name}</code>
      {from ? null : <span className="quiet small">new</span>}
      {to ? null : <span className="quiet small">deleted</span>}
    </>
  );
}

function signed(difference: number, format: (amount: number) => string): string {
  if (difference === 0) return 'the same';
  return `${difference > 0 ? '+' : '-'}${format(Math.abs(difference))}`;
}
