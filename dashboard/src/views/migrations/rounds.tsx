import { formatMoney, formatNumber, type Migration } from '@storage-routing/client';
import { Card } from '../../parts/card.tsx';
import { asTime, numberColumn, textColumn } from '../../parts/columns.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';

/** The approval's copy and the rounds after it. */
export function Rounds({ migration: { rounds } }: { readonly migration: Migration }) {
  return (
    <Card title="Rounds">
      <DataTable
        caption="The first is the copy that was approved"
        rows={rounds}
        rowKey={({ number }) => String(number)}
        columns={[
          { title: 'Round', cell: ({ number }) => formatNumber(number) },
          { title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
          textColumn('Ended', 'completedAt', asTime),
          numberColumn('Copied', 'objectsCopied', formatNumber),
          numberColumn('Unchanged', 'objectsUnchanged', formatNumber),
          numberColumn('Failed', 'objectsFailed', formatNumber),
          numberColumn('Gone', 'objectsGone', formatNumber),
          numberColumn('Released', 'objectsReleased', formatNumber),
          numberColumn('Removed', 'objectsRemoved', formatNumber),
          numberColumn('Cost', 'costUsd', formatMoney),
        ]}
      />
    </Card>
  );
}
