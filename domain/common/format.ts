import { escapeText } from '../../shared/text.ts';

/** Formats dates, multiples and Markdown for people. */

const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** `12 January 2027` in UTC. */
export function formatDay(date: Date): string {
  return `${date.getUTCDate()} ${MONTH_NAMES[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
}

/** `October 2026` for `2026-10`. */
export function formatMonth(period: string): string {
  const [year = '', month = ''] = period.split('-');
  return `${MONTH_NAMES[Number(month) - 1] ?? ''} ${year}`;
}

/** `1.2 times`, `0.03 times`: two digits. */
export function formatTimes(times: number): string {
  return `${Number(times.toPrecision(2))} times`;
}

/** A Markdown table. A column whose title begins with `#` holds numbers. The cells are Markdown. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(titles.map((title) => title.replace(/^#/, ''))),
    line(titles.map((title) => (title.startsWith('#') ? '---:' : '---'))),
    ...rows.map(line),
  ];
}

/** Foreign text within Markdown: nothing in it is markup, and it stays on one line. */
export function text(foreign: string): string {
  return escapeText(foreign).replace(/[\\`*_[\]<>|#]/g, '\\$&');
}

/** What begins and ends a block of Markdown code that holds the text. */
export function fenceOf(block: string): string {
  return '`'.repeat(Math.max(3, 1 + longestRun(block)));
}

/** A name as Markdown code, unchanged. */
export function code(name: string): string {
  const line = escapeText(name);
  // Parsers disagree on a backslash before a pipe in a cell of a table.
  if (line.includes('\\|'))
    return `<code>${line.replaceAll(/[^A-Za-z0-9 ./-]/gu, toEntity)}</code>`;
  const shown = line.replaceAll('|', '\\|');
  const fence = '`'.repeat(1 + longestRun(shown));
  const padding = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return `${fence}${padding}${shown}${padding}${fence}`;
}

function longestRun(name: string): number {
  return Math.max(0, ...(name.match(/`+/g) ?? []).map((run) => run.length));
}

/** A numeric character reference is markup neither in HTML nor in Markdown. */
function toEntity(character: string): string {
  return `&#${character.codePointAt(0)};`;
}
