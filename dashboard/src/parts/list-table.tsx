import { formatCsv, formatNumber, type CsvCell } from '@storage-routing/client';
import { ArrowDown, ArrowUp, ArrowUpDown, Download, Search } from 'lucide-react';
import { useState } from 'react';
import { ActionButton } from './action-button.tsx';
import { DataTable, type Column, type DataTableProps } from './data-table.tsx';
import { download } from './download.ts';

const SHOWN = 20;
/** Fewer rows are found by looking. */
const FEWEST_SEARCHED = 6;

interface ListTableProps<Row> extends DataTableProps<Row> {
  /** The name of the exported file, without its ending. */
  readonly fileName: string;
  /** All rows, if the table has only some of them. */
  readonly loadAll?: () => Promise<readonly Row[]>;
}

interface Sort {
  readonly title: string;
  readonly isDescending: boolean;
}

/**
 * A table to work with: sorted by any column, searched, exported as CSV. The first rows are shown
 * until all are asked for.
 */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const { caption, rows, columns, rowKey, fileName, loadAll } = props;
  const [sort, setSort] = useState<Sort | undefined>();
  const [search, setSearch] = useState('');
  const [isWhole, setWhole] = useState(false);
  const selected = sortRows(searchRows(rows, columns, search), columns, sort);
  const shown = isWhole ? selected : selected.slice(0, SHOWN);
  return (
    <div className="list-table">
      <div className="table-tools">
        {rows.length >= FEWEST_SEARCHED && !loadAll ? (
          <label className="search">
            <Search aria-hidden size={16} />
            <input
              type="search"
              aria-label={`Search: ${caption}`}
              placeholder="Search"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
          </label>
        ) : null}
        {rows.length > 0 ? (
          <ExportButton
            caption={caption}
            save={async () => saveCsv(fileName, columns, loadAll ? await loadAll() : selected)}
          />
        ) : null}
      </div>
      {selected.length === 0 && rows.length > 0 ? (
        <p role="status">No row has “{search}”.</p>
      ) : (
        <DataTable
          caption={caption}
          rows={shown}
          columns={columns}
          rowKey={rowKey}
          {...(!loadAll && {
            head: (column) => ({
              content: <SortButton column={column} sort={sort} onSort={setSort} />,
              sorted: sortOf(column, sort),
            }),
          })}
        />
      )}
      {selected.length > shown.length ? (
        <div className="actions">
          <ActionButton
            label={`Show all ${formatNumber(selected.length)}: ${caption}`}
            onPress={() => setWhole(true)}
          >
            {`Show all ${formatNumber(selected.length)}`}
          </ActionButton>
        </div>
      ) : null}
    </div>
  );
}

interface ExportButtonProps {
  readonly caption: string;
  readonly save: () => Promise<void>;
}

function ExportButton({ caption, save }: ExportButtonProps) {
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle');
  const begin = async () => {
    setState('busy');
    await save();
    setState('idle');
  };
  return (
    <span className="copy">
      <span role="status">{state === 'failed' ? 'The rows could not be loaded' : ''}</span>
      <ActionButton
        kind="quiet"
        isBusy={state === 'busy'}
        label={`Export as CSV: ${caption}`}
        onPress={() => void begin().catch(() => setState('failed'))}
      >
        <Download aria-hidden size={16} /> CSV
      </ActionButton>
    </span>
  );
}

interface SortButtonProps<Row> {
  readonly column: Column<Row>;
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort) => void;
}

/** Figures begin with the largest, text with the first letter. */
function SortButton<Row>({ column, sort, onSort }: SortButtonProps<Row>) {
  const { title, value, isNumber = false } = column;
  if (!value) return title;
  const current = sort?.title === title ? sort : undefined;
  const Arrow = current ? (current.isDescending ? ArrowDown : ArrowUp) : ArrowUpDown;
  return (
    <button
      type="button"
      className="sort"
      onClick={() => onSort({ title, isDescending: current ? !current.isDescending : isNumber })}
    >
      {title}
      <Arrow aria-hidden size={14} className={current ? undefined : 'sort-idle'} />
    </button>
  );
}

function sortOf<Row>(
  { title, value }: Column<Row>,
  sort: Sort | undefined,
): 'ascending' | 'descending' | 'none' | undefined {
  if (!value) return undefined;
  if (sort?.title !== title) return 'none';
  return sort.isDescending ? 'descending' : 'ascending';
}

function searchRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  search: string,
): readonly Row[] {
  const words = search.trim().toLowerCase();
  if (words === '') return rows;
  return rows.filter((row) =>
    columns.some(({ value }) =>
      String(value?.(row) ?? '')
        .toLowerCase()
        .includes(words),
    ),
  );
}

/** Empty cells are last in either order. */
function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | undefined,
): readonly Row[] {
  const column = columns.find(({ title }) => title === sort?.title);
  if (!sort || !column?.value) return rows;
  const { value } = column;
  const sign = sort.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * compareCells(left, right);
  });
}

function compareCells(a: NonNullable<CsvCell>, b: NonNullable<CsvCell>): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

function saveCsv<Row>(
  fileName: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  const exported = columns.flatMap(({ title, value }) => (value ? [{ title, value }] : []));
  const text = formatCsv([
    exported.map(({ title }) => title),
    ...rows.map((row) => exported.map(({ value }) => value(row))),
  ]);
  download(`${fileName}.csv`, new Blob([text], { type: 'text/csv' }));
}
