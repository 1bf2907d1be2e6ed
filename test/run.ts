import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import process from 'node:process';

/**
 * `npm test`: runs side by side, each with servers of its own; much of their time is waiting. Every line
 * is printed as it comes, behind the name of its run, and the sum closes the whole. The service's
 * processes run as they are built, which is what is deployed, and starts in half the time.
 */
const RUNS: Readonly<Record<string, readonly string[]>> = {
  1: ['test/integration/{migration,scan}/**/*.test.ts'],
  2: ['test/integration/{service,api,adapters,cli}/**/*.test.ts'],
  3: [
    'test/{unit,acceptance}/**/*.test.ts',
    'test/integration/!(migration|scan|service|api|adapters|cli)/**/*.test.ts',
    'test/integration/*.test.ts',
  ],
};

interface Result {
  readonly passing: number;
  readonly failing: number;
  readonly isClean: boolean;
}

async function run(name: string, files: readonly string[]): Promise<Result> {
  const mocha = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', ...files], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, RUN_BUILT: '1' },
  });
  const counts = { passing: 0, failing: 0 };
  const read = async (stream: NodeJS.ReadableStream, out: NodeJS.WriteStream) => {
    for await (const line of createInterface({ input: stream })) {
      const [, count, word] = /^ {2}(\d+) (passing|failing)\b/.exec(line) ?? [];
      if (word === 'passing' || word === 'failing') counts[word] = Number(count);
      out.write(`${name} | ${line}\n`);
    }
  };
  const ended = new Promise<number | null>((resolve, reject) => {
    mocha.once('error', reject);
    mocha.once('close', resolve);
  });
  await Promise.all([read(mocha.stdout, process.stdout), read(mocha.stderr, process.stderr)]);
  return { ...counts, isClean: (await ended) === 0 };
}

const build = spawn('npm', ['run', 'build', '--silent'], { stdio: 'inherit' });
const [code] = (await once(build, 'close')) as [number | null];
if (code !== 0) process.exit(1);

const results = await Promise.all(Object.entries(RUNS).map(([name, files]) => run(name, files)));
const passing = results.reduce((sum, result) => sum + result.passing, 0);
const failing = results.reduce((sum, result) => sum + result.failing, 0);
process.stdout.write(`\n  ${passing} passing\n${failing > 0 ? `  ${failing} failing\n` : ''}`);
process.exit(results.every(({ isClean }) => isClean) ? 0 : 1);
