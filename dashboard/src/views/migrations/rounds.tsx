import { formatMoney, formatNumber, type Migration } from '@storage-routing/client';
import { Card } from '../../parts/card.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';

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
          {
            title: 'Ended',
            cell: ({ completedAt }) => (completedAt === null ? '–' : <Time iso={completedAt} />),
          },
          { title: 'Copied', isNumber: true, cell: (each) => formatNumber(each.objectsCopied) },
          {
            title: 'Unchanged',
            isNumber: true,
            cell: (each) => formatNumber(each.objectsUnchanged),
          },
          { title: 'Failed', isNumber: true, cell: (each) => formatNumber(each.objectsFailed) },
          { title: 'Gone', isNumber: true, cell: (each) => formatNumber(each.objectsGone) },
          {
            title: 'Released',
            isNumber: true,
            cell: (each) => formatNumber(each.objectsReleased),
          },
          { title: 'Removed', isNumber: true, cell: (each) => formatNumber(each.objectsRemoved) },
          { title: 'Cost', isNumber: true, cell: ({ costUsd }) => formatMoney(costUsd) },
        ]}
      />
    </Card>
  );
}
