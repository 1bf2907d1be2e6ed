import { formatBytes, formatCents, formatMoney, type ScanResult } from '@storage-routing/client';
import { Card } from '../../../parts/card.tsx';
import { asCode, asProse, numberColumn, textColumn } from '../../../parts/columns.tsx';
import { ListTable } from '../../../parts/list-table.tsx';
import { StepsTable } from '../../../parts/steps-table.tsx';
import type { Step } from '../../../parts/steps.ts';
import { groupSteps } from './scan-steps.ts';

/** What to do, by what it takes; and what stays. */
export function StepCards({ scan }: { readonly scan: ScanResult }) {
  const { quickWins, moves, staying } = groupSteps(scan);
  return (
    <>
      <Steps
        title="Quick wins"
        caption="Changes in your own account: nothing moves"
        steps={quickWins}
        fileName={`quick-wins-${scan.scanId}`}
      />
      <Steps
        title="Moves"
        caption="Copied once you approve; the source is not changed"
        steps={moves}
        fileName={`moves-${scan.scanId}`}
      />
      {staying.length === 0 ? null : (
        <Card title="What stays">
          <ListTable
            caption="Buckets with nothing to change"
            fileName={`staying-${scan.scanId}`}
            rows={staying.map(({ bucket: { name, bytes, currentMonthlyCostUsd }, reason }) => ({
              name,
              reason,
              bytes,
              currentMonthlyCostUsd,
            }))}
            rowKey={({ name }) => name}
            columns={[
              textColumn('Bucket', 'name', asCode),
              textColumn('Why', 'reason', asProse),
              numberColumn('Size', 'bytes', formatBytes, true),
              numberColumn('Costs a month', 'currentMonthlyCostUsd', formatMoney),
            ]}
          />
        </Card>
      )}
    </>
  );
}

interface StepsProps {
  readonly title: string;
  readonly caption: string;
  readonly steps: readonly Step[];
  readonly fileName: string;
}

function Steps({ title, caption, steps, fileName }: StepsProps) {
  if (steps.length === 0) return null;
  const cents = steps.reduce((sum, { savedCents }) => sum + savedCents, 0);
  return (
    <Card title={title} aside={<strong>{`${formatCents(cents)} a month`}</strong>}>
      <StepsTable caption={caption} steps={steps} fileName={fileName} />
    </Card>
  );
}
