import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { findProblems } from '../specification/check.ts';
import { endpointLines, linesOf } from '../specification/lines.ts';
import type { Section, Statement } from '../specification/statement.ts';
import { parseTags } from '../specification/tags.ts';

const COMMAND_TIMEOUT_MS = 120_000;
const FILE = 'test/acceptance/things.test.ts';
const SPEC = '// spec: ';
const TEXT = `# Things

A thing is round. It rolls; it never stops.

| Method | Path |
|---|---|
| GET | \`/things\` |
`;
const LINES = linesOf(TEXT);
const ROUND: Statement = {
  id: 'thing.round',
  quote: 'A thing is round.',
  says: 'A thing is round.',
};
const ROLLS: Statement = { id: 'thing.rolls', quote: 'It rolls;', says: 'A thing rolls.' };
const ENDPOINT: Statement = { id: 'endpoint.things', quote: '`/things`', says: 'Lists things.' };
const ALL = [ROUND, ROLLS, ENDPOINT];
const SOURCE = `${SPEC}thing.*, endpoint.things\n  it('is round', () => {});\n`;

function problemsOf(
  statements: readonly Statement[],
  { source = SOURCE, file = FILE, silent = ['it never stops'] } = {},
): string[] {
  const sections: Section[] = [{ heading: 'Things', statements, silent }];
  return findProblems(sections, { lines: LINES, tags: parseTags(file, source) });
}

describe('the specification', () => {
  it('is covered clause by clause, and docs/coverage.md is up to date', async function () {
    this.timeout(COMMAND_TIMEOUT_MS);
    const command = ['--import', 'tsx', 'test/specification/coverage.ts', '--check'];
    const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'pipe'] });
    const [problems] = await Promise.all([text(child.stderr), once(child, 'close')]);
    assert.equal(child.exitCode, 0, problems);
  });

  it('has 22 endpoints', () => {
    const lines = linesOf(readFileSync('docs/specification.md', 'utf8'));
    assert.equal(new Set(endpointLines(lines).map(({ name }) => name)).size, 22);
  });
});

describe('the check of the specification coverage', () => {
  it('reports nothing where every clause is covered', () => {
    assert.deepEqual(problemsOf(ALL), []);
  });

  it('reads a line clause by clause, without headings, rules and heads of tables', () => {
    const clauses = LINES.flatMap((line) => line.clauses.map((clause) => clause.text));
    assert.deepEqual(clauses, [
      'A thing is round.',
      'It rolls;',
      'it never stops.',
      'GET | `/things`',
    ]);
    assert.deepEqual(
      LINES.map(({ number }) => number),
      [3, 7],
    );
  });

  it('reports a clause without a statement', () => {
    assert.deepEqual(problemsOf([ROLLS, ENDPOINT]), [
      'line 3 ("Things"): no statement for "A thing is round."',
    ]);
    assert.deepEqual(problemsOf(ALL, { silent: [] }), [
      'line 3 ("Things"): no statement for "it never stops."',
    ]);
  });

  it('reports a comment that names an unknown statement', () => {
    const source = `${SOURCE}${SPEC}thing.flat\n${SPEC}box.*\nit('is flat', () => {});`;
    assert.deepEqual(problemsOf(ALL, { source }), [
      `${FILE}:3: no statement thing.flat`,
      `${FILE}:4: no statement box.*`,
    ]);
  });

  it('reports a comment without a test below it', () => {
    const skipped = SOURCE.replace('it(', 'it.skip(');
    assert.deepEqual(problemsOf(ALL, { source: skipped }), [
      `${FILE}:1: no test below the comment`,
    ]);
    for (const target of ["describe('things', () => {", 'export function thingSuite(): void {'])
      assert.deepEqual(problemsOf(ALL, { source: SOURCE.replace(/ {2}it.*/, target) }), []);
  });

  it('requires a test or a reason', () => {
    const source = SOURCE.replace('thing.*', 'thing.rolls');
    assert.deepEqual(problemsOf(ALL, { source }), ['thing.round: no test']);
    const reasoned = (notTestable: string) =>
      problemsOf([{ ...ROUND, notTestable }, ROLLS, ENDPOINT], { source });
    assert.deepEqual(reasoned(''), ['thing.round: no reason']);
    assert.deepEqual(reasoned('not observable'), []);
    const both = [{ ...ROUND, notTestable: 'not observable' }, ROLLS, ENDPOINT];
    assert.deepEqual(problemsOf(both), ['thing.round: not testable, but tested']);
  });

  it('requires each quote in exactly one line of its heading, and unique ids', () => {
    assert.deepEqual(problemsOf([...ALL, { ...ROUND, id: 'thing.flat', quote: 'flat' }]), [
      'thing.flat: "flat" is not in one line of "Things"',
    ]);
    assert.deepEqual(problemsOf([...ALL, ROUND]), ['thing.round: the id is not unique']);
    assert.deepEqual(problemsOf([{ ...ROUND, says: 'so '.repeat(16).trim() }, ROLLS, ENDPOINT]), [
      'thing.round: over 15 words',
    ]);
  });

  it('requires an acceptance test of its own for each endpoint', () => {
    assert.deepEqual(problemsOf(ALL, { file: 'test/acceptance/openapi.test.ts' }), [
      'GET /things: no acceptance test of its own',
    ]);
  });
});
