import { formatBytes, formatMoney, type RoutedFile } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useAnalyticsQueries } from '../../data/analytics.ts';
import { useProviderTitle } from '../../data/providers.ts';
import { formatCode } from '../../format/code.ts';
import { Card } from '../../parts/card.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { asTime, numberColumn, textColumn } from '../../parts/columns.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Paging } from '../../parts/paging.tsx';
import { Badge, StatusBadge } from '../../parts/status-badge.tsx';
import { useListLocation } from '../../parts/use-list-location.ts';

const COLUMNS: readonly Column<RoutedFile>[] = [
  {
    title: 'File',
    value: ({ fileName }) => fileName,
    cell: ({ fileId, fileName }) => (
      <Link className="file-name" href={`/usage/files/${fileId}`}>
        {fileName}
      </Link>
    ),
  },
  {
    title: 'Size',
    isNumber: true,
    value: ({ fileSizeBytes }) => fileSizeBytes,
    cell: ({ fileSizeBytes }) => formatBytes(fileSizeBytes),
  },
  numberColumn('Saves a month', 'savedVsAwsUsd', formatMoney),
  textColumn('Priority', 'priority', formatCode, true),
  {
    title: 'Store',
    value: ({ provider }) => provider,
    cell: (file) => <Store file={file} />,
  },
  textColumn('State', 'status', (status: string) => <StatusBadge status={status} />),
  textColumn('Began', 'createdAt', asTime, true),
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
  const { history: page, wholeHistory: loadAll } = useAnalyticsQueries();
  const history = useQuery(page(location.page));
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
              <ListTable
                caption="The newest first"
                fileName="routed-files"
                loadAll={loadAll}
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
