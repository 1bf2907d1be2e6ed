import {
  formatBytes,
  formatCount,
  formatMoney,
  formatPercent,
  MIGRATION_STATUSES,
  type ListedMigration,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useMigrationQueries } from '../../data/migrations.ts';
import { useProviderTitle } from '../../data/providers.ts';
import { formatCode } from '../../format/code.ts';
import { Card } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { numberColumn } from '../../parts/columns.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { useListLocation } from '../../parts/use-list-location.ts';
import { Relocations } from './relocations.tsx';

const ANY = 'any';

/** What was approved, the newest first, and the relocations of files. */
export function Migrations() {
  const location = useListLocation();
  const status = MIGRATION_STATUSES.find((each) => each === location.filter('status'));
  const migrations = useQuery(useMigrationQueries().migrations({ status }));
  return (
    <Page title="Migrations">
      <Card title="Approved moves">
        <div className="filters">
          <Choice
            label="State"
            value={status ?? ANY}
            options={[
              { value: ANY, title: 'Any' },
              ...MIGRATION_STATUSES.map((value) => ({ value, title: formatCode(value) })),
            ]}
            onChange={(value) => location.setFilter('status', value === ANY ? null : value)}
          />
        </div>
        <Loaded query={migrations} what="the migrations">
          {(list) =>
            list.length === 0 ? (
              <EmptyList isFiltered={status !== undefined} />
            ) : (
              <MigrationsTable items={list} />
            )
          }
        </Loaded>
      </Card>
      <Relocations />
    </Page>
  );
}

function EmptyList({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <Empty>
      <p>{isFiltered ? 'No migration is in this state.' : 'No move has been approved yet.'}</p>
      {isFiltered ? (
        <Link href="/migrations">Show those of any state</Link>
      ) : (
        <Link href="/recommendations">Approve a recommended move</Link>
      )}
    </Empty>
  );
}

const COLUMNS: readonly Column<ListedMigration>[] = [
  {
    title: 'What',
    value: ({ bucket, prefix, targetProvider }) => `${bucket}/${prefix ?? ''} to ${targetProvider}`,
    cell: (item) => <MoveLink item={item} />,
  },
  {
    title: 'State',
    value: ({ status }) => status,
    cell: ({ status, percent }) => (
      <>
        <StatusBadge status={status} />
        {percent === null || percent === 100 ? null : (
          <span className="quiet small">{formatPercent(percent / 100)}</span>
        )}
      </>
    ),
  },
  {
    title: 'Size',
    isNumber: true,
    isMinor: true,
    value: ({ bytesTotal }) => bytesTotal,
    cell: ({ objectsTotal, bytesTotal, percent }) =>
      percent === null ? (
        '–'
      ) : (
        <span title={formatCount(objectsTotal, 'object')}>{formatBytes(bytesTotal)}</span>
      ),
  },
  numberColumn('Cost once', 'quoteTotalUsd', formatMoney),
  {
    title: 'Saves a month',
    isNumber: true,
    value: ({ monthlySavingsUsd }) => monthlySavingsUsd,
    cell: ({ monthlySavingsUsd, realised }) => (
      <>
        {formatMoney(monthlySavingsUsd)}
        <span className="quiet small">
          {realised?.state === 'released' ? 'released' : 'once the source is deleted'}
        </span>
      </>
    ),
  },
  {
    title: 'Approved',
    isMinor: true,
    value: ({ approvedAt }) => approvedAt,
    cell: ({ approvedAt, approvedByName }) => (
      <>
        <Time iso={approvedAt} />
        <span className="quiet small">by {approvedByName}</span>
      </>
    ),
  },
];

function MigrationsTable({ items }: { readonly items: readonly ListedMigration[] }) {
  return (
    <ListTable
      caption="Open one to follow it"
      fileName="migrations"
      rows={items}
      rowKey={({ migrationId }) => migrationId}
      columns={COLUMNS}
    />
  );
}

function MoveLink({ item }: { readonly item: ListedMigration }) {
  const { migrationId, bucket, prefix, targetProvider } = item;
  const providerTitle = useProviderTitle();
  return (
    <span className="prose">
      <Link href={`/migrations/${migrationId}`}>
        {bucket}
        {prefix === null ? null : `, below ${prefix}`}
      </Link>
      <span className="quiet small">to {providerTitle(targetProvider)}</span>
    </span>
  );
}
