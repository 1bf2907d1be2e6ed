import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PRODUCT =
  'domain messages adapters operations activities workflows config api worker sdk cli dashboard'.split(
    ' ',
  );

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const tracked = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(ROOT, path)));

/** The relative imports of a file, type-only ones included, as paths from the root. */
function importsOf(file: string): string[] {
  const specifiers = read(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return [...specifiers].map(([, path = '']) => normalize(join(dirname(file), path)));
}

/** The `may import` column of the table in docs/architecture.md. */
function documentedImports(): Map<string, string[]> {
  const rows = read('docs/architecture.md').matchAll(/^\| `(\w+)\/`\s*\|[^|]*\|([^|]*)\|$/gm);
  return new Map(
    [...rows].map(([, folder = '', allowed = '']) => [
      folder,
      [...allowed.matchAll(/(types of )?`(\w+)`/g)].map(
        ([, types, name = '']) => `${types ?? ''}${name}`,
      ),
    ]),
  );
}

interface Pattern {
  readonly group?: readonly string[];
  readonly regex?: string;
  readonly allowTypeImports?: boolean;
}

/** What the linter's restrictions leave. */
function lintedImports(folder: string): string[] {
  const { overrides } = JSON.parse(read('.oxlintrc.json')) as {
    overrides: { files: string[]; rules: Record<string, unknown> }[];
  };
  const override = overrides.find(({ files }) => files.includes(`${folder}/**`));
  assert.ok(override, `the linter restricts no import of ${folder}`);
  const [, { patterns }] = override.rules['no-restricted-imports'] as [
    string,
    { patterns: Pattern[] },
  ];
  const forbids = (name: string, isType: boolean) =>
    patterns.some(
      ({ group, regex, allowTypeImports = false }) =>
        (group?.includes(`**/${name}/**`) === true ||
          (regex !== undefined && new RegExp(regex).test(`../${name}/src/index.ts`))) &&
        !(isType && allowTypeImports),
    );
  return PRODUCT.filter((name) => name !== folder).flatMap((name) => {
    if (!forbids(name, false)) return [name];
    return forbids(name, true) ? [] : [`types of ${name}`];
  });
}

/** The folders that only lead to each other: what is left once all that leads nowhere is taken away. */
function cyclesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const left = new Set(edges.keys());
  const leadsNowhere = (folder: string) =>
    [...(edges.get(folder) ?? [])].every((next) => !left.has(next));
  for (let ends = ['']; ends.length > 0; ends.forEach((end) => left.delete(end)))
    ends = [...left].filter(leadsNowhere);
  return [...left];
}

function edgesBetweenFolders(files: readonly string[]) {
  const known = new Set(files);
  const edges = new Map<string, Set<string>>();
  for (const file of files) {
    const from = dirname(file);
    const targets = edges.get(from) ?? new Set<string>();
    edges.set(from, targets);
    for (const path of importsOf(file))
      if (known.has(path) && dirname(path) !== from) targets.add(dirname(path));
  }
  return edges;
}

/** That nothing else is imported, and no file in a cycle, the linter holds. */
describe('the architecture', () => {
  const isIn = (folders: readonly string[]) => (file: string) =>
    !file.includes('/') || folders.includes(file.split('/')[0] ?? '');
  const files = tracked('*.ts', '*.tsx').filter((file) => !/\/test\//.test(file));
  const withTools = files.filter(isIn([...PRODUCT, 'dev', 'bench']));

  it('documents the imports that the linter allows', () => {
    const documented = documentedImports();
    assert.deepEqual([...documented.keys()].sort(), [...PRODUCT].sort());
    for (const folder of PRODUCT)
      assert.deepEqual(documented.get(folder)?.sort(), lintedImports(folder).sort(), folder);
  });

  it('has no import cycle between folders, type-only imports included', () => {
    assert.deepEqual(cyclesOf(edgesBetweenFolders(withTools)), []);
  });

  // The time includes the wait for a worker; a plain error blocks the workflow's task without end.
  it('bounds no activity by time in a queue, and throws no plain error in a workflow', () => {
    for (const path of tracked('workflows/*.ts')) {
      assert.doesNotMatch(read(path), /scheduleTo(?:Close|Start)Timeout/, path);
      assert.doesNotMatch(read(path), /throw new (?!ApplicationFailure|CancelledFailure)/, path);
    }
  });

  it('names only folders that exist', () => {
    const documents = tracked('*.md').filter((path) => path !== 'docs/specification.md');
    for (const path of documents) {
      for (const [, folder = ''] of read(path).matchAll(/`((?:[a-z][\w-]*\/)+)`/g)) {
        const bases = ['', dirname(path), join(dirname(path), 'src')];
        const isKnown = bases.some((base) => existsSync(join(ROOT, base, folder)));
        // Made by the build and by the local servers.
        const isMade = /^(?:dist|node_modules|coverage|secrets|uploads|locks|logs)\//.test(folder);
        assert.ok(isKnown || isMade, `${path} names ${folder}`);
      }
    }
  });
});
