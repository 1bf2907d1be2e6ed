import {
  formatCount,
  formatMoney,
  type Migration as MigrationState,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'wouter';
import { isMigrationRunning, useMigrationQueries } from '../../data/migrations.ts';
import { notCarriedAdvice, statusMeaning, stopAdvice } from '../../format/migrations.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Stop } from '../../parts/stop.tsx';
import { Time } from '../../parts/time.tsx';
import { Approval } from './approval.tsx';
import { Checklist } from './checklist.tsx';
import { CancelDialog } from './cancel-dialog.tsx';
import { Failures } from './failures.tsx';
import { MigrationProgress } from './migration-progress.tsx';
import { Report } from './report.tsx';
import { Rounds } from './rounds.tsx';

/** One migration, live while it runs. */
export function Migration() {
  const { migrationId = '' } = useParams();
  const migration = useQuery(useMigrationQueries().migration(migrationId));
  return (
    <Page title="Migration">
      <Loaded query={migration} what="the migration">
        {(state) => <Detail migration={state} />}
      </Loaded>
    </Page>
  );
}

interface DetailProps {
  readonly migration: MigrationState;
}

function Detail({ migration }: DetailProps) {
  const { progress } = migration;
  return (
    <>
      <Status migration={migration} />
      <MigrationProgress migration={migration} />
      {isMigrationRunning(migration) ? null : <Checklist migration={migration} />}
      {progress.objectsFailed > 0 ? <Failures migration={migration} /> : null}
      {migration.round > 1 ? <Rounds migration={migration} /> : null}
      <div className="columns">
        <Realised migration={migration} />
        <NotCarried migration={migration} />
      </div>
      <Report migration={migration} />
      <Approval migration={migration} />
    </>
  );
}

function Status({ migration }: DetailProps) {
  const { status, source, error } = migration;
  const [isCancelling, setCancelling] = useState(false);
  const canCancel = isMigrationRunning(migration) && status !== 'cancelling';
  return (
    <Card title={source.bucket} aside={<StatusBadge status={status} />}>
      <p role="status">{statusMeaning(status)}</p>
      {error ? <Stop error={error} advice={stopAdvice(error.code)} /> : null}
      {canCancel ? (
        <div className="actions">
          <ChangeButton kind="danger" onPress={() => setCancelling(true)}>
            Cancel the migration
          </ChangeButton>
        </div>
      ) : null}
      {/* If it ends meanwhile, a cancel has no effect, and the dialog closes. */}
      {canCancel && isCancelling ? (
        <CancelDialog migration={migration} onClose={() => setCancelling(false)} />
      ) : null}
    </Card>
  );
}

function Realised({ migration }: DetailProps) {
  const { realised } = migration;
  return (
    <Card title="What a bill should show">
      {realised === null ? (
        <p>
          {isMigrationRunning(migration)
            ? 'Nothing changes on the bill until the objects at the source are deleted; the next audit sees whether they are.'
            : 'The next audit of the account sees whether the source is released.'}
        </p>
      ) : (
        <p>
          {realised.state === 'released'
            ? `Released: the source holds none of the objects, in any version. Your bill should show ${formatMoney(realised.monthlyUsd)} a month less.`
            : `Not released yet: the source still holds objects under the copied keys. Check the report, then delete them there, with their old versions; then your bill should show ${formatMoney(realised.monthlyUsd)} a month less.`}{' '}
          As of <Time iso={realised.asOf} />.
        </p>
      )}
    </Card>
  );
}

function NotCarried({ migration: { notCarried, progress } }: DetailProps) {
  const counted = notCarried.filter(({ objects }) => objects > 0);
  return (
    <Card title="What was not carried over">
      {counted.length === 0 ? (
        <p>
          {progress.objectsCopied > 0
            ? 'Every copied object has all that its source had, but for access lists, which are never copied.'
            : 'Nothing is copied yet.'}
        </p>
      ) : (
        <ul className="sentences">
          {counted.map(({ what, objects }) => (
            <li key={what}>
              {notCarriedAdvice(what)[0]} of {formatCount(objects, 'object')}.{' '}
              {notCarriedAdvice(what)[1]}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
