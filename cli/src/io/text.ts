import { formatUsd } from '@storage-routing/client';

/**
 * What would move a terminal's cursor, colour it, or turn the order of letters round: the C0 and C1 controls, DEL, and
 * the marks of direction (https://trojansource.codes).
 */
const UNSHOWABLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** A text of somebody else on one line of a terminal; what cannot be shown stands there as `\u{1b}`. */
export function shown(text: string): string {
  return text.replaceAll(UNSHOWABLE, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`);
}

/** The same for a text of several lines. */
export function shownLines(text: string): string {
  return text.replaceAll('\r\n', '\n').split('\n').map(shown).join('\n');
}

/** One line of JSON that may be shown on a terminal too: it says the same, in ASCII where it has to. */
export function shownJson(value: unknown): string {
  // JSON itself escapes the controls below U+0020; the others can only stand inside its strings.
  return JSON.stringify(value).replaceAll(
    UNSHOWABLE,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Bytes in powers of a thousand, as the service counts: `1.5 GB`. */
export function shownBytes(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.floor(Math.log10(bytes) / 3);
  const index = Math.min(power, UNITS.length - 1);
  const amount = bytes / 1_000 ** index;
  return `${index === 0 ? amount : amount.toFixed(1)} ${UNITS[index]}`;
}

/** A number with its thousands set apart. */
export function shownCount(count: number): string {
  return count.toLocaleString('en');
}

/** US dollars with six decimals. */
export function shownUsd(amountUsd: number): string {
  return `$${formatUsd(amountUsd)}`.replace('$-', '-$');
}

/** Rows of texts in columns; the first row is the heads. */
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
