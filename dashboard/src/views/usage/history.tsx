import type { RoutedFile } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useAnalyticsQueries } from '../../data/analytics.ts';
import { FILE_STATUSES, PRIORITY_TITLES } from '../../format/files.ts';
import { formatBytes, formatUsd } from '../../format/numbers.ts';
import { PROVIDER_TITLES } from '../../format/words.ts';
import { Card } from '../../parts/card.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Paging } from '../../parts/paging.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { useListLocation } from '../../parts/use-list-location.ts';

const COLUMNS: readonly Column<RoutedFile>[] = [
  {
    title: 'File',
    cell: ({ fileId, fileName }) => (
      <Link className="file-name" href={`/usage/files/${fileId}`}>
        {fileName}
      </Link>
    ),
  },
  { title: 'Size', isNumber: true, cell: ({ fileSizeBytes }) => formatBytes(fileSizeBytes) },
  { title: 'Saves a month', isNumber: true, cell: (file) => formatUsd(file.savedVsAwsUsd) },
  { title: 'Priority', cell: ({ priority }) => PRIORITY_TITLES[priority] },
  {
    title: 'Store',
    cell: ({ provider, routingWarning }) => (
      <>
        <span className="nowrap">{PROVIDER_TITLES[provider]}</span>
        {routingWarning === null ? null : (
          <>
            {' '}
            <StatusBadge tone="busy">Second choice</StatusBadge>
          </>
        )}
      </>
    ),
  },
  {
    title: 'State',
    cell: ({ status }) => (
      <StatusBadge tone={FILE_STATUSES[status].tone}>{FILE_STATUSES[status].title}</StatusBadge>
    ),
  },
  { title: 'Began', cell: ({ createdAt }) => <Time iso={createdAt} /> },
];

/** Each file with its store, the newest first. The page is in the URL. */
export function History() {
  const location = useListLocation();
  const history = useQuery(useAnalyticsQueries().history(location.page));
  return (
    <Card title="Routing history">
      <Loaded query={history} what="the routing history">
        {(list) =>
          list.total === 0 ? (
            <Empty>
              <p>No file has been routed yet.</p>
              <Link href="/key">Upload a test file</Link>
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Routed files, the newest first"
                rows={list.items}
                keyOf={({ fileId }) => fileId}
                columns={COLUMNS}
              />
              <Paging what="the routing history" list={list} location={location} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
