import { formatMoney, formatNumber, type Drill } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { isDrillRunning, useDrillQueries } from '../../data/drills.ts';
import { useProviderTitle } from '../../data/providers.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { numberColumn } from '../../parts/columns.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Paging } from '../../parts/paging.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Badge, StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { useListLocation } from '../../parts/use-list-location.ts';
import { DrillForm, type ChosenDrill } from './drill-form.tsx';
import { progressProps } from './drill-progress.tsx';
import { Schedule } from './schedule.tsx';
import { StartDialog } from './start-dialog.tsx';

const COLUMNS: readonly Column<Drill>[] = [
  { title: 'What', cell: (drill) => <DrillLink drill={drill} /> },
  {
    title: 'State',
    cell: (drill) => (
      <>
        <StatusBadge status={drill.status} />
        {isDrillRunning(drill) ? <Progress {...progressProps(drill)} /> : null}
      </>
    ),
  },
  {
    title: 'Equal',
    isNumber: true,
    cell: ({ results: { equal, failed }, sample }) => (
      <>
        {formatNumber(equal)} of {formatNumber(sample.files)}
        {failed > 0 ? <Badge tone="bad">{`${formatNumber(failed)} failed`}</Badge> : null}
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

/** Trial moves of samples, the newest first, and the start of one. The page is in the URL. */
export function Drills() {
  const location = useListLocation();
  const drills = useQuery(useDrillQueries().drills(location.page));
  const [isChoosing, setChoosing] = useState(false);
  const [chosen, setChosen] = useState<ChosenDrill | undefined>();
  return (
    <Page
      title="Exit drills"
      actions={
        isChoosing ? null : (
          <ChangeButton kind="primary" onPress={() => setChoosing(true)}>
            Try an exit
          </ChangeButton>
        )
      }
    >
      {isChoosing ? <DrillForm onChosen={setChosen} onClose={() => setChoosing(false)} /> : null}
      {chosen ? (
        <StartDialog
          chosen={chosen}
          onScheduled={() => {
            setChosen(undefined);
            setChoosing(false);
          }}
          onClose={() => setChosen(undefined)}
        />
      ) : null}
      <Card title="Drills">
        <Loaded query={drills} what="the drills">
          {(list) =>
            list.total === 0 ? (
              <Empty>
                <p>
                  No exit was tried yet. A drill copies a sample of your files to another store,
                  reads it back there, removes it, and certifies what it has proven.
                </p>
              </Empty>
            ) : (
              <>
                <DataTable
                  caption="Exit drills, the newest first"
                  rows={list.items}
                  rowKey={({ drillId }) => drillId}
                  columns={COLUMNS}
                />
                <Paging what="drills" list={list} location={location} />
              </>
            )
          }
        </Loaded>
      </Card>
      <Schedule />
    </Page>
  );
}

function DrillLink({ drill: { drillId, from, to } }: { readonly drill: Drill }) {
  const providerTitle = useProviderTitle();
  return (
    <span className="prose">
      <Link href={`/drills/${drillId}`}>{from.bucketName}</Link>
      <span className="quiet small">
        {providerTitle(from.provider)} to {to.bucketName} ({providerTitle(to.provider)})
      </span>
    </span>
  );
}
