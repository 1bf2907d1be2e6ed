import {
  formatBytes,
  formatMoney,
  formatNumber,
  type DecisionReport,
} from '@storage-routing/client';
import { Card } from '../../../parts/card.tsx';
import { asProse, numberColumn, textColumn } from '../../../parts/columns.tsx';
import { ListTable } from '../../../parts/list-table.tsx';

/** What could move and is left alone. Its costs are part of the costs above. */
export function NotTouched({ report: { leftAlone } }: { readonly report: DecisionReport }) {
  if (leftAlone.length === 0) return null;
  return (
    <Card title="Not touched, and why">
      <ListTable
        caption="Not touched"
        fileName="not-touched"
        rows={leftAlone}
        rowKey={({ bucket, prefix }) => `${bucket}/${prefix ?? ''}`}
        columns={[
          {
            title: 'Where',
            value: ({ bucket, prefix }) => `${bucket}/${prefix ?? ''}`,
            cell: ({ bucket, prefix }) => <code>{`${bucket}/${prefix ?? ''}`}</code>,
          },
          textColumn('Why', 'message', asProse),
          numberColumn('Objects', 'objects', formatNumber),
          numberColumn('Size', 'bytes', formatBytes),
          numberColumn('A month', 'monthlyCostUsd', formatMoney),
        ]}
      />
    </Card>
  );
}
