import type { CsvCell } from '@storage-routing/client';
import type { AriaAttributes, ReactNode } from 'react';

export interface Column<Row> {
  readonly title: string;
  /** Numbers are aligned at their end. */
  readonly isNumber?: boolean;
  /** Left out where the page is narrow: what the row leads to has it. */
  readonly isMinor?: boolean;
  /**
   * What the column is sorted, searched and exported by: the API's figure. Undefined: none of it.
   */
  value?(row: Row): CsvCell;
  cell(row: Row): ReactNode;
}

export interface DataTableProps<Row> {
  readonly caption: string;
  readonly rows: readonly Row[];
  /** The first one heads its row. */
  readonly columns: readonly Column<NoInfer<Row>>[];
  rowKey(row: Row): string;
}

interface Head {
  readonly content: ReactNode;
  readonly sorted: AriaAttributes['aria-sort'];
}

interface PlainTableProps<Row> extends DataTableProps<Row> {
  /** The head of a column. Default: its title. */
  head?(column: Column<Row>): Head;
}

/** Wider tables show a row as a list if the page is narrow. */
const MOST_NARROW_COLUMNS = 3;

/**
 * A table. On a narrow page a table of few columns scrolls inside itself; of a wider table, each
 * row becomes a list. The roles tell a screen reader that it is still a table.
 */
export function DataTable<Row>({ caption, rows, columns, rowKey, head }: PlainTableProps<Row>) {
  const [first, ...others] = columns;
  return (
    // The region takes the focus, so that it can be scrolled with the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-scroll" role="region" aria-label={caption} tabIndex={0}>
      <table role="table" className={columns.length > MOST_NARROW_COLUMNS ? 'stacks' : undefined}>
        <caption>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => {
              const { content, sorted } = head?.(column) ?? { content: column.title };
              return (
                <th
                  key={column.title}
                  role="columnheader"
                  scope="col"
                  className={classOf(column)}
                  aria-sort={sorted}
                >
                  {content}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row">
              <th role="rowheader" scope="row">
                {first?.cell(row)}
              </th>
              {others.map((column) => (
                <td
                  key={column.title}
                  role="cell"
                  className={classOf(column)}
                  data-title={column.title}
                >
                  <div>{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf<Row>({ isNumber = false, isMinor = false }: Column<Row>): string | undefined {
  return [isNumber && 'number', isMinor && 'minor'].filter(Boolean).join(' ') || undefined;
}
