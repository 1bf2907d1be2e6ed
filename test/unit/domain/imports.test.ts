import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../domain', import.meta.url));
const MAX_DECISION_LEVELS = 5;

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => resolve(ROOT, name));

/** Files that a file of `domain` imports, types included. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) =>
    resolve(dirname(file), path),
  );
}

/** The length of the longest chain of imports that starts at a node. @throws where it is a cycle. */
function levelOf(
  node: string,
  next: (node: string) => readonly string[],
  path: readonly string[] = [],
): number {
  const chain = [...path, node];
  assert.ok(!path.includes(node), chain.map((name) => relative(ROOT, name)).join(' > '));
  return 1 + Math.max(0, ...next(node).map((other) => levelOf(other, next, chain)));
}

describe('the imports of domain', () => {
  it('have no cycle between files, type-only imports included', () => {
    for (const file of files) levelOf(file, importsOf);
  });

  it('have no cycle between folders, type-only imports included', () => {
    const folders = [...new Set(files.map((file) => dirname(file)))];
    const importedBy = (folder: string) => {
      const imports = files.filter((file) => dirname(file) === folder).flatMap(importsOf);
      return [...new Set(imports.map((file) => dirname(file)))].filter((other) => other !== folder);
    };
    for (const folder of folders) levelOf(folder, importedBy);
  });

  it(`are at most ${MAX_DECISION_LEVELS} levels deep within domain/decision`, () => {
    const folder = resolve(ROOT, 'decision');
    const within = (file: string) => importsOf(file).filter((other) => dirname(other) === folder);
    for (const file of files.filter((name) => dirname(name) === folder)) {
      assert.ok(levelOf(file, within) <= MAX_DECISION_LEVELS, relative(ROOT, file));
    }
  });
});
