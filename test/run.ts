import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import process from 'node:process';
import { createProgress } from '../dev/system/progress.ts';
import { startStack, type Stack } from '../dev/stack.ts';
import { namespaces, type SharedServers } from './servers.ts';
import { SHORT_INTERVALS } from './short-intervals.ts';
import { phasesOf, type Group, type Phase, type SuiteName } from './suites.ts';

/** `npm run test:long` for the long form. */
const [, , named, form = 'short'] = process.argv;
const suite: SuiteName = named === 'faults' || named === 'browser' ? named : 'all';

const BUILD = 'dist';
/** CI builds for its first suite. */
const keepsBuild = process.env['KEEP_BUILD'] === 'yes' && existsSync(`${BUILD}/dashboard`);
/** The fault suites run a copy of the build, in which the service waits for less. */
const built = suite === 'faults' ? 'test/dist' : BUILD;

/** Each costs Temporal some of the processor, also where nothing uses it. */
const NAMESPACES_PER_PROCESS = 24;
const SLOWEST = 20;
/** Identity provider and AWS double run inside each test process, because tests control them. */
const SHARED_ADDRESS =
  /^(?:MONGODB_URI|TEMPORAL_ADDRESS|TEMPORAL_UI_URL|(?:PROVIDER_ENDPOINT|STORE)_(?:R2|B2)(?:_.+)?)$/;

/** A line of `file-times.ts`. */
const FILE_TIME = /^(\d+\.\d) s (test\/.+)$/;

interface Result {
  readonly passing: number;
  readonly failing: number;
  readonly isClean: boolean;
  /** What mocha printed after its count of failing tests: their names and errors. */
  readonly failures: readonly string[];
  readonly times: readonly FileTime[];
}

/** How long a test file took, hooks included. */
interface FileTime {
  readonly file: string;
  readonly seconds: number;
}

/**
 * `npm test`, `npm run test:faults` and `npm run test:browser`: the service as built, one phase after the other.
 * Each output line carries the number of its process. The slowest files, and the sum and the failures of all
 * processes in mocha's form, close the run.
 */
async function runSuite(): Promise<boolean> {
  await build();
  const results: Result[] = [];
  for (const phase of phasesOf(suite, form === 'long' ? form : 'short'))
    results.push(...(await runPhase(phase, results.length)));
  const slowest = results.flatMap(({ times }) => times).sort((a, b) => b.seconds - a.seconds);
  process.stdout.write(`\n  the ${SLOWEST} slowest files, in seconds\n`);
  for (const { file, seconds } of slowest.slice(0, SLOWEST))
    process.stdout.write(`  ${seconds.toFixed(1).padStart(7)}  ${file}\n`);
  const passing = results.reduce((sum, result) => sum + result.passing, 0);
  // A process that fails without a failing test has not run what it should.
  const failing = results.reduce(
    (sum, result) => sum + Math.max(result.failing, result.isClean ? 0 : 1),
    0,
  );
  process.stdout.write(`\n  ${passing} passing\n${failing > 0 ? `  ${failing} failing\n` : ''}`);
  for (const line of results.flatMap(({ failures }) => failures)) process.stdout.write(`${line}\n`);
  return results.every(({ isClean }) => isClean);
}

/** Mocha processes side by side on one set of servers, which no other phase has used. */
async function runPhase(groups: Phase, processesBefore: number): Promise<Result[]> {
  const runs = groups.map((group, index) => {
    const name = String(processesBefore + index + 1);
    return { name, group, own: namespaces(`test-${name}`, NAMESPACES_PER_PROCESS) };
  });
  const stack = await startStack({
    namespaces: runs.flatMap(({ own }) => own),
    progress: createProgress(),
  });
  const results = await Promise.all(
    runs.map(({ name, group, own }) => runMocha(name, group, environmentFor(stack, own))),
  );
  await stack.stop();
  return results;
}

async function build(): Promise<void> {
  if (!keepsBuild) await runToEnd('npm', ['run', 'build', '--silent']);
  if (built === BUILD) return;
  await rm(built, { recursive: true, force: true });
  await cp(BUILD, built, { recursive: true });
  await writeFile(
    `${built}/domain/common/intervals.js`,
    `export const INTERVALS = ${JSON.stringify(SHORT_INTERVALS)};\n`,
  );
  await runToEnd('node', [`${built}/worker/build-bundle.js`]);
}

async function runToEnd(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) process.exit(1);
}

function environmentFor(stack: Stack, own: readonly string[]): NodeJS.ProcessEnv {
  const shared = Object.entries(stack.environment).filter(([name]) => SHARED_ADDRESS.test(name));
  const servers: SharedServers = { environment: Object.fromEntries(shared), namespaces: own };
  return {
    ...process.env,
    TEST_SERVERS: JSON.stringify(servers),
    RUN_BUILT: built,
    FAULTS: form,
  };
}

async function runMocha(
  name: string,
  { files, ignored }: Group,
  environment: NodeJS.ProcessEnv,
): Promise<Result> {
  const wanted = [...files, ...ignored.flatMap((file) => ['--ignore', file])];
  const reported = ['--reporter', 'test/file-times.ts', ...wanted];
  const mocha = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', ...reported], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
  });
  const counts = { passing: 0, failing: 0 };
  const failures: string[] = [];
  const times: FileTime[] = [];
  const read = async (stream: NodeJS.ReadableStream, out: NodeJS.WriteStream) => {
    for await (const line of createInterface({ input: stream })) {
      if (counts.failing > 0 && out === process.stdout) failures.push(`${name} | ${line}`);
      const [, count, outcome] = /^ {2}(\d+) (passing|failing)\b/.exec(line) ?? [];
      if (outcome === 'passing' || outcome === 'failing') counts[outcome] = Number(count);
      const [, seconds, file] = FILE_TIME.exec(line) ?? [];
      if (file !== undefined) times.push({ file, seconds: Number(seconds) });
      out.write(`${name} | ${line}\n`);
    }
  };
  const ended = new Promise<number | null>((resolve, reject) => {
    mocha.once('error', reject);
    mocha.once('close', resolve);
  });
  await Promise.all([read(mocha.stdout, process.stdout), read(mocha.stderr, process.stderr)]);
  return { ...counts, isClean: (await ended) === 0, failures, times };
}

const isClean = await runSuite();
process.exit(isClean ? 0 : 1);
