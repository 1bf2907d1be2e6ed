import type { Connection, ScanLine } from '@storage-routing/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import { completedScans } from '../../data/scans.ts';
import { awsAccountId, confidenceWords, verdictTitle } from '../../format/audit.ts';
import { formatBytes, formatCount, formatUsd } from '../../format/values.ts';
import { Card } from '../../parts/card.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';

interface HistoryProps {
  readonly query: UseQueryResult<{ items: ScanLine[] }>;
  readonly connections: readonly Connection[];
}

/** The scans of the last 90 days, the newest first. */
export function History({ query, connections }: HistoryProps) {
  const accounts = new Map(
    connections.map(({ connectionId, roleArn }) => [connectionId, awsAccountId(roleArn)]),
  );
  return (
    <Card title="Scans of the last 90 days">
      <Loaded query={query} what="the scans">
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              <p>No scan yet. Start one of a connected account.</p>
            </Empty>
          ) : (
            <DataTable
              caption="Scans, the newest first; costs and savings a month"
              rows={items}
              rowKey={({ scanId }) => scanId}
              columns={[
                {
                  title: 'Started',
                  cell: ({ scanId, startedAt }) => (
                    <Link href={`/audit/scans/${scanId}`} className="nowrap">
                      <Time iso={startedAt} />
                    </Link>
                  ),
                },
                {
                  title: 'Account',
                  cell: ({ connectionId }) => accounts.get(connectionId) ?? 'disconnected',
                },
                { title: 'Answer', cell: (line) => <Answer line={line} /> },
                { title: 'Objects', isNumber: true, cell: (line) => formatCount(line.objects) },
                { title: 'Size', isNumber: true, cell: (line) => formatBytes(line.bytes) },
                {
                  title: 'Costs',
                  isNumber: true,
                  cell: ({ currentMonthlyCostUsd: usd }) => (usd === null ? '–' : formatUsd(usd)),
                },
                {
                  title: 'Could save',
                  isNumber: true,
                  cell: ({ monthlySavingsUsd: usd }) => (usd === null ? '–' : formatUsd(usd)),
                },
                { title: 'Compare', cell: (line) => <Compare line={line} items={items} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

/** Of a completed scan its verdict, of another its state. */
function Answer({ line: { status, verdict, confidence } }: { readonly line: ScanLine }) {
  if (status !== 'completed' || verdict === null) return <StatusBadge status={status} />;
  const words = confidence === null ? undefined : confidenceWords(confidence);
  return (
    <>
      {verdictTitle(verdict)}
      {words ? (
        <span className="quiet small nowrap" title={words.basis}>
          {words.level} confidence
        </span>
      ) : null}
    </>
  );
}

interface CompareProps {
  readonly line: ScanLine;
  readonly items: readonly ScanLine[];
}

/** With the completed scan before it. */
function Compare({ line, items }: CompareProps) {
  const before = completedScans(items, line.connectionId).find(
    ({ startedAt }) => startedAt < line.startedAt,
  );
  if (line.status !== 'completed' || !before) return '–';
  return (
    <Link className="nowrap" href={`/audit/compare?from=${before.scanId}&to=${line.scanId}`}>
      With the one before
    </Link>
  );
}
