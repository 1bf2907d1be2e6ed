import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
export const PROGRAM = `${REPOSITORY}cli/dist/main.js`;
const BUILT = [process.execPath, PROGRAM];
/** The audit without a service, as it is published. */
export const AUDIT = [process.execPath, `${REPOSITORY}audit/dist/main.js`];
/** As somebody calls it who has cloned the repository. */
export const FROM_CHECKOUT = ['npm', 'run', '--silent', '--prefix', REPOSITORY, 'srs', '--'];

export type CommandLine = ReturnType<typeof commandLineIn>;
export type Running = ReturnType<CommandLine['start']>;
export type Ran = ReturnType<typeof ranOf>;

export const buildCommandLine = (): Promise<void> => build('cli');
export const buildAudit = (): Promise<void> => build('audit');

async function build(folder: string): Promise<void> {
  await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: REPOSITORY + folder });
}

/** The built program in its own folder and environment, without the developer's settings, as a process. */
export function commandLineIn(
  folder: string,
  environment: Record<string, string>,
  [command = '', ...program]: readonly string[] = BUILT,
) {
  const outputs: string[] = [];
  const start = (args: readonly string[], extra: Record<string, string> = {}) => {
    const child = spawn(command, [...program, ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...environment, ...extra },
      stdio: 'pipe',
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (piece: Buffer) => stdout.push(piece));
    child.stderr.on('data', (piece: Buffer) => stderr.push(piece));
    // A program may exit before it has read its whole input.
    child.stdin.on('error', () => undefined);
    const ended = once(child, 'close').then(([exitCode]) => {
      const said = Buffer.concat(stderr).toString();
      const ran = ranOf(exitCode as number | null, Buffer.concat(stdout), said);
      outputs.push(ran.stdout.toString('latin1'), ran.stderr);
      return ran;
    });
    return {
      stdin: child.stdin,
      kill: (signal: NodeJS.Signals) => void child.kill(signal),
      closeStdout: () => void child.stdout.destroy(),
      /** Resolves when it has written more to standard error. */
      moreStderr: () => once(child.stderr, 'data'),
      /** What it has written there so far. */
      stderr: () => Buffer.concat(stderr).toString(),
      ended,
    };
  };
  return {
    start,
    async run(args: readonly string[], extra?: Record<string, string>): Promise<Ran> {
      const running = start(args, extra);
      running.stdin.end();
      return await running.ended;
    },
    written: () => outputs.join('\n'),
  };
}

function ranOf(exitCode: number | null, stdout: Buffer, stderr: string) {
  const parsed = (text: string) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const documents = () => parsed(stdout.toString());
  const given = { exitCode, stdout, stderr, documents };
  return {
    ...given,
    /** The single document of standard output. */
    document() {
      const [first = assert.fail(stderr), ...more] = documents();
      assert.deepEqual(more, []);
      return first;
    },
    failure: () => parsed(stderr)[0] ?? assert.fail('it did not fail'),
  };
}
