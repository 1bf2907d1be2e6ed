import { formatNumber } from '@storage-routing/client';
import type { Advice } from '../format/error-messages.ts';
import { Card } from './card.tsx';
import { DataTable, type Column } from './data-table.tsx';

interface Failure {
  readonly code: string;
}

interface FailureGroupsProps<Row extends Failure> {
  readonly title: string;
  /** The first of them. */
  readonly failures: readonly Row[];
  readonly total: number;
  /** What has all of them. */
  readonly allIn: string;
  readonly adviceOf: (code: string) => Advice;
  readonly columns: readonly Column<NoInfer<Row>>[];
  readonly rowKey: (row: Row) => string;
}

/** What failed, by its code, each with what to do. */
export function FailureGroups<Row extends Failure>(props: FailureGroupsProps<Row>) {
  const { title, failures, total, allIn } = props;
  const codes = [...new Set(failures.map(({ code }) => code))];
  return (
    <Card title={title}>
      {failures.length < total ? (
        <p>
          {formatNumber(failures.length)} of {formatNumber(total)} are listed; {allIn}.
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
export function ShortKey({ value }: { readonly value: string }) {
  if (value.length <= LONGEST_SHOWN) return <code>{value}</code>;
  const start = value.slice(0, LONGEST_SHOWN - SHOWN_END);
  return (
    <code title={value}>
      {start}…{value.slice(-SHOWN_END)}
    </code>
  );
}
