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
