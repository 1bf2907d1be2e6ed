import { endpointLines, type Clause, type Line } from './lines.ts';
import type { NamedTest, Section, Statement } from './statement.ts';
import type { Titles } from './titles.ts';

/** What the statements are held against. */
export interface Evidence {
  readonly lines: readonly Line[];
  readonly titles: Titles;
}

const MAX_WORDS = 15;
const ACCEPTANCE = 'test/acceptance/';
/** Suites that run over every endpoint there is: they hold nothing that is one endpoint's own. */
const OVER_ALL = /^test\/acceptance\/(?:authentication|requests|request-id|openapi|examples)\.test/;

/**
 * Everything that is wrong, one sentence each: a statement without a test or a reason, a test that there
 * is not, a quote that the specification does not have, a clause of the specification that nobody
 * accounts for, an endpoint without an acceptance test of its own.
 */
export function problemsOf(sections: readonly Section[], evidence: Evidence): string[] {
  const statements = sections.flatMap((section) => section.statements);
  return [
    ...repeatedIds(statements),
    ...statements.flatMap((statement) => problemsOfOne(statement, evidence.titles)),
    ...sections.flatMap((section) => lostQuotes(section, evidence.lines)),
    ...unaccounted(sections, evidence.lines),
    ...unheldEndpoints(sections, evidence.lines),
  ];
}

/** The line that a quote stands in, and undefined where it is not in exactly one line of the heading. */
export function lineOf(quote: string, heading: string, lines: readonly Line[]): Line | undefined {
  const [line, ...others] = lines.filter(
    (candidate) => candidate.heading === heading && candidate.text.includes(quote),
  );
  return others.length === 0 ? line : undefined;
}

function repeatedIds(statements: readonly Statement[]): string[] {
  const ids = statements.map(({ id }) => id);
  const repeated = ids.filter((id, index) => ids.indexOf(id) < index);
  return repeated.map((id) => `${id}: the id is taken already`);
}

function problemsOfOne(statement: Statement, titles: Titles): string[] {
  const { id, says } = statement;
  const problems = says.split(/\s+/).length > MAX_WORDS ? [`${id}: over ${MAX_WORDS} words`] : [];
  if ('notTestable' in statement) {
    return statement.notTestable === '' ? [...problems, `${id}: no test, and no reason`] : problems;
  }
  if (statement.heldBy.length === 0) problems.push(`${id}: no test`);
  for (const test of statement.heldBy) {
    const problem = problemOfTest(test, titles);
    if (problem) problems.push(`${id}: ${problem}`);
  }
  return problems;
}

function problemOfTest({ file, title }: NamedTest, titles: Titles): string | undefined {
  const own = titles.get(file);
  if (!own) return `there is no file ${file}`;
  const isFamily = title.endsWith('…');
  const found = own.filter((name) =>
    isFamily ? name.startsWith(title.slice(0, -1)) : name === title,
  );
  return found.length === 0 ? `${file} has no test "${title}"` : undefined;
}

function lostQuotes({ heading, statements, silent = [] }: Section, lines: readonly Line[]) {
  return [
    ...statements.map(({ id, quote }) => ({ who: id, quote })),
    ...silent.map((quote) => ({ who: `silent in "${heading}"`, quote })),
  ].flatMap(({ who, quote }) =>
    lineOf(quote, heading, lines) ? [] : [`${who}: "${quote}" is not in one line of "${heading}"`],
  );
}

function unaccounted(sections: readonly Section[], lines: readonly Line[]): string[] {
  return lines.flatMap((line) => {
    const own = sections.filter(({ heading }) => heading === line.heading);
    const quotes = own.flatMap(({ statements, silent = [] }) =>
      statements.map(({ quote }) => quote).concat(silent),
    );
    const open = line.clauses.filter(
      (clause) => !quotes.some((quote) => meets(quote, clause, line)),
    );
    return open.map(
      ({ text }) => `line ${line.number} ("${line.heading}"): nobody holds "${text}"`,
    );
  });
}

function meets(quote: string, clause: Clause, { text }: Line): boolean {
  const at = text.indexOf(quote);
  return at >= 0 && at < clause.to && at + quote.length > clause.from;
}

function unheldEndpoints(sections: readonly Section[], lines: readonly Line[]): string[] {
  const isOwn = ({ file }: NamedTest) => file.startsWith(ACCEPTANCE) && !OVER_ALL.test(file);
  return endpointLines(lines).flatMap(({ name, line }) => {
    const held = sections.some(
      ({ heading, statements }) =>
        heading === line.heading &&
        statements.some(
          (statement) =>
            line.text.includes(statement.quote) &&
            'heldBy' in statement &&
            statement.heldBy.some(isOwn),
        ),
    );
    return held ? [] : [`${name}: no acceptance test of its own`];
  });
}
