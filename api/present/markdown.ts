/** Pieces of a Markdown page. What customers named themselves is text here, never markup. */

export function heading(title: string): string[] {
  return ['', `## ${title}`, ''];
}

export function list(sentences: readonly string[]): string[] {
  return sentences.map((sentence) => `- ${text(sentence)}`);
}

/** A column whose title begins with `#` holds figures. The cells are Markdown already. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(titles.map((title) => title.replace(/^#/, ''))),
    line(titles.map((title) => (title.startsWith('#') ? '---:' : '---'))),
    ...rows.map(line),
  ];
}

/** Running text: nothing in it is markup, and it stays on its line. */
export function text(words: string): string {
  return oneLine(words).replace(/[\\`*_[\]<>|#]/g, '\\$&');
}

/** A name, as it is. */
export function code(name: string): string {
  const shown = oneLine(name).replaceAll('|', '\\|');
  const fence = '`'.repeat(1 + longestRun(shown));
  const padding = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return `${fence}${padding}${shown}${padding}${fence}`;
}

function longestRun(name: string): number {
  return Math.max(0, ...(name.match(/`+/g) ?? []).map((run) => run.length));
}

/** Control characters would break the page; they are shown by their numbers. */
function oneLine(words: string): string {
  return words.replace(/\p{Cc}/gu, (control) => `\\x${control.charCodeAt(0).toString(16)}`);
}

/** Cents where they are all there is to say, micro-dollars where cents would say nothing. */
export function money(usd: number): string {
  const decimals = usd !== 0 && Math.abs(usd) < 1 ? 6 : 2;
  return `${usd.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })} USD`;
}

export function months(count: number | null): string {
  return count === null ? 'never' : `${count} months`;
}

export function whole(count: number): string {
  return count.toLocaleString('en');
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function size(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const shown = bytes / 2 ** (10 * step);
  return `${shown.toLocaleString('en', { maximumFractionDigits: step === 0 ? 0 : 1 })} ${UNITS[step]}`;
}
