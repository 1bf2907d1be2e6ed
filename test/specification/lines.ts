/** A stretch of a line, from one full stop or semicolon to the next. */
export interface Clause {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A line that may state something. */
export interface Line {
  readonly heading: string;
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  readonly clauses: readonly Clause[];
}

const HEADING = /^#+ (.+)$/;
const RULE = /^\|(?:\s*:?-+:?\s*\|)+$/;
/** What makes a line an item or a row, and says nothing. */
const MARKS = /^(?:[-*] |\d+\. |\| )|\s*\|$/g;

/** The lines of a Markdown text, without blank ones, headings, and the heads of tables. */
export function linesOf(markdown: string): Line[] {
  const texts = markdown.split('\n');
  let heading = '';
  return texts.flatMap((text, index): Line[] => {
    heading = HEADING.exec(text)?.[1] ?? heading;
    const isFrame = HEADING.test(text) || RULE.test(text) || RULE.test(texts[index + 1] ?? '');
    if (isFrame || text.trim() === '') return [];
    return [{ heading, number: index + 1, text, clauses: clausesOf(text) }];
  });
}

/** One row of the specification's table of endpoints. */
export interface EndpointLine {
  readonly name: string;
  readonly line: Line;
}

export function endpointLines(lines: readonly Line[]): EndpointLine[] {
  return lines.flatMap((line) => {
    const [, method, path] =
      /^\| (GET|POST|PUT|PATCH|DELETE) \| `([^`]+)` \|/.exec(line.text) ?? [];
    return method === undefined ? [] : [{ name: `${method} ${path}`, line }];
  });
}

function clausesOf(line: string): Clause[] {
  const text = line.replaceAll(MARKS, (mark) => ' '.repeat(mark.length));
  const clauses: Clause[] = [];
  for (const found of text.matchAll(/\S.*?(?:[.;](?=\s)|$)/g)) {
    const said = found[0].trimEnd();
    clauses.push({ from: found.index, to: found.index + said.length, text: said });
  }
  return clauses;
}
