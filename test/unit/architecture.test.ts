import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** All that these folders may import of packages and of Node; the others may import any. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  shared: /(?!)/,
  domain: /^node:crypto$/,
  messages: /^@temporalio\/(?:common|workflow)$/,
  workflows: /^@temporalio\/(?:common|workflow|interceptors-opentelemetry\/.+)$/,
  report: /^node:crypto$/,
  react: /^(?:react|@storage-routing\/client)$/,
  sdk: /^node:(?:crypto|fs\/promises|path)$/,
};

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const tracked = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(ROOT, path)));

interface Import {
  readonly specifier: string;
  readonly isType: boolean;
}

function importsOf(file: string): Import[] {
  const imports = read(file).matchAll(
    /(?:(?:import|export)( type)?\s(?:[^;'"]*?\sfrom\s+)?|import\()'([^']+)'/g,
  );
  return [...imports].map(([, type, specifier = '']) => ({
    specifier,
    isType: type !== undefined,
  }));
}

const isRelative = (specifier: string) => specifier.startsWith('.');
/** The path from the root of what a file imports. */
const pathOf = (file: string, specifier: string) => normalize(join(dirname(file), specifier));
const folderOf = (path: string) => path.split('/')[0] ?? '';

/** The `may import` column of the table in docs/architecture.md, by folder. */
function readLayers(): Map<string, ReadonlySet<string>> {
  const rows = read('docs/architecture.md').matchAll(/^\| `(\w+)\/`\s*\|[^|]*\|([^|]*)\|$/gm);
  return new Map(
    [...rows].map(([, folder = '', allowed = '']) => [
      folder,
      new Set(
        [...allowed.matchAll(/(types of )?`(\w+)`/g)].map(
          ([, types, name = '']) => `${types ?? ''}${name}`,
        ),
      ),
    ]),
  );
}

/** The imports of a file that its folder may not have. */
function forbiddenImports(file: string, layer: ReadonlySet<string>): string[] {
  const own = folderOf(file);
  const isAllowed = ({ specifier, isType }: Import) => {
    if (!isRelative(specifier)) return PACKAGES[own]?.test(specifier) ?? true;
    const folder = folderOf(pathOf(file, specifier));
    return folder === own || layer.has(folder) || (isType && layer.has(`types of ${folder}`));
  };
  return importsOf(file)
    .filter((imported) => !isAllowed(imported))
    .map(({ specifier }) => `${file}: ${specifier}`);
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
    for (const { specifier } of importsOf(file)) {
      const path = pathOf(file, specifier);
      if (known.has(path) && dirname(path) !== from) targets.add(dirname(path));
    }
  }
  return edges;
}

/** That no file is in a cycle of imports, the linter holds. */
describe('the architecture', () => {
  const layers = readLayers();
  const files = tracked('*.ts', '*.tsx').filter((file) => !/\/test\//.test(file));
  const inFolders = (folders: readonly string[]) =>
    files.filter((file) => folders.includes(folderOf(file)));
  const product = inFolders([...layers.keys()]).filter((file) => !/\/examples\//.test(file));

  it('imports only what docs/architecture.md allows', () => {
    assert.deepEqual(
      product.flatMap((file) => forbiddenImports(file, layers.get(folderOf(file)) ?? new Set())),
      [],
    );
  });

  it('keeps the AWS double apart: it imports only itself and Node', () => {
    const double = tracked('dev/aws-double/**/*.ts');
    const leavesIt = (file: string, { specifier }: Import) =>
      isRelative(specifier)
        ? !pathOf(file, specifier).startsWith('dev/aws-double/')
        : !specifier.startsWith('node:');
    assert.ok(double.length > 0);
    for (const file of double)
      assert.deepEqual(
        importsOf(file).filter((imported) => leavesIt(file, imported)),
        [],
        file,
      );
  });

  it('has no import cycle between folders, type-only imports included', () => {
    const withTools = [
      ...product,
      ...files.filter((file) => /^(?:[^/]+|dev\/.*|bench\/.*)$/.test(file)),
    ];
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
