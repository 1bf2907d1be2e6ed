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

/** Waits most of its time, so that it takes as long as all others. */
const BROWSER_STATES = 'test/browser/states.test.ts';
const COPIES_AND_OUTAGES =
  'test/faults/{client-*,copy-*,outages,random-kills,migration-{canary,ends,faults,runs},*-worker-death}.test.ts';
const LOST_AND_KILLED =
  'test/faults/{*-kill-points,*-lost,scan-end,scan-runs,upload-stopped-deletes,versions}.test.ts';
/** They hold calls to a time, so nothing else runs beside them. */
const MEASURED = [
  'activity-retries',
  'deadlines',
  'flood',
  'large-results',
  'rolling-restart',
  'slow-clients',
].map((name) => `test/faults/${name}.test.ts`);
/** Only the long form has the time for it. */
const LONG = 'test/faults/memory.test.ts';
const ELSEWHERE = [
  COPIES_AND_OUTAGES,
  LOST_AND_KILLED,
  ...MEASURED,
  ...(form === 'long' ? [] : [LONG]),
];

/** Mocha's arguments for each of the processes that run side by side. */
type Phase = readonly (readonly string[])[];

/**
 * `npm test`, `npm run test:faults` and `npm run test:browser`: mocha processes side by side on one set of
 * servers, the service as built, one phase after the other. Each output line carries the number of its
 * process, and the sum closes the run.
 */
const SUITES: Readonly<Record<Suite, readonly Phase[]>> = {
  all: [
    [
      ['test/acceptance/**/*.test.ts', 'test/integration/{adapters/**/,owasp/,}*.test.ts'],
      ['test/integration/{api,cloud-account,dev,migration,scan,worker}/**/*.test.ts'],
      ['test/integration/{cli,service}/**/*.test.ts', 'test/unit/**/*.test.ts'],
    ],
  ],
  browser: [[[BROWSER_STATES], ['test/browser/*.test.ts', '--ignore', BROWSER_STATES]]],
  faults: [
    [
      [COPIES_AND_OUTAGES],
      [LOST_AND_KILLED],
      ['test/faults/*.test.ts', ...ELSEWHERE.flatMap((files) => ['--ignore', files])],
    ],
    [MEASURED],
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
  const phases = SUITES[suite].map((groups, phase) =>
    groups.map((files, index) => {
      const name = `${phase + 1}.${index + 1}`;
      return {
        name,
        files,
        own: namespaces(`test-${phase + 1}-${index + 1}`, NAMESPACES_PER_PROCESS),
      };
    }),
  );
  const own = phases.flat().flatMap((group) => group.own);
  const stack = await startStack({ namespaces: own, progress: createProgress() });
  const results: Result[] = [];
  for (const groups of phases) {
    const runs = groups.map(({ name, files, own: names }) =>
      runMocha(name, files, environmentFor(stack, names)),
    );
    results.push(...(await Promise.all(runs)));
  }
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
