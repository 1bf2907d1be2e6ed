import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import process from 'node:process';
import { silentProgress } from '../dev/system/progress.ts';
import { takeFreePort } from '../dev/system/ports.ts';
import { startStack } from '../dev/stack.ts';

/**
 * `npm run bench`: the start time of the processes, next to a bare Node.js HTTP server measured in the same run, so that
 * the machine's speed cancels out of the ratio.
 */
const RUNS = 5;
const TIME_LIMIT_MS = 120_000;
const BARE_SERVER = `require('node:http').createServer((q, s) => s.end('ok')).listen(process.env.PORT, '127.0.0.1')`;

interface Measurement {
  readonly what: string;
  readonly aimSeconds: number;
  readonly run: () => Promise<number>;
}

/** Milliseconds from the start of a process until `ready` resolves; the process is ended afterwards. */
async function timeStart(
  command: string[],
  env: NodeJS.ProcessEnv,
  ready: (child: ChildProcess) => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(command[0] ?? '', command.slice(1), {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  try {
    await Promise.race([
      ready(child),
      exited.then(([code]) => Promise.reject(new Error(`${command.join(' ')} ended with ${code}`))),
    ]);
    return performance.now() - startedAt;
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

async function untilAnswers(url: string): Promise<void> {
  const until = performance.now() + TIME_LIMIT_MS;
  while (performance.now() < until) {
    const answered = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${url} did not answer`);
}

/** Reads the output of `npm run dev` until it has the address and the key, then requests an upload. */
async function untilFirstUpload(child: ChildProcess): Promise<void> {
  let baseUrl: string | undefined;
  let apiKey: string | undefined;
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    baseUrl ??= /^export API='(\S+)'/.exec(line)?.[1];
    apiKey ??= /^export KEY='(\S+)'/.exec(line)?.[1];
    if (baseUrl && apiKey) break;
  }
  const response = await fetch(`${baseUrl}/v1/upload/init`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 1 }),
  });
  if (response.status !== 201)
    throw new Error(`init answered ${response.status}: ${await response.text()}`);
}

async function timeApi(environment: Readonly<Record<string, string>>): Promise<number> {
  const [port, metricsPort] = [await takeFreePort(), await takeFreePort()];
  const own = {
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
  };
  return timeStart(
    ['node', '--import', 'tsx', 'api/main.ts'],
    { ...process.env, ...environment, ...own },
    () => untilAnswers(`http://127.0.0.1:${port}/health`),
  );
}

async function timeBareServer(): Promise<number> {
  const port = await takeFreePort();
  return timeStart(['node', '-e', BARE_SERVER], { ...process.env, PORT: String(port) }, () =>
    untilAnswers(`http://127.0.0.1:${port}/`),
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function report({ what, aimSeconds, run }: Measurement): Promise<void> {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let index = 0; index < RUNS; index += 1) {
    ours.push(await run());
    bare.push(await timeBareServer());
  }
  const [ourMs, bareMs] = [median(ours), median(bare)];
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  process.stdout.write(
    `${what}: ${seconds(ourMs)} (${ours.map(seconds).join(', ')}), aim ${aimSeconds} s; ` +
      `a bare Node.js server: ${seconds(bareMs)}; ratio ${(ourMs / bareMs).toFixed(1)}\n`,
  );
}

const stack = await startStack({ progress: silentProgress });
await report({
  what: 'the API alone, from start to /health',
  aimSeconds: 1.5,
  run: () => timeApi(stack.environment),
});
await stack.stop();
await report({
  what: 'npm run dev, from start to the first 201',
  aimSeconds: 3,
  run: () =>
    timeStart(['npm', 'run', '--silent', 'dev'], { ...process.env, PORT: '' }, untilFirstUpload),
});
