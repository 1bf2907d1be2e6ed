import { formatNumber } from '@storage-routing/client';
import { useState } from 'react';
import { ActionButton } from '../../parts/action-button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { canStreamToDisk, chooseReportFile, writeReport } from './report-file.ts';
import { useReportRun, type OpenReport, type ReportRun } from './use-report-run.ts';

/** About 150 MB. */
const MOST_LINES_IN_MEMORY = 500_000;

interface ReportDownloadProps<Line> {
  readonly fileName: string;
  /** About so many are expected. */
  readonly lines: number;
  /** Reads it without a browser. */
  readonly command: string;
  readonly open: OpenReport<Line>;
  /** Whether it sums up what has ended. */
  readonly isEnd: (line: Line) => boolean;
}

/** Saves a report as a file, while it arrives where the browser can. */
export function ReportDownload<Line>(props: ReportDownloadProps<Line>) {
  const { fileName, lines: expected, command, open, isEnd } = props;
  const { run, start, stop } = useReportRun<boolean, Line>(open);
  const [problem, setProblem] = useState<unknown>();
  const [isWarned, setWarned] = useState(false);
  const download = async () => {
    setProblem(undefined);
    setWarned(false);
    const file = await chooseReportFile(fileName);
    if (file) start(async (lines) => await writeReport(file, lines, isEnd));
  };
  const begin = () => void download().catch(setProblem);
  const needsWarning = !canStreamToDisk() && expected > MOST_LINES_IN_MEMORY;
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
            {formatNumber(expected)} lines. Use a browser that can (Chrome, Edge), or{' '}
            <code>{command}</code>.
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
        : `${formatNumber(run.lines)} lines so far: it has not ended`;
    case 'stopped':
      return 'Stopped: nothing was kept';
    case 'idle':
    case 'failed':
      return '';
  }
}
