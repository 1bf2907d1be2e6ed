import { formatNumber, type Drill } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isDrillRunning, useDrillQueries } from '../../data/drills.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Page } from '../../parts/page.tsx';
import { RunList } from '../../parts/run-list.tsx';
import { Badge } from '../../parts/status-badge.tsx';
import { useListLocation } from '../../parts/use-list-location.ts';
import { DrillForm, type ChosenDrill } from './drill-form.tsx';
import { progressProps } from './drill-progress.tsx';
import { Schedule } from './schedule.tsx';
import { StartDialog } from './start-dialog.tsx';

const EQUAL: Column<Drill> = {
  title: 'Equal',
  isNumber: true,
  cell: ({ results: { equal, failed }, sample }) => (
    <>
      {formatNumber(equal)} of {formatNumber(sample.files)}{' '}
      {failed > 0 ? <Badge tone="bad">{`${formatNumber(failed)} failed`}</Badge> : null}
    </>
  ),
};

/** Trial moves of samples, the start of one, and their schedule. */
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
      <RunList
        title="Drills"
        what="drills"
        caption="Exit drills, the newest first"
        query={drills}
        location={location}
        hrefOf={({ drillId }) => `/drills/${drillId}`}
        isRunning={isDrillRunning}
        progressOf={progressProps}
        outcome={EQUAL}
      >
        <p>
          No exit was tried yet. A drill copies a sample of your files to another store, reads it
          back there, removes it, and certifies what it has proven.
        </p>
      </RunList>
      <Schedule />
    </Page>
  );
}
