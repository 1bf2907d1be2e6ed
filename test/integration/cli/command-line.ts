import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
export const PROGRAM = `${REPOSITORY}cli/dist/main.js`;
const BUILT = [process.execPath, PROGRAM];
/** As somebody calls it who has cloned the repository. */
export const FROM_CHECKOUT = ['npm', 'run', '--silent', '--prefix', REPOSITORY, 'srs', '--'];

/** The result of one run of the program. */
export interface Ran {
  exitCode: number | null;
  stdout: Buffer;
  stderr: string;
  /** The JSON documents of standard output, one per line. */
  documents: () => Record<string, unknown>[];
  /** The single document of standard output. */
  document: () => Record<string, unknown>;
  failure: () => Record<string, unknown>;
}

/** A running program. */
export interface Running {
  stdin: NodeJS.WritableStream;
  kill: (signal: NodeJS.Signals) => void;
  closeStdout: () => void;
  /** What it has written to standard error so far. */
  stderr: () => string;
  /** Resolves when it has written more of it. */
  moreStderr: () => Promise<unknown>;
  ended: Promise<Ran>;
}

/** The built program, run as a separate process. */
export interface CommandLine {
  start(args: readonly string[], environment?: Record<string, string>): Running;
  /** Starts it and waits for its exit. */
  run(args: readonly string[], environment?: Record<string, string>): Promise<Ran>;
  /** The output of all runs so far. */
  written(): string;
}

/** Builds the program, which takes about two seconds. */
export async function buildCommandLine(): Promise<void> {
  await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: `${REPOSITORY}cli` });
}

/** The built program in its own folder and environment, without the developer's settings. */
export function commandLineIn(
  folder: string,
  environment: Record<string, string>,
  [command = '', ...program]: readonly string[] = BUILT,
): CommandLine {
  const outputs: string[] = [];
  const commandLine: CommandLine = {
    start(args, extra = {}) {
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
        const ran = ranOf(exitCode as number | null, Buffer.concat(stdout), Buffer.concat(stderr));
        outputs.push(ran.stdout.toString('latin1'), ran.stderr);
        return ran;
      });
      return {
        stdin: child.stdin,
        kill: (signal) => void child.kill(signal),
        closeStdout: () => void child.stdout.destroy(),
        moreStderr: () => once(child.stderr, 'data'),
        stderr: () => Buffer.concat(stderr).toString(),
        ended,
      };
    },
    async run(args, extra) {
      const running = commandLine.start(args, extra);
      running.stdin.end();
      return await running.ended;
    },
    written: () => outputs.join('\n'),
  };
  return commandLine;
}

function ranOf(exitCode: number | null, stdout: Buffer, stderr: Buffer): Ran {
  const parsed = (text: string) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const ran: Ran = {
    exitCode,
    stdout,
    stderr: stderr.toString(),
    documents: () => parsed(stdout.toString()),
    document() {
      const all = ran.documents();
      assert.equal(all.length, 1, `${stdout.toString()}\n${ran.stderr}`);
      return all[0] ?? assert.fail();
    },
    failure: () => parsed(ran.stderr)[0] ?? assert.fail('it did not fail'),
  };
  return ran;
}
