import { formatNumber, type Migration, type Relocation } from '@storage-routing/client';
import { Link } from 'wouter';
import type { Advice } from '../../format/error-messages.ts';
import { failureAdvice, relocationFailureAdvice } from '../../format/migrations.ts';
import { Card } from '../../parts/card.tsx';
import { numberColumn, textColumn } from '../../parts/columns.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';

/** What failed, by its code, each with what to do. */
export function Failures({ migration }: { readonly migration: Migration }) {
  return (
    <FailureGroups
      title="Objects that failed"
      failures={migration.failures}
      total={migration.progress.objectsFailed}
      adviceOf={failureAdvice}
      rowKey={({ key }) => key}
      columns={[
        { title: 'Key', cell: ({ key }) => <ShortKey value={key} /> },
        textColumn('Reason', 'reason'),
        numberColumn('Attempts', 'attempts', formatNumber),
      ]}
    />
  );
}

/** The same of a relocation. */
export function FailedFiles({ relocation }: { readonly relocation: Relocation }) {
  return (
    <FailureGroups
      title="Files that failed"
      failures={relocation.failures}
      total={relocation.progress.filesFailed}
      adviceOf={relocationFailureAdvice}
      rowKey={({ fileId }) => fileId}
      columns={[
        {
          title: 'File',
          cell: ({ fileId }) => (
            <Link href={`/usage/files/${fileId}`}>
              <code>{fileId}</code>
            </Link>
          ),
        },
        textColumn('Reason', 'reason'),
      ]}
    />
  );
}

interface Failure {
  readonly code: string;
}

interface FailureGroupsProps<Row extends Failure> {
  readonly title: string;
  /** The first of them. */
  readonly failures: readonly Row[];
  readonly total: number;
  readonly adviceOf: (code: string) => Advice;
  readonly columns: readonly Column<NoInfer<Row>>[];
  readonly rowKey: (row: Row) => string;
}

function FailureGroups<Row extends Failure>(props: FailureGroupsProps<Row>) {
  const { title, failures, total } = props;
  const codes = [...new Set(failures.map(({ code }) => code))];
  return (
    <Card title={title}>
      {failures.length < total ? (
        <p>
          {formatNumber(failures.length)} of {formatNumber(total)} are listed; the report below has
          all of them.
        </p>
      ) : null}
      {codes.map((code) => (
        <FailureGroup
          {...props}
          key={code}
          code={code}
          failures={failures.filter((each) => each.code === code)}
        />
      ))}
    </Card>
  );
}

function FailureGroup<Row extends Failure>({
  code,
  failures,
  adviceOf,
  columns,
  rowKey,
}: FailureGroupsProps<Row> & { readonly code: string }) {
  const [title, advice] = adviceOf(code);
  return (
    <section className="failure-group">
      <h3>
        {title} <code>{code}</code>
      </h3>
      <p>{advice}</p>
      <DataTable
        caption={`${title}: ${formatNumber(failures.length)} listed`}
        rows={failures}
        rowKey={rowKey}
        columns={columns}
      />
    </section>
  );
}

const LONGEST_SHOWN = 120;
const SHOWN_END = 40;

/** Omits the middle of a long key; the title has all of it. */
function ShortKey({ value }: { readonly value: string }) {
  if (value.length <= LONGEST_SHOWN) return <code>{value}</code>;
  const start = value.slice(0, LONGEST_SHOWN - SHOWN_END);
  return (
    <code title={value}>
      {start}…{value.slice(-SHOWN_END)}
    </code>
  );
}
