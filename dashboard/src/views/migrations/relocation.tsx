import type { Relocation as RelocationState } from '@storage-routing/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from 'wouter';
import { KEYS } from '../../data/keys.ts';
import { usePlaceTitle, useProviderTitle } from '../../data/providers.ts';
import { useChange } from '../../data/query.ts';
import { isRelocationRunning, useRelocationQueries } from '../../data/relocations.ts';
import { relocationMeaning, relocationStopAdvice } from '../../format/migrations.ts';
import { Card } from '../../parts/card.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { QuoteTable } from '../../parts/quote-table.tsx';
import { RunStatus } from '../../parts/run-status.tsx';
import { Time } from '../../parts/time.tsx';
import { FailedFiles } from './failures.tsx';
import { RelocationProgress } from './relocation-progress.tsx';
import { ReportDownload } from './report-download.tsx';

/** One relocation, live while it runs. */
export function Relocation() {
  const { relocationId = '' } = useParams();
  const relocation = useQuery(useRelocationQueries().relocation(relocationId));
  return (
    <Page title="Relocation" actions={<Link href="/migrations">All relocations</Link>}>
      <Loaded query={relocation} what="the relocation">
        {(state) => (
          <>
            <Status relocation={state} />
            <RelocationProgress relocation={state} />
            {state.progress.filesFailed > 0 ? <FailedFiles relocation={state} /> : null}
            <Report relocation={state} />
            <Started relocation={state} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface RelocationProps {
  readonly relocation: RelocationState;
}

function Status({ relocation }: RelocationProps) {
  const { relocationId, status, from, error } = relocation;
  const client = useQueryClient();
  const cancel = useChange((api) => api.relocations.cancel(relocationId), {
    onSuccess: (state) => client.setQueryData([...KEYS.relocation, relocationId], state),
  });
  return (
    <RunStatus
      what="relocation"
      bucketName={from.bucketName}
      status={status}
      meaning={relocationMeaning(status)}
      error={error}
      adviceOf={relocationStopAdvice}
      isRunning={isRelocationRunning(relocation)}
      cancel={cancel}
      stopping="Stopping: no further file is moved."
      stopLabel="Stop moving"
      keepLabel="Keep moving"
    >
      <p>
        No further file is moved, and copies in flight are removed; what they have read so far is
        paid for in vain. Files that are moved stay at the new place, and their old objects are
        deleted once no URL to them works. Every link goes on working.
      </p>
    </RunStatus>
  );
}

function Report({ relocation }: RelocationProps) {
  const { relocationId, from, progress } = relocation;
  return (
    <Card title="The report">
      <p>
        One line for each file: its size, the checksum of the copied bytes, both places, the
        outcome, and when its old object was deleted.
      </p>
      <ReportDownload
        fileName={`relocation-${from.bucketName}-${relocationId}.ndjson`}
        lines={progress.filesTotal}
        command={`srs relocation report ${relocationId}`}
        open={(api, options) => api.relocations.report(relocationId, options)}
        isEnd={(line) => !('fileId' in line) && !isRelocationRunning(line)}
      />
    </Card>
  );
}

/** What was started, by whom and when, and what it was to cost. */
function Started({ relocation }: RelocationProps) {
  const { from, to, quote, startedBy, startedByName, startedAt, movedAt, completedAt } = relocation;
  const providerTitle = useProviderTitle();
  const placeTitle = usePlaceTitle();
  return (
    <Card title="What was started">
      <Facts
        facts={[
          ['From', placeTitle(from)],
          ['To', placeTitle(to)],
          ['Started by', <span title={startedBy}>{startedByName}</span>],
          ['Started', <Time iso={startedAt} />],
          ['Last file moved', movedAt === null ? null : <Time iso={movedAt} />],
          ['Ended', completedAt === null ? null : <Time iso={completedAt} />],
        ]}
      />
      <QuoteTable
        caption="The estimate, billed by the stores"
        quotes={[{ title: providerTitle(to.provider), quote }]}
      />
    </Card>
  );
}
