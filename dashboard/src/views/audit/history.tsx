import {
  confidenceLevel,
  formatBytes,
  formatCount,
  formatMoney,
  type Connection,
  type ScanLine,
} from '@storage-routing/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useProviderTitle } from '../../data/providers.ts';
import { completedScans } from '../../data/scans.ts';
import { connectionName, verdictTitle } from '../../format/audit.ts';
import { Card } from '../../parts/card.tsx';
import { numberColumn } from '../../parts/columns.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';

interface HistoryProps {
  readonly query: UseQueryResult<{ items: ScanLine[] }>;
  readonly connections: readonly Connection[];
}

/** The scans of the last 90 days, the newest first. */
export function History({ query, connections }: HistoryProps) {
  const providerTitle = useProviderTitle();
  const accounts = new Map(
    connections.map((each) => [each.connectionId, connectionName(each, providerTitle)]),
  );
  return (
    <Card title="Audits of the last 90 days">
      <Loaded query={query} what="the audits">
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              <p>No audit yet. Start one of a connected account or store.</p>
            </Empty>
          ) : (
            <ListTable
              caption="The newest first; US dollars a month"
              fileName="audits"
              rows={items}
              rowKey={({ scanId }) => scanId}
              columns={[
                {
                  title: 'Started',
                  value: ({ startedAt }) => startedAt,
                  cell: ({ scanId, startedAt }) => (
                    <Link href={`/audit/scans/${scanId}`} className="nowrap">
                      <Time iso={startedAt} />
                    </Link>
                  ),
                },
                {
                  title: 'Source',
                  isMinor: true,
                  value: ({ connectionId }) => accounts.get(connectionId) ?? null,
                  cell: ({ connectionId }) => accounts.get(connectionId) ?? 'disconnected',
                },
                {
                  title: 'Result',
                  value: ({ status, verdict }) => verdict ?? status,
                  cell: (line) => <Result line={line} />,
                },
                {
                  title: 'Size',
                  isNumber: true,
                  isMinor: true,
                  value: ({ bytes }) => bytes,
                  cell: ({ objects, bytes }) => (
                    <span title={formatCount(objects, 'object')}>{formatBytes(bytes)}</span>
                  ),
                },
                numberColumn('Costs', 'currentMonthlyCostUsd', formatKnown),
                numberColumn('Could save', 'monthlySavingsUsd', formatKnown),
                { title: 'Compare', cell: (line) => <Compare line={line} items={items} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function formatKnown(usd: number | null): string {
  return usd === null ? '–' : formatMoney(usd);
}

/** The verdict of a completed scan, otherwise its state. */
function Result({ line }: { readonly line: ScanLine }) {
  const { status, verdict, confidence } = line;
  if (status !== 'completed' || verdict === null) return <StatusBadge status={status} />;
  return (
    <>
      {verdictTitle(line)}
      {confidence === null ? null : (
        <span className="quiet small nowrap">{confidenceLevel(confidence)} confidence</span>
      )}
    </>
  );
}

interface CompareProps {
  readonly line: ScanLine;
  readonly items: readonly ScanLine[];
}

/** With the completed scan before it. */
function Compare({ line, items }: CompareProps) {
  const previous = completedScans(items, line.connectionId).find(
    ({ startedAt }) => startedAt < line.startedAt,
  );
  if (line.status !== 'completed' || !previous) return '–';
  return (
    <Link className="nowrap" href={`/audit/compare?from=${previous.scanId}&to=${line.scanId}`}>
      With the last one
    </Link>
  );
}
