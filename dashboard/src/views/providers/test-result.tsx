import type { ProviderTest } from '@storage-routing/client';
import { formatMilliseconds } from '../../format/values.ts';
import { formatCode } from '../../format/code.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { numberColumn } from '../../parts/columns.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Badge } from '../../parts/status-badge.tsx';

interface TestResultProps {
  readonly result: ProviderTest;
  /** The origin of the page that uploads. Undefined: not checked. */
  readonly origin: string | undefined;
}

const CHECK_TITLES: Readonly<Record<string, string>> = {
  write: 'Write an object',
  head: 'Read its metadata',
  read: 'Read it',
  delete: 'Delete it',
  missing_object: 'Report it as missing',
  cors: 'Upload from this page',
};

/** What some stores lack: the service works without it, in another way. */
const CAPABILITY_TITLES: Readonly<Record<string, string>> = {
  conditional_put: 'Refuses to overwrite an object on demand',
  conditional_delete: 'Refuses to delete an object that has changed',
  content_md5: 'Refuses bytes that differ from their checksum',
  list_order: 'Lists keys in the order of their bytes',
  conditional_overwrite: 'Refuses to overwrite an object that has changed',
  conditional_complete: 'Refuses to complete an upload in parts over an object',
  key_and_folder: 'Holds a key beside keys below it',
  object_lock: 'Demands a digest with each upload (Object Lock)',
};

/** Each operation with its time, and what to paste if the browser may not upload. */
export function TestResult({ result: { checks }, origin }: TestResultProps) {
  const operations = checks.filter(({ supported }) => supported === undefined);
  const capabilities = checks.filter(({ supported }) => supported !== undefined);
  const rule = checks.find(({ corsRule }) => corsRule !== undefined)?.corsRule;
  return (
    <div role="status">
      <DataTable
        caption="Result of the test"
        rows={operations}
        rowKey={({ name }) => name}
        columns={[
          { title: 'Check', cell: ({ name }) => CHECK_TITLES[name] ?? formatCode(name) },
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
          numberColumn('Time', 'latencyMs', formatMilliseconds),
        ]}
      />
      <Capabilities checks={capabilities} />
      {rule && origin !== undefined ? (
        <CorsRule rule={JSON.stringify(rule, null, 2)} origin={origin} />
      ) : null}
      {origin === undefined ? (
        <p>Uploads from this page were not checked: open it over https, or at http://localhost.</p>
      ) : null}
    </div>
  );
}

/** Facts about the store; a capability that is not there is no failure of the test. */
function Capabilities({ checks }: { readonly checks: ProviderTest['checks'] }) {
  if (checks.length === 0) return null;
  return (
    <div className="capabilities">
      <h3>What this store can do</h3>
      <Facts
        facts={checks.map(({ name, ok, supported, error }) => [
          CAPABILITY_TITLES[name] ?? formatCode(name),
          ok ? (supported === true ? 'Yes' : 'No') : `Not measured: ${error?.message ?? name}`,
        ])}
      />
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
