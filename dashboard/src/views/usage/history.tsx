import type { RoutedFile } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useAnalyticsQueries } from '../../data/analytics.ts';
import { useProviderTitle } from '../../data/providers.ts';
import { formatBytes, formatUsd } from '../../format/values.ts';
import { wordsFromCode } from '../../format/words.ts';
import { Card } from '../../parts/card.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Paging } from '../../parts/paging.tsx';
import { Badge, StatusBadge } from '../../parts/status-badge.tsx';
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
  { title: 'Priority', cell: ({ priority }) => wordsFromCode(priority) },
  {
    title: 'Store',
    cell: (file) => <Store file={file} />,
  },
  {
    title: 'State',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  { title: 'Began', cell: ({ createdAt }) => <Time iso={createdAt} /> },
];

function Store({ file: { provider, routingWarning } }: { readonly file: RoutedFile }) {
  const providerTitle = useProviderTitle();
  return (
    <>
      <span className="nowrap">{providerTitle(provider)}</span>
      {routingWarning === null ? null : (
        <>
          {' '}
          <Badge tone="busy">Second choice</Badge>
        </>
      )}
    </>
  );
}

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
                rowKey={({ fileId }) => fileId}
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
