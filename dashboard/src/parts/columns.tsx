import type { ReactNode } from 'react';
import type { Column } from './data-table.tsx';
import { Time } from './time.tsx';

/** A field of the row: sorted and exported as a number, shown as it is formatted. */
export function numberColumn<Key extends string, Value extends number | null>(
  title: string,
  key: Key,
  format: (value: Value) => string,
  isMinor = false,
): Column<Readonly<Record<Key, Value>>> {
  return {
    title,
    isNumber: true,
    isMinor,
    value: (row) => row[key],
    cell: (row) => format(row[key]),
  };
}

/** A field of the row: sorted, searched and exported as it is. */
export function textColumn<Key extends string, Value extends string | null>(
  title: string,
  key: Key,
  show: (value: Value) => ReactNode = (text) => text,
  isMinor = false,
): Column<Readonly<Record<Key, Value>>> {
  return { title, isMinor, value: (row) => row[key], cell: (row) => show(row[key]) };
}

export const asTime = (iso: string | null) => (iso === null ? '–' : <Time iso={iso} />);
export const asCode = (text: string | null) => <code>{text}</code>;
export const asProse = (text: string | null) => <span className="prose">{text}</span>;
