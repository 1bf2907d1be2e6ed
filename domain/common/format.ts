/** Amounts and foreign text, formatted for people: money, sizes, counts, dates and Markdown. */

const CENTS_FROM_USD = 0.01;

/** `$1,234.50`: cents from one cent on, micro-dollars below. */
export function formatUsd(usd: number): string {
  const isBelowCents = usd !== 0 && Math.abs(usd) < CENTS_FROM_USD;
  const amount = groupThousands(Math.abs(usd).toFixed(isBelowCents ? 6 : 2));
  return `${usd < 0 ? '-' : ''}$${amount}`;
}

export function formatNumber(count: number): string {
  return groupThousands(String(count));
}

/** A count with its noun, which takes an `s` in the plural. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function formatMonths(months: number): string {
  return formatCount(months, 'month');
}

/** `25 %`; a share that is not zero is never shown as zero. */
export function formatPercent(share: number): string {
  const percent = Math.round(share * 100);
  return percent === 0 && share > 0 ? '< 1 %' : `${percent} %`;
}

const BYTE_UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;
const UNIT_STEP = 1000;

/** A size in decimal units with at most two decimals; a GB is 10^9 bytes. */
export function formatBytes(bytes: number): string {
  let amount = bytes;
  let step = 0;
  while (roundTo2(amount) >= UNIT_STEP && step < BYTE_UNITS.length - 1) {
    amount /= UNIT_STEP;
    step += 1;
  }
  return `${groupThousands(String(roundTo2(amount)))} ${BYTE_UNITS[step] ?? ''}`;
}

function roundTo2(amount: number): number {
  return Number(amount.toFixed(2));
}

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

/**
 * Characters that end a line, move a cursor or reverse the writing direction: the C0 and C1 controls, DEL, the
 * line and paragraph separators, and the bidirectional marks (https://trojansource.codes).
 */
const UNSHOWABLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** Foreign text on one line; characters that cannot be shown become `\u{1b}`. */
export function formatForeign(text: string): string {
  return text.replaceAll(UNSHOWABLE, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`);
}

function groupThousands(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
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
  return formatForeign(foreign).replace(/[\\`*_[\]<>|#]/g, '\\$&');
}

/** A name as Markdown code, unchanged. */
export function code(name: string): string {
  const line = formatForeign(name);
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
