import type { Activity as ActivityLine } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useAccountQueries } from '../../data/account.ts';
import { formatActivity } from '../../format/activity.ts';
import { Card } from '../../parts/card.tsx';
import { textColumn } from '../../parts/columns.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Paging } from '../../parts/paging.tsx';
import { Time } from '../../parts/time.tsx';
import { useListLocation } from '../../parts/use-list-location.ts';

const COLUMNS: readonly Column<ActivityLine>[] = [
  { title: 'When', cell: ({ at }) => <Time iso={at} /> },
  { title: 'Who', cell: ({ name, subject }) => <span title={subject}>{name}</span> },
  textColumn('What', 'action', formatActivity),
  {
    title: 'Which',
    cell: ({ on, requestId }) => <code title={`request ${requestId}`}>{on}</code>,
  },
];

/** Who changed what in the account. */
export function Activity() {
  const location = useListLocation();
  const activity = useQuery(useAccountQueries().activity(location.page));
  return (
    <Page title="Activity">
      <Card title="Who changed what">
        <Loaded query={activity} what="the activity">
          {(list) =>
            list.total === 0 ? (
              <Empty>
                <p>No changes yet. Changes are kept for 400 days.</p>
              </Empty>
            ) : (
              <>
                <DataTable
                  caption="The newest first, kept for 400 days"
                  rows={list.items}
                  rowKey={({ at, requestId, action, on }) => `${at} ${requestId} ${action} ${on}`}
                  columns={COLUMNS}
                />
                <Paging what="activity" list={list} location={location} />
              </>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}
