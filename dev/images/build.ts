import { mkdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { outputOf, runLogged } from '../commands.ts';
import { readAllowedEntries, readDockerfile, type Stage } from './dockerfile.ts';

const RUN_WITHIN_MS = 5 * 60_000;

/** A stage that was carried out: its files, and how they are run. */
export interface Tree {
  /** The folder that plays `/`. */
  readonly root: string;
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

interface Builder {
  readonly stages: readonly Stage[];
  readonly source: string;
  readonly into: string;
  readonly entries: readonly string[];
  readonly done: Map<string, Promise<Tree>>;
}

/**
 * Carries out a Dockerfile without an engine: COPY and RUN happen in folders, on the programs of this
 * machine instead of those of the base image. Everything else about the image is kept as it is told.
 * @returns the tree of a stage; stages that several need are made once
 */
export async function createTrees(
  source: string,
  into: string,
): Promise<(stage: string) => Promise<Tree>> {
  const read = async (name: string) => await readFile(join(source, name), 'utf8');
  const builder: Builder = {
    stages: readDockerfile(await read('Dockerfile')),
    entries: readAllowedEntries(await read('.dockerignore')),
    source,
    into,
    done: new Map(),
  };
  return async (stage) => await treeOf(builder, stage);
}

async function treeOf(builder: Builder, name: string): Promise<Tree> {
  const stage = builder.stages.find((each) => each.name === name);
  if (stage === undefined) throw new Error(`the Dockerfile has no stage ${name}`);
  const tree = builder.done.get(name) ?? carryOut(builder, stage);
  builder.done.set(name, tree);
  return await tree;
}

async function carryOut(builder: Builder, stage: Stage): Promise<Tree> {
  const root = join(builder.into, stage.name);
  await mkdir(root, { recursive: true });
  let tree: Tree = {
    workingFolder: '/',
    environment: {},
    user: '',
    command: [],
    healthCheck: [],
    root,
  };
  if (builder.stages.some(({ name }) => name === stage.from)) {
    const base = await treeOf(builder, stage.from);
    await copy(base.root, root);
    tree = { ...base, root };
  }
  for (const { word, rest } of stage.instructions) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what a Dockerfile means
    tree = await apply(builder, tree, word, rest);
  }
  return tree;
}

async function apply(builder: Builder, tree: Tree, word: string, rest: string): Promise<Tree> {
  switch (word) {
    case 'WORKDIR':
      await mkdir(join(tree.root, rest), { recursive: true });
      return { ...tree, workingFolder: rest };
    case 'COPY':
      await copyInto(builder, tree, rest.split(/\s+/));
      return tree;
    case 'RUN':
      await runLogged('sh', ['-c', rest], {
        folder: join(tree.root, tree.workingFolder),
        environment: { ...withoutCaller(), ...tree.environment },
        logFile: join(builder.into, 'run.log'),
        timeoutMs: RUN_WITHIN_MS,
      });
      return tree;
    case 'ENV':
      return { ...tree, environment: { ...tree.environment, ...pairsOf(rest) } };
    case 'USER':
      return { ...tree, user: rest };
    case 'CMD':
      return { ...tree, command: listOf(rest) };
    case 'HEALTHCHECK':
      return { ...tree, healthCheck: listOf(rest.replace(/^.*?CMD\s+/, '')) };
    case 'EXPOSE':
    case 'STOPSIGNAL':
      return tree;
    default:
      throw new Error(`nobody knows here what ${word} does`);
  }
}

async function copyInto(builder: Builder, tree: Tree, words: readonly string[]): Promise<void> {
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const paths = words.filter((word) => !word.startsWith('--'));
  const target = resolve(join(tree.root, tree.workingFolder), paths.at(-1) ?? '');
  for (const path of paths.slice(0, -1)) {
    // oxlint-disable-next-line no-await-in-loop -- later files go over earlier ones
    for (const [source, into] of await sourcesOf(builder, from, path, target))
      // oxlint-disable-next-line no-await-in-loop -- see above
      await copy(source, into);
  }
}

/** Pairs of what is copied and where to: a folder's content, or a file under its name. */
async function sourcesOf(
  builder: Builder,
  from: string | undefined,
  path: string,
  target: string,
): Promise<readonly (readonly [string, string])[]> {
  if (from === undefined && path === '.')
    return builder.entries.map((name) => [join(builder.source, name), join(target, name)]);
  if (from === undefined && !builder.entries.includes(path.split('/')[0] ?? ''))
    throw new Error(`${path} is not in the build context`);
  const source = join(
    from === undefined ? builder.source : (await treeOf(builder, from)).root,
    path,
  );
  const isFolder = (await stat(source)).isDirectory();
  return [[source, isFolder ? target : join(target, basename(path))]];
}

/** A folder's content goes into the target; a file becomes it. The program is many times as fast as node's own. */
async function copy(source: string, target: string): Promise<void> {
  const isFolder = (await stat(source)).isDirectory();
  await mkdir(isFolder ? target : dirname(target), { recursive: true });
  await outputOf('cp', ['-RPp', isFolder ? `${source}/.` : source, target]);
}

/** What an `npm run` around us has set would tell the npm in here which project it is in. */
function withoutCaller(): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter((name) => name.startsWith('npm_'));
  const unset = Object.fromEntries(names.map((name) => [name, undefined]));
  return { ...unset, npm_config_prefer_offline: 'true' };
}

function pairsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(/\s+/).map((pair): [string, string] => {
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      return [name, value];
    }),
  );
}

/** Only the exec form is known: a shell between would keep the signals to itself. */
function listOf(text: string): readonly string[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string'))
    throw new Error(`not the exec form: ${text}`);
  return list;
}
