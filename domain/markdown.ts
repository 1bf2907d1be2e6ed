import { formatForeign } from './format.ts';

/** Pieces of a Markdown page. What customers named themselves is text here, never markup. */

/** A column whose title begins with `#` holds numbers. The cells are Markdown already. */
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
  return formatForeign(words).replace(/[\\`*_[\]<>|#]/g, '\\$&');
}

/** A name, as it is. */
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

/** A character by its number is markup neither in HTML nor in Markdown. */
function toEntity(character: string): string {
  return `&#${character.codePointAt(0)};`;
}
