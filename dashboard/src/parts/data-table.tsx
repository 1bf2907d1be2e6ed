import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly title: string;
  /** Numbers are aligned at their end. */
  readonly isNumber?: boolean;
  cell(row: Row): ReactNode;
}

interface DataTableProps<Row> {
  readonly caption: string;
  readonly rows: readonly Row[];
  /** The first one heads its row. */
  readonly columns: readonly Column<Row>[];
  rowKey(row: Row): string;
}

/** Wider tables show a row as a list if the page is narrow. */
const MOST_NARROW_COLUMNS = 3;

/**
 * A table. On a narrow page a table of few columns scrolls inside itself; of a wider table, each row becomes a list. The
 * roles tell a screen reader that it is still a table.
 */
export function DataTable<Row>({ caption, rows, columns, rowKey }: DataTableProps<Row>) {
  const [head, ...rest] = columns;
  return (
    // The region takes the focus, so that it can be scrolled with the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-scroll" role="region" aria-label={caption} tabIndex={0}>
      <table role="table" className={columns.length > MOST_NARROW_COLUMNS ? 'stacks' : undefined}>
        <caption>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, isNumber = false }) => (
              <th
                key={title}
                role="columnheader"
                scope="col"
                className={isNumber ? 'number' : undefined}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row">
              <th role="rowheader" scope="row">
                {head?.cell(row)}
              </th>
              {rest.map(({ title, isNumber = false, cell }) => (
                <td
                  key={title}
                  role="cell"
                  className={isNumber ? 'number' : undefined}
                  data-title={title}
                >
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
