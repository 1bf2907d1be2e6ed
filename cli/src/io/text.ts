import { escapeText, formatNumber, quoteWord, replaceUnshowable } from '@storage-routing/client';

/** Escapes text of several lines. */
export function escapeLines(text: string): string {
  return text.replaceAll('\r\n', '\n').split('\n').map(escapeText).join('\n');
}

/** One line of JSON for a terminal: unprintable characters become ASCII escapes. */
export function escapeJson(value: unknown): string {
  // JSON.stringify escapes the controls below U+0020; the others occur only inside strings.
  return replaceUnshowable(
    JSON.stringify(value),
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Formats a duration by its two largest units: `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A path or an id as one argument of bash. A leading hyphen would be read as an option. */
export function quoteArgument(text: string): string {
  return quoteWord(text.startsWith('-') ? `./${text}` : text);
}

/** A part of a list, as the service answers it. */
export interface ListPart<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly offset: number;
}

/**
 * A page of a list, with its position unless it is the whole list.
 *
 * @param more what asks for the next page, before its offset
 */
export function pageText<Item>(
  { items, total, offset }: ListPart<Item>,
  heads: readonly string[],
  toRow: (item: Item) => readonly string[],
  more = '--offset',
): string {
  if (items.length === 0) return `there are only ${formatNumber(total)}`;
  const rows = table([heads, ...items.map(toRow)]);
  if (items.length === total) return rows;
  const last = offset + items.length;
  const place = `${formatNumber(offset + 1)} to ${formatNumber(last)} of ${formatNumber(total)}`;
  return `${rows}\n\n${place}${last < total ? `; continue with ${more} ${last}` : ''}`;
}

/** Formats rows in columns; the first row is the header. */
export function table(rows: readonly (readonly string[])[]): string {
  const [heads = []] = rows;
  const widths = heads.map((_head, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}
