import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, open, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import process from 'node:process';

export interface CommandOptions {
  logFile: string;
  timeoutMs: number;
  folder?: string;
  environment?: NodeJS.ProcessEnv;
}

/**
 * Runs a command to its end, its output in `logFile`.
 * @throws Error naming the log if it fails or takes longer than `timeoutMs`
 */
export async function runLogged(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<void> {
  const log = await open(options.logFile, 'a');
  try {
    await log.write(`$ ${command} ${args.join(' ')}\n`);
    await new Promise<void>((resolve, reject) => {
      const child = spawn(command, args, {
        cwd: options.folder,
        env: { ...process.env, ...options.environment },
        stdio: ['ignore', log.fd, log.fd],
        timeout: options.timeoutMs,
        killSignal: 'SIGKILL',
      });
      child.once('error', (error) => reject(error));
      child.once('exit', (code, signal) => {
        if (code === 0) resolve();
        else
          reject(
            new Error(`${command} ended with ${signal ?? `code ${code}`}; log: ${options.logFile}`),
          );
      });
    });
  } finally {
    await log.close();
  }
}

/** The output of a short command, stdout and stderr together. */
export async function readOutput(command: string, args: readonly string[]): Promise<string> {
  return await new Promise<string>((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 20_000 });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(text);
      else
        reject(
          new Error(
            `${command} ended with ${signal ?? `code ${code}`}: ${text.trim().slice(-300)}`,
          ),
        );
    });
  });
}

/** The full path of a program on the PATH, or undefined. */
export async function findOnPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)) {
    const candidate = join(folder, name);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

/** @throws Error saying which program is missing */
export async function requireOnPath(name: string): Promise<string> {
  const path = await findOnPath(name);
  if (path === undefined) throw new Error(`${name} is not on the PATH`);
  return path;
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

const TAIL_LINES = 20;

/** The last lines of a log, for error messages. */
export async function readTail(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}
