import {
  describeWhole,
  formatBytes,
  formatCount,
  type Drill as DrillState,
} from '@storage-routing/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { Link, useParams } from 'wouter';
import { isDrillRunning, useDrillQueries } from '../../data/drills.ts';
import { KEYS } from '../../data/keys.ts';
import { usePlaceTitle } from '../../data/providers.ts';
import { useChange } from '../../data/query.ts';
import { drillFailureAdvice, drillMeaning, drillStopAdvice } from '../../format/drills.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { textColumn } from '../../parts/columns.tsx';
import { download } from '../../parts/download.ts';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FailureGroups, ShortKey } from '../../parts/failure-groups.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { RunStatus } from '../../parts/run-status.tsx';
import { Time } from '../../parts/time.tsx';
import { DrillProgress } from './drill-progress.tsx';

/** One drill, live while it runs; then what it has proven. */
export function Drill() {
  const { drillId = '' } = useParams();
  const drill = useQuery(useDrillQueries().drill(drillId));
  return (
    <Page title="Exit drill" actions={<Link href="/drills">All drills</Link>}>
      <Loaded query={drill} what="the drill">
        {(state) => (
          <>
            <Status drill={state} />
            <DrillProgress drill={state} />
            {state.results.failed > 0 ? <Failed drill={state} /> : null}
            {isDrillRunning(state) ? null : <Result drill={state} />}
            <Started drill={state} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface DrillProps {
  readonly drill: DrillState;
}

function Status({ drill }: DrillProps) {
  const { drillId, status, from, error, results } = drill;
  const client = useQueryClient();
  const cancel = useChange((api) => api.drills.cancel(drillId), {
    onSuccess: (state) => client.setQueryData([...KEYS.drill, drillId], state),
  });
  return (
    <RunStatus
      what="drill"
      bucketName={from.bucketName}
      status={status}
      meaning={drillMeaning(drill, results.equal)}
      error={error}
      adviceOf={drillStopAdvice}
      isRunning={isDrillRunning(drill) && status !== 'removing'}
      cancel={cancel}
      stopping="Stopping: no further file is copied."
      stopLabel="Stop the drill"
      keepLabel="Keep going"
    >
      <p>
        It goes no further, and what it has written at the target is deleted. What it has read so
        far is paid for. Its certificate says how far it came.
      </p>
    </RunStatus>
  );
}

/** What it means for all files, what is left at the target, and the proof. */
function Result({ drill }: DrillProps) {
  const { whole, removed, left, to, notTried } = drill;
  return (
    <>
      <Card title="What it means for the whole">
        <p>
          {whole.files === 0
            ? 'It stopped before all was counted.'
            : `All ${describeWhole(whole)}.`}
        </p>
        {removed ? (
          <p>Nothing of the drill is left in the bucket {to.bucketName}.</p>
        ) : (
          <div className="notice notice-bad">
            <p className="notice-title">The bucket {to.bucketName} has kept objects of the drill</p>
            <p>Delete them yourself.</p>
            <ul>
              {left.map((key) => (
                <li key={key}>
                  <code>{key}</code>
                </li>
              ))}
            </ul>
          </div>
        )}
      </Card>
      <Certificate drill={drill} />
      <Card title="What was not tried">
        <ul className="sentences">
          {notTried.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </Card>
    </>
  );
}

const FILES = [
  { ending: 'html', title: 'HTML', type: 'text/html' },
  { ending: 'json', title: 'JSON', type: 'application/json' },
] as const;

function Certificate({ drill }: DrillProps) {
  const { drillId, results, certificateSha256 } = drill;
  const save = useChange(async (api, { ending, type }: (typeof FILES)[number]) => {
    const text =
      ending === 'json'
        ? JSON.stringify(await api.drills.certificate(drillId))
        : await api.drills.certificatePage(drillId);
    download(`drill-${drillId}.${ending}`, new Blob([text], { type }));
  });
  return (
    <Card title="The certificate">
      <p>
        What was sampled and how, what was read back equal, what failed, and what was not tried. The
        SHA-256 is that of the JSON, and it is in the log of activity.
      </p>
      <Facts
        facts={[
          ['SHA-256', certificateSha256 && <code>{certificateSha256}</code>, true],
          ['Root hash of the objects', results.rootHash && <code>{results.rootHash}</code>, true],
        ]}
      />
      <div className="actions">
        {FILES.map((file) => (
          <ActionButton
            key={file.ending}
            isBusy={save.isPending}
            label={`Download the certificate as ${file.title}`}
            onPress={() => save.mutate(file)}
          >
            <Download aria-hidden size={16} /> {file.title}
          </ActionButton>
        ))}
      </div>
      {save.error ? <ErrorBox error={save.error} /> : null}
    </Card>
  );
}

function Failed({ drill: { results } }: DrillProps) {
  return (
    <FailureGroups
      title="Files that failed"
      failures={results.failures}
      total={results.failed}
      allIn="the certificate counts all of them by their codes"
      adviceOf={drillFailureAdvice}
      rowKey={({ key }) => key}
      columns={[
        { title: 'Key', cell: ({ key }) => <ShortKey value={key} /> },
        textColumn('Reason', 'reason'),
      ]}
    />
  );
}

/** What was started, by whom and when. */
function Started({ drill }: DrillProps) {
  const { from, to, sample, seed, startedBy, startedByName, startedAt, completedAt } = drill;
  const placeTitle = usePlaceTitle();
  const { files, bytes } = sample;
  return (
    <Card title="What was started">
      <Facts
        facts={[
          ['From', placeTitle(from)],
          ['To', placeTitle(to)],
          ['Sample', files === 0 ? null : `${formatCount(files, 'file')}, ${formatBytes(bytes)}`],
          ['Started by', <span title={startedBy}>{startedByName}</span>],
          ['Started', <Time iso={startedAt} />],
          ['Ended', completedAt === null ? null : <Time iso={completedAt} />],
          ['Seed of the sample', <code>{seed}</code>, true],
        ]}
      />
    </Card>
  );
}
