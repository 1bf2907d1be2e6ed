import {
  formatBytes,
  formatCount,
  formatMoney,
  isPossibleSaving,
  type ScanResult,
} from '@storage-routing/client';
import { formatCode } from '../../../format/code.ts';
import { Card } from '../../../parts/card.tsx';
import { asCode, asProse, numberColumn, textColumn } from '../../../parts/columns.tsx';
import { ListTable } from '../../../parts/list-table.tsx';
import { groupFindings, type FindingGroup } from './group-findings.ts';

/** The findings by code. Their costs are part of the costs above. */
export function Findings({ scan }: { readonly scan: ScanResult }) {
  const groups = groupFindings(scan);
  if (groups.length === 0) return null;
  return (
    <Card title="Other findings">
      <div>
        {groups.map((group) => (
          <Group key={group.code} group={group} />
        ))}
      </div>
    </Card>
  );
}

function Group({ group }: { readonly group: FindingGroup }) {
  const { code, objects, bytes, monthlyCostUsd, findings } = group;
  const title = formatCode(code);
  const isEmpty = objects === 0 && monthlyCostUsd === 0;
  return (
    <details className="bucket">
      <summary>
        <strong>{title}</strong>{' '}
        <span className="quiet">
          {isEmpty
            ? `in ${formatCount(findings.length, 'bucket')}`
            : `${formatCount(objects, 'object')}, ${formatBytes(bytes)}, ${isPossibleSaving(code) ? 'would save ' : ''}${formatMoney(monthlyCostUsd)} a month`}
        </span>
      </summary>
      <div className="bucket-body">
        <ListTable
          caption={title}
          fileName={`findings-${code}`}
          rows={findings}
          rowKey={({ bucket, message }) => `${bucket ?? ''} ${message}`}
          columns={[
            textColumn('Where', 'bucket', (name: string | null) =>
              name === null ? 'all buckets' : asCode(name),
            ),
            textColumn('What', 'message', asProse),
            numberColumn('A month', 'monthlyCostUsd', formatMoney),
          ]}
        />
      </div>
    </details>
  );
}
