import type { ProviderTest } from '@storage-routing/client';
import { formatMilliseconds } from '../../format/values.ts';
import { wordsFromCode } from '../../format/words.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Badge } from '../../parts/status-badge.tsx';

interface TestResultProps {
  readonly result: ProviderTest;
  /** Of the page that uploads. Undefined: uploads from it were not checked. */
  readonly origin: string | undefined;
}

const CHECK_TITLES: Readonly<Record<string, string>> = {
  write: 'Write an object',
  head: 'Read its metadata',
  read: 'Read it',
  delete: 'Delete it',
  cors: 'Upload from this page',
};

/** Each operation with its time, and what to paste if the browser may not upload. */
export function TestResult({ result: { checks }, origin }: TestResultProps) {
  const rule = checks.find(({ corsRule }) => corsRule !== undefined)?.corsRule;
  return (
    <div role="status">
      <DataTable
        caption="Result of the test"
        rows={checks}
        rowKey={({ name }) => name}
        columns={[
          { title: 'Check', cell: ({ name }) => CHECK_TITLES[name] ?? wordsFromCode(name) },
          {
            title: 'Result',
            cell: ({ ok, error }) =>
              ok ? (
                <Badge tone="good">OK</Badge>
              ) : (
                <>
                  <Badge tone="bad">Failed</Badge> {error?.message}
                </>
              ),
          },
          { title: 'Time', isNumber: true, cell: ({ latencyMs }) => formatMilliseconds(latencyMs) },
        ]}
      />
      {rule && origin !== undefined ? (
        <CorsRule rule={JSON.stringify(rule, null, 2)} origin={origin} />
      ) : null}
      {origin === undefined ? (
        <p>Uploads from this page were not checked: open it over https, or at http://localhost.</p>
      ) : null}
    </div>
  );
}

function CorsRule({ rule, origin }: { readonly rule: string; readonly origin: string }) {
  return (
    <div className="notice">
      <p>
        To upload from pages at <code>{origin}</code>, add this rule to the CORS rules of the
        bucket:
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled with the keyboard */}
      <pre tabIndex={0}>{rule}</pre>
      <CopyButton text={rule} label="Copy the rule" />
    </div>
  );
}
