import type { ScanResult } from '@storage-routing/client';
import { Link } from 'wouter';
import { verdictTitle } from '../../../format/audit.ts';
import { formatBytes, formatCount, formatUsd } from '../../../format/values.ts';
import { Facts } from '../../../parts/facts.tsx';
import { Card } from '../../../parts/card.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import { Time } from '../../../parts/time.tsx';
import { LongTable } from '../long-table.tsx';
import {
  bucketDifferences,
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
  ['Objects', 'objects', formatCount],
  ['Size', 'bytes', formatBytes],
  ['Costs a month', 'costUsd', formatUsd],
  ['Could save a month', 'savingsUsd', formatUsd],
];

/** What the account held and cost at each scan, and how that differs. */
export function DifferenceTables({ earlier, later }: DifferenceTablesProps) {
  const from = readTotals(earlier);
  const to = readTotals(later);
  return (
    <>
      <Card title="Totals">
        <Facts
          facts={[
            ['Earlier scan', <ScanSummary scan={earlier} />],
            ['Later scan', <ScanSummary scan={later} />],
          ]}
        />
        <DataTable
          caption="Totals of the two scans"
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
        <LongTable
          caption="The later scan, and the difference from the earlier one"
          rows={bucketDifferences(earlier, later)}
          rowKey={({ name }) => name}
          columns={[
            { title: 'Bucket', cell: (row) => <BucketName row={row} /> },
            ...MEASURES.map(([title, name, format]) => ({
              title,
              isNumber: true,
              cell: ({ from: before = NOTHING, to: after = NOTHING }: BucketDifference) => (
                <>
                  {format(after[name])}
                  <span className="quiet small">{signed(after[name] - before[name], format)}</span>
                </>
              ),
            })),
          ]}
        />
      </Card>
    </>
  );
}

function ScanSummary({ scan }: { readonly scan: ScanResult }) {
  const { scanId, startedAt, decisionReport: report } = scan;
  return (
    <>
      <Link href={`/audit/scans/${scanId}`}>
        <Time iso={startedAt} />
      </Link>
      {report ? `: ${verdictTitle(report.verdict)}` : null}
    </>
  );
}

function BucketName({ row: { name, from, to } }: { readonly row: BucketDifference }) {
  return (
    <>
      <code>{name}</code>
      {from ? null : <span className="quiet small">new</span>}
      {to ? null : <span className="quiet small">gone</span>}
    </>
  );
}

function signed(difference: number, format: (amount: number) => string): string {
  if (difference === 0) return 'the same';
  return difference > 0 ? `+${format(difference)}` : format(difference);
}
