import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { findProblems } from './check.ts';
import { coverageDocument } from './document.ts';
import { linesOf } from './lines.ts';
import { SECTIONS } from './sections.ts';
import { readTags } from './tags.ts';

/**
 * `npm run coverage:spec`: compares the statements with docs/specification.md and with the tests, and
 * writes docs/coverage.md. With `--check` it writes nothing, and the file must be up to date. Exits
 * with 1 and a line for each problem.
 */
const SPECIFICATION = 'docs/specification.md';
const DOCUMENT = 'docs/coverage.md';

const lines = linesOf(await readFile(SPECIFICATION, 'utf8'));
const tags = await readTags('test');
const problems = findProblems(SECTIONS, { lines, tags });
const document = coverageDocument(SECTIONS, { lines, tags });
if (process.argv.includes('--check')) {
  const onDisk = await readFile(DOCUMENT, 'utf8').catch(() => '');
  if (onDisk !== document) problems.push(`${DOCUMENT} is out of date: npm run coverage:spec`);
} else if (problems.length === 0) {
  await writeFile(DOCUMENT, document);
}

for (const problem of problems) process.stderr.write(`${problem}\n`);
const count = SECTIONS.flatMap(({ statements }) => statements).length;
if (problems.length === 0) process.stdout.write(`${count} statements are accounted for\n`);
process.exit(problems.length === 0 ? 0 : 1);
