import { endpointLines, type Clause, type Line } from './lines.ts';
import type { Section, Statement } from './statement.ts';
import { includesId, type Tag } from './tags.ts';

/** What the statements are compared with. */
export interface SpecificationCoverage {
  readonly lines: readonly Line[];
  readonly tags: readonly Tag[];
}

const MAX_WORDS = 15;
const ACCEPTANCE = 'test/acceptance/';
/** Suites that run for every endpoint: they verify nothing specific to one. */
const OVER_ALL = /^test\/acceptance\/(?:authentication|requests|request-id|openapi|examples)\.test/;
/** A tag stands above a test, a suite, or the function that defines a suite. Skipped tests do not count. */
const TAGGABLE = /^\s*(?:it\(|describe\(|export (?:async )?function )/;

/**
 * Lists every problem in one sentence each: a statement without a test or a reason, a tag without a
 * statement or a test, a quote that is not in the specification, a clause that no statement quotes,
 * an endpoint without an acceptance test of its own.
 */
export function findProblems(
  sections: readonly Section[],
  coverage: SpecificationCoverage,
): string[] {
  const { lines, tags } = coverage;
  const statements = sections.flatMap((section) => section.statements);
  return [
    ...repeatedIds(statements),
    ...statements.flatMap((statement) => statementProblems(statement, tags)),
    ...tags.flatMap((tag) => tagProblems(tag, statements)),
    ...sections.flatMap((section) => quoteProblems(section, lines)),
    ...unquotedClauses(sections, lines),
    ...untestedEndpoints(sections, coverage),
  ];
}

/** The line that contains a quote; undefined unless exactly one line under the heading does. */
export function findLine(quote: string, heading: string, lines: readonly Line[]): Line | undefined {
  const [line, ...others] = lines.filter(
    (candidate) => candidate.heading === heading && candidate.text.includes(quote),
  );
  return others.length === 0 ? line : undefined;
}

function repeatedIds(statements: readonly Statement[]): string[] {
  const ids = statements.map(({ id }) => id);
  const repeated = ids.filter((id, index) => ids.indexOf(id) < index);
  return repeated.map((id) => `${id}: the id is not unique`);
}

function statementProblems(statement: Statement, tags: readonly Tag[]): string[] {
  const { id, says, notTestable } = statement;
  const problems = says.split(/\s+/).length > MAX_WORDS ? [`${id}: over ${MAX_WORDS} words`] : [];
  const isTested = tags.some((tag) => includesId(tag, id));
  if (!isTested && notTestable === undefined) problems.push(`${id}: no test`);
  if (isTested && notTestable !== undefined) problems.push(`${id}: not testable, but tested`);
  if (notTestable === '') problems.push(`${id}: no reason`);
  return problems;
}

function tagProblems({ file, line, ids, target }: Tag, statements: readonly Statement[]): string[] {
  const at = `${file}:${line}`;
  const unknown = ids.filter(
    (id) =>
      !statements.some((statement) => includesId({ file, line, ids: [id], target }, statement.id)),
  );
  const problems = unknown.map((id) => `${at}: no statement ${id}`);
  return TAGGABLE.test(target) ? problems : [...problems, `${at}: no test below the comment`];
}

function quoteProblems({ heading, statements, silent = [] }: Section, lines: readonly Line[]) {
  return [
    ...statements.map(({ id, quote }) => ({ name: id, quote })),
    ...silent.map((quote) => ({ name: `silent in "${heading}"`, quote })),
  ].flatMap(({ name, quote }) =>
    findLine(quote, heading, lines)
      ? []
      : [`${name}: "${quote}" is not in one line of "${heading}"`],
  );
}

function unquotedClauses(sections: readonly Section[], lines: readonly Line[]): string[] {
  return lines.flatMap((line) => {
    const own = sections.filter(({ heading }) => heading === line.heading);
    const quotes = own.flatMap(({ statements, silent = [] }) =>
      statements.map(({ quote }) => quote).concat(silent),
    );
    const open = line.clauses.filter(
      (clause) => !quotes.some((quote) => overlaps(quote, clause, line)),
    );
    return open.map(
      ({ text }) => `line ${line.number} ("${line.heading}"): no statement for "${text}"`,
    );
  });
}

function overlaps(quote: string, clause: Clause, { text }: Line): boolean {
  const at = text.indexOf(quote);
  return at >= 0 && at < clause.to && at + quote.length > clause.from;
}

function untestedEndpoints(
  sections: readonly Section[],
  { lines, tags }: SpecificationCoverage,
): string[] {
  const own = tags.filter(({ file }) => file.startsWith(ACCEPTANCE) && !OVER_ALL.test(file));
  return endpointLines(lines).flatMap(({ name, line }) => {
    const isTested = sections.some(
      ({ heading, statements }) =>
        heading === line.heading &&
        statements.some(
          ({ id, quote }) => line.text.includes(quote) && own.some((tag) => includesId(tag, id)),
        ),
    );
    return isTested ? [] : [`${name}: no acceptance test of its own`];
  });
}
