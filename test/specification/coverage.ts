import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { problemsOf } from './check.ts';
import { coverageDocument } from './document.ts';
import { linesOf } from './lines.ts';
import { SECTIONS } from './sections.ts';
import { readTitles } from './titles.ts';

/**
 * `npm run coverage:spec`: holds the statements against docs/specification.md and the tests, and writes
 * docs/coverage.md. With `--check` it writes nothing, and the file must be what it would have written.
 * Exits with 1, and a line for each problem, where something is missing.
 */
const SPECIFICATION = 'docs/specification.md';
const DOCUMENT = 'docs/coverage.md';

const lines = linesOf(await readFile(SPECIFICATION, 'utf8'));
const statements = SECTIONS.flatMap((section) => section.statements);
const named = statements.flatMap((statement) => ('heldBy' in statement ? statement.heldBy : []));
const titles = await readTitles([...new Set(named.map(({ file }) => file))].sort());

const problems = problemsOf(SECTIONS, { lines, titles });
const document = coverageDocument(SECTIONS, lines);
if (process.argv.includes('--check')) {
  const onDisk = await readFile(DOCUMENT, 'utf8').catch(() => '');
  if (onDisk !== document) problems.push(`${DOCUMENT} is out of date: npm run coverage:spec`);
} else if (problems.length === 0) {
  await writeFile(DOCUMENT, document);
}

for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length === 0)
  process.stdout.write(`${statements.length} statements are accounted for\n`);
process.exit(problems.length === 0 ? 0 : 1);
