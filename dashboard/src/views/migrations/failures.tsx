import { formatNumber, type Migration } from '@storage-routing/client';
import { failureAdvice } from '../../format/migrations.ts';
import { Card } from '../../parts/card.tsx';
import { numberColumn, textColumn } from '../../parts/columns.tsx';
import { DataTable } from '../../parts/data-table.tsx';

type Failure = Migration['failures'][number];

/** What failed, by its code, each with what to do. */
export function Failures({ migration }: { readonly migration: Migration }) {
  const { failures, progress } = migration;
  const codes = [...new Set(failures.map(({ code }) => code))];
  return (
    <Card title="Objects that failed">
      {failures.length < progress.objectsFailed ? (
        <p>
          {formatNumber(failures.length)} of {formatNumber(progress.objectsFailed)} are listed; the
          report below has all of them.
        </p>
      ) : null}
      {codes.map((code) => (
        <FailureGroup
          key={code}
          code={code}
          failures={failures.filter((each) => each.code === code)}
        />
      ))}
    </Card>
  );
}

interface FailureGroupProps {
  readonly code: string;
  readonly failures: readonly Failure[];
}

function FailureGroup({ code, failures }: FailureGroupProps) {
  const [title, advice] = failureAdvice(code);
  return (
    <section className="failure-group">
      <h3>
        {title} <code>{code}</code>
      </h3>
      <p>{advice}</p>
      <DataTable
        caption={`${title}: ${formatNumber(failures.length)} listed`}
        rows={failures}
        rowKey={({ key }) => key}
        columns={[
          { title: 'Key', cell: ({ key }) => <ShortKey value={key} /> },
          textColumn('Reason', 'reason'),
          numberColumn('Attempts', 'attempts', formatNumber),
        ]}
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
