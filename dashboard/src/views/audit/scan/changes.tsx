import {
  describeCauses,
  formatMoney,
  formatSigned,
  type ScanResult,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useScanQueries } from '../../../data/scans.ts';
import { formatCode } from '../../../format/code.ts';
import { formatAdviceChanges } from '../../../format/schedule.ts';
import { Card } from '../../../parts/card.tsx';
import { asCode, textColumn } from '../../../parts/columns.tsx';
import { DataTable, type Column } from '../../../parts/data-table.tsx';
import { Time } from '../../../parts/time.tsx';

interface Row {
  readonly name: string;
  readonly amount: string;
}

const CAUSE_COLUMNS: readonly Column<Row>[] = [
  textColumn('Because of', 'name', formatCode),
  { title: 'A month', isNumber: true, cell: ({ amount }) => amount },
];
const BUCKET_COLUMNS: readonly Column<Row>[] = [
  textColumn('Bucket', 'name', asCode),
  { title: 'Change a month', isNumber: true, cell: ({ amount }) => amount },
];
const MAX_BUCKETS = 5;

/** What is different from the decision before, and why; nothing for a first audit. */
export function Changes({ scan }: { readonly scan: ScanResult }) {
  const { data } = useQuery(useScanQueries().changes(scan.scanId));
  if (!data?.since || data.costChangeUsd === null) return null;
  const { since, costChangeUsd, recommendations } = data;
  const advice = formatAdviceChanges(recommendations);
  const causes = describeCauses(data.causes, costChangeUsd);
  const buckets = data.buckets.slice(0, MAX_BUCKETS);
  return (
    <Card title="What has changed">
      <p>
        {formatChange(costChangeUsd)} <Time iso={since.at} />
        {since.scanId === scan.scanId
          ? `, decided by the prices of ${since.priceBook}.`
          : ', the audit before.'}
        {advice === '' ? null : (
          <>
            {' '}
            Of the <Link href="/recommendations">recommendations</Link>, {advice}.
          </>
        )}
      </p>
      <Revised scan={scan} />
      {causes.length > 0 ? (
        <DataTable
          caption="Why the cost has changed"
          rows={causes.map(({ name, usd, amount }) => ({
            name,
            amount: formatSigned(usd, amount),
          }))}
          rowKey={({ name }) => name}
          columns={CAUSE_COLUMNS}
        />
      ) : null}
      {buckets.length > 0 ? (
        <DataTable
          caption="The buckets with the largest changes"
          rows={buckets.map(({ name, costChangeUsd: usd }) => ({
            name,
            amount: formatSigned(usd, formatMoney(usd)),
          }))}
          rowKey={({ name }) => name}
          columns={BUCKET_COLUMNS}
        />
      ) : null}
    </Card>
  );
}

function formatChange(usd: number): string {
  if (usd === 0) return 'It costs as much a month as on';
  return `It costs ${formatMoney(Math.abs(usd))} a month ${usd > 0 ? 'more' : 'less'} than on`;
}

/** Another price book has decided it since it completed. */
function Revised({ scan: { revisions } }: { readonly scan: ScanResult }) {
  const latest = revisions.at(-1);
  if (!latest || revisions.length < 2) return null;
  return (
    <p className="quiet">
      New prices ({latest.priceBook}) were applied <Time iso={latest.at} /> to what this audit
      found.
    </p>
  );
}
