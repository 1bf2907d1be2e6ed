import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import process from 'node:process';
import { createProgress } from '../dev/system/progress.ts';
import { startStack, type Stack } from '../dev/stack.ts';
import { namespaces, type SharedServers } from './servers.ts';

type Suite = 'all' | 'browser' | 'faults';

/** `npm run test:faults -- long` for the long form, which takes hours. */
const [, , suite, form = 'short'] = process.argv;

const COPYING = [
  'test/faults/{client,copy,migration}-*.test.ts',
  'test/faults/random-kills.test.ts',
];
const OUTAGES = ['test/faults/{large,many,outages,toxics,upgrade,work}*.test.ts'];
/** Only the long form has the time for it. */
const LONG = 'test/faults/memory.test.ts';

/**
 * `npm test`, `npm run test:faults` and `npm run test:browser`: up to three mocha processes side by side on one
 * set of servers, the service as built. Each output line carries the number of its process, and the sum closes the run.
 * Here are mocha's arguments for each; the last process of the faults takes what the others leave.
 */
const SUITES: Readonly<Record<Suite, readonly (readonly string[])[]>> = {
  all: [
    ['test/acceptance/**/*.test.ts', 'test/integration/{adapters/**/,owasp/,}*.test.ts'],
    ['test/integration/{api,cloud-account,dev,migration,scan,worker}/**/*.test.ts'],
    ['test/integration/{cli,service}/**/*.test.ts', 'test/unit/**/*.test.ts'],
  ],
  browser: [['test/browser/*.test.ts']],
  faults: [
    COPYING,
    OUTAGES,
    [
      'test/faults/*.test.ts',
      ...[...COPYING, ...OUTAGES, ...(form === 'long' ? [] : [LONG])].flatMap((files) => [
        '--ignore',
        files,
      ]),
    ],
  ],
};
const NAMESPACES_PER_PROCESS = 20;
/** Identity provider and AWS double run inside each test process, because tests control them. */
const SHARED_ADDRESS =
  /^(?:MONGODB_URI|TEMPORAL_ADDRESS|TEMPORAL_UI_URL|(?:PROVIDER_ENDPOINT|STORE)_(?:R2|B2)(?:_.+)?)$/;

interface Result {
  readonly passing: number;
  readonly failing: number;
  readonly isClean: boolean;
}

async function runSuite(suite: Suite): Promise<boolean> {
  await build();
  const groups = SUITES[suite];
  const names = groups.map((_, index) => namespaces(`test-${index + 1}`, NAMESPACES_PER_PROCESS));
  const stack = await startStack({ namespaces: names.flat(), progress: createProgress() });
  const runs = groups.map((files, index) =>
    runMocha(String(index + 1), files, environmentFor(stack, names[index] ?? [])),
  );
  const results = await Promise.all(runs);
  await stack.stop();
  const passing = results.reduce((sum, result) => sum + result.passing, 0);
  const failing = results.reduce((sum, result) => sum + result.failing, 0);
  process.stdout.write(`\n  ${passing} passing\n${failing > 0 ? `  ${failing} failing\n` : ''}`);
  return results.every(({ isClean }) => isClean);
}

async function build(): Promise<void> {
  const child = spawn('npm', ['run', 'build', '--silent'], { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) process.exit(1);
}

function environmentFor(stack: Stack, own: readonly string[]): NodeJS.ProcessEnv {
  const shared = Object.entries(stack.environment).filter(([name]) => SHARED_ADDRESS.test(name));
  const servers: SharedServers = { environment: Object.fromEntries(shared), namespaces: own };
  return {
    ...process.env,
    TEST_SERVERS: JSON.stringify(servers),
    RUN_BUILT: '1',
    FAULTS: form,
  };
}

async function runMocha(
  name: string,
  files: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<Result> {
  const mocha = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', ...files], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
  });
  const counts = { passing: 0, failing: 0 };
  const read = async (stream: NodeJS.ReadableStream, out: NodeJS.WriteStream) => {
    for await (const line of createInterface({ input: stream })) {
      const [, count, outcome] = /^ {2}(\d+) (passing|failing)\b/.exec(line) ?? [];
      if (outcome === 'passing' || outcome === 'failing') counts[outcome] = Number(count);
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

const isClean = await runSuite(suite === 'faults' || suite === 'browser' ? suite : 'all');
process.exit(isClean ? 0 : 1);
