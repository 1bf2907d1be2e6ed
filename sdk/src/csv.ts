/** A cell of a table; null is empty. */
export type CsvCell = string | number | boolean | null;

/**
 * Rows as CSV (RFC 4180, lines end with CRLF). Text that a spreadsheet would take for a formula begins with `'`, also where
 * it takes another character than the comma for the separator; numbers are written as they are.
 */
export function formatCsv(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('');
}

/**
 * Where a spreadsheet may take what follows for a formula (OWASP, "CSV Injection"): at the begin of a cell, and behind what
 * ends one in a dialect in which the cell's quotation mark is not at its begin.
 */
const FORMULA = /^(?=[\t\r])|(?:^|[;\t\r\n])(?=["\s]*[=+\-@＝＋－＠])/gu;

function formatCell(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = cell.replaceAll(FORMULA, "$&'");
  const isPlain = text === cell && !/[",;\t\r\n]/.test(text);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}
