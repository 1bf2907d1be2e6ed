import {
  formatBytes,
  formatNumber,
  type ReportedObject,
  type ReportLine,
} from '@storage-routing/client';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { failureAdvice } from '../../format/migrations.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Facts, type Fact } from '../../parts/facts.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TextInput } from '../../parts/text-input.tsx';
import { Time } from '../../parts/time.tsx';
import { useReportRun } from './use-report-run.ts';

interface Checked {
  readonly key: string;
  readonly line: ReportedObject | null;
}

/** What became of any one object: the report is read until its line is found. */
export function ObjectCheck({ migrationId }: { readonly migrationId: string }) {
  const [key, setKey] = useState('');
  const { run, start, stop } = useReportRun<Checked, ReportLine>((api, options) =>
    api.migrations.report(migrationId, options),
  );
  const look = () => start(async (lines) => ({ key, line: await findLine(lines, key) }));
  return (
    <>
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          look();
        }}
      >
        <TextInput
          label="Key of an object"
          hint="As it is at the source, such as logs/2026/11/a.gz."
          value={key}
          onChange={setKey}
          isRequired
        />
        <div className="actions">
          <ActionButton type="submit" isBusy={run.state === 'running'}>
            Check this object
          </ActionButton>
          {run.state === 'running' ? (
            <ActionButton label="Stop looking" onPress={stop}>
              Stop
            </ActionButton>
          ) : null}
          <span role="status">
            {run.state === 'running' ? `${formatNumber(run.lines)} lines looked through` : ''}
            {run.state === 'stopped' ? 'Stopped' : ''}
          </span>
        </div>
      </Form>
      {run.state === 'failed' ? <ErrorBox error={run.error} onRetry={look} /> : null}
      <div role="status">
        {run.state === 'done' ? <Outcome checked={run.result} lines={run.lines} /> : null}
      </div>
    </>
  );
}

async function findLine(
  lines: AsyncIterable<ReportLine>,
  key: string,
): Promise<ReportedObject | null> {
  for await (const line of lines) if ('key' in line && line.key === key) return line;
  return null;
}

interface OutcomeProps {
  readonly checked: Checked;
  readonly lines: number;
}

function Outcome({ checked: { key, line }, lines }: OutcomeProps) {
  if (!line)
    return (
      <div className="notice">
        <p>
          None of the {formatNumber(lines)} lines is about <code>{key}</code>. The migration did not
          take it, or has not come to it yet.
        </p>
      </div>
    );
  const facts: readonly Fact[] = [
    ['Key', line.key],
    ['Key at the target', line.targetKey],
    ['Size', formatBytes(line.bytes)],
    ['SHA-256 of the copied bytes', line.sha256],
    ['ETag at the source', line.sourceEtag],
    ['ETag at the target', line.targetEtag],
    ['Attempts', formatNumber(line.attempts)],
  ];
  return (
    <div className="checked">
      <p>
        <StatusBadge status={line.outcome} /> <Time iso={line.at} />
        {line.replaced ? ', in the place of an object of an earlier migration' : ''}
      </p>
      {line.code === undefined ? null : <p>{failureAdvice(line.code).join('. ')}</p>}
      <Facts facts={facts} />
    </div>
  );
}
