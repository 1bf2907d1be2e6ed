import { formatBytes, formatMoney, formatNumber, type Relocation } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useProviderTitle } from '../../data/providers.ts';
import { isRelocationRunning, useRelocationQueries } from '../../data/relocations.ts';
import { Card } from '../../parts/card.tsx';
import { numberColumn } from '../../parts/columns.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Paging } from '../../parts/paging.tsx';
import { Progress } from '../../parts/progress.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { useListLocation } from '../../parts/use-list-location.ts';
import { progressProps } from './relocation-progress.tsx';

const COLUMNS: readonly Column<Relocation>[] = [
  { title: 'What', cell: (relocation) => <RelocationLink relocation={relocation} /> },
  { title: 'State', cell: (relocation) => <State relocation={relocation} /> },
  {
    title: 'Files moved',
    isNumber: true,
    cell: ({ progress: { filesMoved, filesTotal, bytesMoved } }) => (
      <>
        {formatNumber(filesMoved)} of {formatNumber(filesTotal)}
        <span className="quiet small">{formatBytes(bytesMoved)}</span>
      </>
    ),
  },
  numberColumn('Cost', 'costUsd', formatMoney),
  {
    title: 'Started',
    isMinor: true,
    cell: ({ startedAt, startedByName }) => (
      <>
        <Time iso={startedAt} />
        <span className="quiet small">by {startedByName}</span>
      </>
    ),
  },
];

/** Files that were moved between the account's own places. The page is in the URL. */
export function Relocations() {
  const location = useListLocation();
  const relocations = useQuery(useRelocationQueries().relocations(location.page));
  return (
    <Card title="Relocations of files">
      <Loaded query={relocations} what="the relocations">
        {(list) =>
          list.total === 0 ? (
            <Empty>
              <p>No uploaded files have been moved to another place yet.</p>
              <Link href="/providers">Move the files of a store</Link>
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Relocations, the newest first"
                rows={list.items}
                rowKey={({ relocationId }) => relocationId}
                columns={COLUMNS}
              />
              <Paging what="relocations" list={list} location={location} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

interface RelocationProps {
  readonly relocation: Relocation;
}

function RelocationLink({ relocation: { relocationId, from, to } }: RelocationProps) {
  const providerTitle = useProviderTitle();
  return (
    <span className="prose">
      <Link href={`/migrations/relocations/${relocationId}`}>{from.bucketName}</Link>
      <span className="quiet small">
        {providerTitle(from.provider)} to {to.bucketName} ({providerTitle(to.provider)})
      </span>
    </span>
  );
}

function State({ relocation }: RelocationProps) {
  return (
    <>
      <StatusBadge status={relocation.status} />
      {isRelocationRunning(relocation) ? <Progress {...progressProps(relocation)} /> : null}
    </>
  );
}
