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
  keyOf(row: Row): string;
}

/** A table that scrolls inside itself where the page is narrow. */
export function DataTable<Row>({ caption, rows, columns, keyOf }: DataTableProps<Row>) {
  const [head, ...rest] = columns;
  return (
    // The region takes the focus, so that it can be scrolled with the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-scroll" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber = false }) => (
              <th key={title} scope="col" className={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{head?.cell(row)}</th>
              {rest.map(({ title, isNumber = false, cell }) => (
                <td key={title} className={isNumber ? 'number' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
