/** A cell of a table; null is empty. */
export type CsvCell = string | number | boolean | null;

/**
 * Rows as CSV (RFC 4180, lines end with CRLF). Text that a spreadsheet would take for a formula begins with `'`;
 * numbers are written as they are.
 */
export function formatCsv(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('');
}

/** What a spreadsheet takes for a formula (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r]/;

function formatCell(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
