/** A cell of a table; null is empty. */
export type CsvCell = string | number | boolean | null;

/**
 * Rows as CSV (RFC 4180, lines end with CRLF). Text that a spreadsheet would take for a formula
 * begins with `'`, also where it takes another character than the comma for the separator; numbers
 * are written as they are.
 */
export function formatCsv(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('');
}

/** What a spreadsheet takes for a formula at the begin of a cell (OWASP, "CSV Injection"). */
const FORMULA = String.raw`["\s]*[=+\-@＝＋－＠]`;
const AT_BEGIN = new RegExp(`^(?=[\\t\\r]|${FORMULA})`, 'u');
/** Where the quotation mark is not at the begin of a cell, a cell begins behind each of these. */
const BEHIND_SEPARATOR = new RegExp(`[;\\t\\r\\n](?=${FORMULA})`, 'gu');

function formatCell(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = cell.replaceAll(BEHIND_SEPARATOR, "$&'").replace(AT_BEGIN, "'");
  const isPlain = text === cell && !/[",;\t\r\n]/.test(text);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}
