import { formatNumber, type Migration } from '@storage-routing/client';
import { useState } from 'react';
import { ActionButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { canStreamToDisk, chooseReportFile, writeReport } from './report-file.ts';
import { ObjectCheck } from './object-check.tsx';
import { useReportRun, type ReportRun } from './use-report-run.ts';

/** About 150 MB of lines. */
const MOST_OBJECTS_IN_MEMORY = 500_000;

/** The evidence of the move: all of it as a file, or the line of one object. */
export function Report({ migration }: { readonly migration: Migration }) {
  return (
    <Card title="The report">
      <p>
        One line for each object: its key at the source and at the target, its size, the checksum of
        the copied bytes, and the outcome.
      </p>
      <Download migration={migration} />
      <ObjectCheck migrationId={migration.migrationId} />
    </Card>
  );
}

function Download({ migration }: { readonly migration: Migration }) {
  const { migrationId, source, progress } = migration;
  const { run, start, stop } = useReportRun<boolean>(migrationId);
  const [problem, setProblem] = useState<unknown>();
  const [isWarned, setWarned] = useState(false);
  const objects = progress.objectsCopied + progress.objectsSkipped + progress.objectsFailed;
  const download = async () => {
    setProblem(undefined);
    setWarned(false);
    const file = await chooseReportFile(`migration-${source.bucket}-${migrationId}.ndjson`);
    if (file) start(async (lines) => await writeReport(file, lines));
  };
  const begin = () => void download().catch(setProblem);
  const needsWarning = !canStreamToDisk() && objects > MOST_OBJECTS_IN_MEMORY;
  return (
    <>
      <div className="actions">
        <ActionButton
          isBusy={run.state === 'running'}
          onPress={needsWarning ? () => setWarned(true) : begin}
        >
          Download the report
        </ActionButton>
        {run.state === 'running' ? <ActionButton onPress={stop}>Stop</ActionButton> : null}
        <span role="status">{progressText(run)}</span>
      </div>
      {run.state === 'failed' ? <ErrorBox error={run.error} onRetry={begin} /> : null}
      {problem === undefined ? null : <ErrorBox error={problem} onRetry={begin} />}
      {isWarned ? (
        <ConfirmDialog
          title="Hold the whole report in memory?"
          confirmLabel="Download anyway"
          onConfirm={begin}
          onClose={() => setWarned(false)}
        >
          <p>
            This browser cannot write the report to a file while it arrives, and it has about{' '}
            {formatNumber(objects)} lines. Use a browser that can (Chrome, Edge), or{' '}
            <code>srs migration report {migrationId}</code>.
          </p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}

function progressText(run: ReportRun<boolean>): string {
  switch (run.state) {
    case 'running':
      return `${formatNumber(run.lines)} lines`;
    case 'done':
      return run.result
        ? `Complete: ${formatNumber(run.lines)} lines`
        : `${formatNumber(run.lines)} lines so far: the migration has not ended`;
    case 'stopped':
      return 'Stopped: nothing was kept';
    case 'idle':
    case 'failed':
      return '';
  }
}
