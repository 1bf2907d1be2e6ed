import { MIGRATION_STATUSES, type ListedMigration } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useMigrationQueries } from '../../data/migrations.ts';
import { SOURCE_PROVIDER, useProviderTitle } from '../../data/providers.ts';
import { formatBytes, formatCount, formatPercent, formatUsd } from '../../format/values.ts';
import { wordsFromCode } from '../../format/words.ts';
import { Card } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Paging } from '../../parts/paging.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { useListLocation } from '../../parts/use-list-location.ts';

const ANY = 'any';

/** What was approved, the newest first. */
export function Migrations() {
  const location = useListLocation();
  const status = MIGRATION_STATUSES.find((each) => each === location.filter('status'));
  const migrations = useQuery(useMigrationQueries().migrations({ status, page: location.page }));
  return (
    <Page title="Migrations">
      <div className="filters">
        <Choice
          label="State"
          value={status ?? ANY}
          options={[
            { value: ANY, title: 'Any' },
            ...MIGRATION_STATUSES.map((value) => ({ value, title: wordsFromCode(value) })),
          ]}
          onChange={(value) => location.setFilter('status', value === ANY ? null : value)}
        />
      </div>
      <Card title="The newest first">
        <Loaded query={migrations} what="the migrations">
          {(list) =>
            list.total === 0 ? (
              <EmptyList isFiltered={status !== undefined} />
            ) : (
              <>
                <MigrationsTable items={list.items} />
                <Paging what="migrations" list={list} location={location} />
              </>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

function EmptyList({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <Empty>
      <p>{isFiltered ? 'No migration is in this state.' : 'Nothing has been moved yet.'}</p>
      {isFiltered ? (
        <Link href="/migrations">Show those of any state</Link>
      ) : (
        <Link href="/recommendations">Approve a recommended move</Link>
      )}
    </Empty>
  );
}

function MigrationsTable({ items }: { readonly items: readonly ListedMigration[] }) {
  const providerTitle = useProviderTitle();
  return (
    <DataTable
      caption={`Each copies from ${providerTitle(SOURCE_PROVIDER)}; open one to follow it.`}
      rows={items}
      rowKey={({ migrationId }) => migrationId}
      columns={[
        {
          title: 'What',
          cell: ({ migrationId, bucket, prefix, targetProvider }) => (
            <>
              <Link href={`/migrations/${migrationId}`}>
                {bucket}
                {prefix === null ? null : `, below ${prefix}`}
              </Link>
              <br />
              <span className="quiet">to {providerTitle(targetProvider)}</span>
            </>
          ),
        },
        {
          title: 'State',
          cell: ({ status }) => <StatusBadge status={status} />,
        },
        {
          title: 'Done',
          isNumber: true,
          cell: ({ percent }) => (percent === null ? '–' : formatPercent(percent / 100)),
        },
        {
          title: 'Objects',
          isNumber: true,
          cell: ({ objectsTotal, percent }) => (percent === null ? '–' : formatCount(objectsTotal)),
        },
        {
          title: 'Size',
          isNumber: true,
          cell: ({ bytesTotal, percent }) => (percent === null ? '–' : formatBytes(bytesTotal)),
        },
        { title: 'Cost once', isNumber: true, cell: (item) => formatUsd(item.quoteTotalUsd) },
        {
          title: 'Saves a month',
          isNumber: true,
          cell: ({ monthlySavingsUsd }) => formatUsd(monthlySavingsUsd),
        },
        { title: 'Approved', cell: ({ approvedAt }) => <Time iso={approvedAt} /> },
      ]}
    />
  );
}
