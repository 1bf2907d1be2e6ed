import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';

/**
 * `npm run coverage:spec`: which tests verify which statement of docs/specification.md.
 *
 * docs/coverage.md has a row for each statement: the line of the specification, an id, and the statement. A test names the
 * ids that it verifies in a `// spec:` comment; `upload.*` names all ids with that prefix. The command writes the last
 * column. `--check` writes nothing. Exits with 1 and a line for each problem.
 */
const DOCUMENT = 'docs/coverage.md';
const ROW = /^(\| (\d+) \| `([^`]+)` \| .* \| )([^|]*) \|$/;
const COMMENT = /^\s*\/\/ spec: (.+)$/;
/** A tag stands above a test, a suite, or the function that defines a suite. Skipped tests do not count. */
const TAGGABLE = /^\s*(?:it\(|describe\(|export (?:async )?function )/;
const RULE = /^\|(?:\s*:?-+:?\s*\|)+$/;

const tags = await readTags('test');
const statements = new Map<string, number>();
const problems: string[] = [];
const before = await readFile(DOCUMENT, 'utf8');
const after = before
  .split('\n')
  .map((text) => {
    const [, start, line, id = '', verifiedBy = ''] = ROW.exec(text) ?? [];
    if (start === undefined) return text;
    if (statements.has(id)) problems.push(`${id}: the id is not unique`);
    statements.set(id, Number(line));
    const files = tags.filter(({ ids }) => ids.some((name) => covers(name, id)));
    if (verifiedBy.startsWith('not testable: ')) return text;
    if (files.length === 0) problems.push(`${id}: no test`);
    const names = [...new Set(files.map(({ file }) => `\`${file}\``))];
    return `${start}${names.join('<br>')} |`;
  })
  .join('\n');
for (const { file, ids } of tags)
  for (const name of ids)
    if (![...statements.keys()].some((id) => covers(name, id)))
      problems.push(`${file}: no statement ${name}`);
const stated = new Set(statements.values());
for (const line of await statingLines())
  if (!stated.has(line)) problems.push(`docs/specification.md:${line}: no statement`);

if (problems.length === 0 && after !== before) {
  if (process.argv.includes('--check')) problems.push(`${DOCUMENT}: npm run coverage:spec`);
  else await writeFile(DOCUMENT, after);
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function covers(name: string, id: string): boolean {
  return name === id || (name.endsWith('.*') && id.startsWith(name.slice(0, -1)));
}

async function readTags(folder: string) {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
  const found = await Promise.all(
    files.sort().map(async (file) => {
      const lines = (await readFile(file, 'utf8')).split('\n');
      return lines.flatMap((text, index) => {
        const ids = COMMENT.exec(text)?.[1]
          ?.split(',')
          .map((id) => id.trim());
        const target = lines.slice(index).find((line) => !COMMENT.test(line)) ?? '';
        if (ids && !TAGGABLE.test(target)) problems.push(`${file}:${index + 1}: no test below`);
        return ids ? [{ file, ids }] : [];
      });
    }),
  );
  return found.flat();
}

/** The numbers of the specification's lines, without blank ones, headings, and the heads of tables. */
async function statingLines(): Promise<number[]> {
  const lines = (await readFile('docs/specification.md', 'utf8')).split('\n');
  return lines.flatMap((text, index) => {
    const isFrame = text.startsWith('#') || RULE.test(text) || RULE.test(lines[index + 1] ?? '');
    return isFrame || text.trim() === '' ? [] : [index + 1];
  });
}
