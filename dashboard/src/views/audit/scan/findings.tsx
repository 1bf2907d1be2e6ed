import type { ScanResult } from '@storage-routing/client';
import { formatBytes, formatCount, formatUsd } from '../../../format/values.ts';
import { wordsFromCode } from '../../../format/words.ts';
import { Card } from '../../../parts/card.tsx';
import { LongTable } from '../long-table.tsx';
import { groupFindings, type FindingGroup } from './group-findings.ts';

/** The findings by code; those that cost something are open. */
export function Findings({ scan }: { readonly scan: ScanResult }) {
  const groups = groupFindings(scan);
  if (groups.length === 0) return null;
  return (
    <Card title="Found on the way">
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
  const title = wordsFromCode(code);
  const isEmpty = objects === 0 && monthlyCostUsd === 0;
  return (
    <details className="bucket" open={!isEmpty}>
      <summary>
        <strong>{title}</strong>{' '}
        <span className="quiet">
          {isEmpty
            ? `in ${formatCount(findings.length)} ${findings.length === 1 ? 'bucket' : 'buckets'}`
            : `${formatCount(objects)}, ${formatBytes(bytes)}, ${formatUsd(monthlyCostUsd)} a month`}
        </span>
      </summary>
      <div className="bucket-body">
        <LongTable
          caption={title}
          rows={findings}
          rowKey={({ bucket, message }) => `${bucket ?? ''} ${message}`}
          columns={[
            {
              title: 'Where',
              cell: ({ bucket }) => (bucket === null ? 'all buckets' : <code>{bucket}</code>),
            },
            { title: 'What', cell: ({ message }) => <span className="prose">{message}</span> },
            { title: 'A month', isNumber: true, cell: (row) => formatUsd(row.monthlyCostUsd) },
          ]}
        />
      </div>
    </details>
  );
}
