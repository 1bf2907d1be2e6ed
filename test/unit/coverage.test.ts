import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { problemsOf } from '../specification/check.ts';
import { endpointLines, linesOf } from '../specification/lines.ts';
import type { Section, Statement } from '../specification/statement.ts';

const COMMAND_TIMEOUT_MS = 120_000;
const FILE = 'test/acceptance/things.test.ts';
const TITLES = new Map([
  [FILE, ['a thing is round', 'a thing takes 1', 'a thing takes 2']],
  ['test/acceptance/openapi.test.ts', ['the description names GET /things']],
]);
const TEXT = `# Things

A thing is round. It rolls; nobody stops it.

| Method | Path |
|---|---|
| GET | \`/things\` |
`;
const LINES = linesOf(TEXT);

const held = (more: Partial<Extract<Statement, { heldBy: unknown }>> = {}): Statement => ({
  id: 'thing.round',
  quote: 'A thing is round.',
  says: 'A thing is round.',
  heldBy: [{ file: FILE, title: 'a thing is round' }],
  ...more,
});
const REST: readonly Statement[] = [
  held({ id: 'thing.rolls', quote: 'It rolls;' }),
  held({ id: 'endpoint.things', quote: '`/things`' }),
];

function problemsWith(statements: readonly Statement[], silent = ['nobody stops it']): string[] {
  const sections: Section[] = [{ heading: 'Things', statements, silent }];
  return problemsOf(sections, { lines: LINES, titles: TITLES });
}

describe('the specification', () => {
  it('is held line by line, and docs/coverage.md says by what', async function () {
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

describe('the check of what holds the specification', () => {
  it('has nothing to say where every clause is held', () => {
    assert.deepEqual(problemsWith([held(), ...REST]), []);
  });

  it('reads a line clause by clause, and no headings, rules or heads of tables', () => {
    const clauses = LINES.flatMap((line) => line.clauses.map((clause) => clause.text));
    const all = ['A thing is round.', 'It rolls;', 'nobody stops it.', 'GET | `/things`'];
    assert.deepEqual(clauses, all);
    assert.deepEqual(
      LINES.map(({ number }) => number),
      [3, 7],
    );
  });

  it('says which clause nobody holds', () => {
    assert.deepEqual(problemsWith(REST), ['line 3 ("Things"): nobody holds "A thing is round."']);
    assert.deepEqual(problemsWith([held(), ...REST], []), [
      'line 3 ("Things"): nobody holds "nobody stops it."',
    ]);
  });

  it('says which test there is not, and takes a beginning for all that begin so', () => {
    const by = (file: string, title: string) =>
      problemsWith([held({ heldBy: [{ file, title }] }), ...REST]);
    assert.deepEqual(by(FILE, 'a thing takes …'), []);
    assert.deepEqual(by(FILE, 'a thing takes'), [
      `thing.round: ${FILE} has no test "a thing takes"`,
    ]);
    assert.deepEqual(by(FILE, 'a thing gives …'), [
      `thing.round: ${FILE} has no test "a thing gives …"`,
    ]);
    assert.deepEqual(by('test/gone.test.ts', 'x'), [
      'thing.round: there is no file test/gone.test.ts',
    ]);
  });

  it('wants a test or a reason', () => {
    const { id, quote, says } = held();
    assert.deepEqual(problemsWith([held({ heldBy: [] }), ...REST]), ['thing.round: no test']);
    const reasoned = (notTestable: string) =>
      problemsWith([{ id, quote, says, notTestable }, ...REST]);
    assert.deepEqual(reasoned(''), ['thing.round: no test, and no reason']);
    assert.deepEqual(reasoned('it is a wish'), []);
  });

  it('wants each quote in just one line of its heading, and each id once', () => {
    assert.deepEqual(problemsWith([held(), held({ id: 'thing.flat', quote: 'flat' }), ...REST]), [
      'thing.flat: "flat" is not in one line of "Things"',
    ]);
    assert.deepEqual(problemsWith([held(), held(), ...REST]), [
      'thing.round: the id is taken already',
    ]);
    assert.deepEqual(problemsWith([held({ says: 'so '.repeat(16).trim() }), ...REST]), [
      'thing.round: over 15 words',
    ]);
  });

  it('wants an acceptance test of its own for each endpoint', () => {
    const overAll = { file: 'test/acceptance/openapi.test.ts', title: 'the description names …' };
    const [rolls] = REST;
    const endpoint = held({ id: 'endpoint.things', quote: '`/things`', heldBy: [overAll] });
    assert.ok(rolls);
    assert.deepEqual(problemsWith([held(), rolls, endpoint]), [
      'GET /things: no acceptance test of its own',
    ]);
  });
});
