import { formatCount, formatMoney, type Migration, type Release } from '@storage-routing/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { KEYS } from '../../data/keys.ts';
import { useChange } from '../../data/query.ts';
import { isMigrationRunning, useMigrationQueries } from '../../data/migrations.ts';
import { formatDifference, nextStep, type NextStep } from '../../format/releases.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { Snippet } from '../../parts/copy-button.tsx';
import { asCode, textColumn } from '../../parts/columns.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { RoundDialog } from './round-dialog.tsx';

interface MigrationProps {
  readonly migration: Migration;
}

/** What is left to do until the source is deleted, with the next step as its only button. */
export function Checklist({ migration }: MigrationProps) {
  const release = useQuery(useMigrationQueries().release(migration));
  return (
    <Card title="Until the source is deleted">
      <Loaded query={release} what="the check of the source">
        {(checked) => <Steps migration={migration} release={checked} />}
      </Loaded>
    </Card>
  );
}

interface StepsProps extends MigrationProps {
  /** Null: the source was never checked. */
  readonly release: Release | null;
}

function Steps({ migration, release }: StepsProps) {
  const next = nextStep(migration, release);
  const { round, realised } = migration;
  const isReleased = realised?.state === 'released';
  const isReady = release?.status === 'ready';
  const steps: readonly [title: string, isDone: boolean, text: ReactNode][] = [
    ['Copied', !isMigrationRunning(migration), <Copied key="copied" migration={migration} />],
    [
      'Rounds',
      isReady || isReleased,
      round === 1
        ? 'A round copies what was written since, and what failed. There was none yet.'
        : `${formatCount(round - 1, 'round')} after the first copy. Another one copies what was written since.`,
    ],
    [
      'Switched over',
      isReleased,
      'Your step: point readers and writers to the target. The service cannot see it.',
    ],
    ['Checked', isReady || isReleased, <Checked key="checked" release={release} />],
    [
      'Released',
      isReleased,
      isReleased
        ? `The source holds none of the objects. Your bill should show ${formatMoney(realised.monthlyUsd)} a month less.`
        : 'Once the proven objects are deleted at the source, the next audit sees it.',
    ],
  ];
  return (
    <>
      <ol className="checklist">
        {steps.map(([title, isDone, text]) => (
          <li key={title} className={isDone ? 'checklist-done' : ''}>
            <strong>{isDone ? `${title}, done.` : `${title}.`}</strong> {text}
          </li>
        ))}
      </ol>
      <Next migration={migration} release={release} next={next} />
    </>
  );
}

function Copied({ migration: { progress, status } }: MigrationProps) {
  const { objectsFailed } = progress;
  if (status === 'completed') return 'All of it.';
  return objectsFailed > 0
    ? `All but ${formatCount(objectsFailed, 'object')} that failed in the latest round.`
    : 'In part.';
}

function Checked({ release }: Pick<StepsProps, 'release'>) {
  if (!release) return 'Both sides are listed and compared before anything may be deleted.';
  const { status, objects, differences, validUntil } = release;
  switch (status) {
    case 'checking':
      return `Comparing: ${formatCount(objects, 'object')} proven so far.`;
    case 'failed':
      return `The check failed: ${release.error?.message ?? ''}`;
    case 'not_ready':
      if (release.error) return release.error.message;
      return differences.total === 0
        ? 'The last check is out of date.'
        : `${formatCount(differences.total, 'object')} must not be deleted yet.`;
    case 'ready':
      return (
        <>
          {formatCount(objects, 'object')} are proven to be at the target.{' '}
          {validUntil === null ? null : (
            <>
              Valid until <Time iso={validUntil} />.
            </>
          )}
        </>
      );
  }
}

function Next({ migration, release, next }: StepsProps & { readonly next: NextStep }) {
  switch (next) {
    case 'wait':
    case 'none':
      return null;
    case 'check':
      return <CheckButton migration={migration} />;
    case 'round':
      return <NextRound migration={migration} release={release} />;
    case 'delete':
      return release?.howTo ? (
        <>
          <p>{release.howTo.summary}</p>
          <Snippet text={release.howTo.commands.join('\n')} label="Copy the commands" />
        </>
      ) : null;
  }
}

function CheckButton({ migration: { migrationId } }: MigrationProps) {
  const client = useQueryClient();
  const check = useChange((api) => api.migrations.beginRelease(migrationId), {
    onSuccess: ({ release }) => client.setQueryData([...KEYS.release, migrationId], release),
  });
  return (
    <>
      <p>The check lists both sides, which costs a listing of each. It changes nothing.</p>
      <div className="actions">
        <ChangeButton kind="primary" isBusy={check.isPending} onPress={() => check.mutate()}>
          Check the source
        </ChangeButton>
      </div>
      {check.error ? <ErrorBox error={check.error} /> : null}
    </>
  );
}

function NextRound({ migration, release }: StepsProps) {
  const [isAsking, setAsking] = useState(false);
  const differences = release?.differences.items ?? [];
  return (
    <>
      {differences.length === 0 ? null : (
        <DataTable
          caption={`${formatCount(release?.differences.total ?? 0, 'difference')}; the first are listed`}
          rows={differences}
          rowKey={({ key }) => key}
          columns={[
            textColumn('Key', 'key', asCode),
            { title: 'Why', cell: ({ code }) => formatDifference(code) },
          ]}
        />
      )}
      <div className="actions">
        <ChangeButton kind="primary" onPress={() => setAsking(true)}>
          Start a round
        </ChangeButton>
      </div>
      {isAsking ? (
        <RoundDialog migration={migration} release={release} onClose={() => setAsking(false)} />
      ) : null}
    </>
  );
}
