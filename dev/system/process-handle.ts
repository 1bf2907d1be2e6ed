import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import process from 'node:process';
import { readTail } from './commands.ts';
import type { Reaper } from './reaper.ts';
import { isSoon } from './probes.ts';

/** How to run a process and how to detect that it serves. */
export interface ProcessSpec {
  name: string;
  command: string;
  args: readonly string[];
  /** Added to a short list (PATH, HOME and the like): servers must not read the developer's settings. */
  environment?: Readonly<Record<string, string>>;
  folder?: string;
  /** Connects its stdin to this process, so that it closes when this process ends. */
  keepsStdin?: boolean;
  isReady: () => Promise<boolean>;
  readyWithinMs: number;
  /** Time from SIGTERM to SIGKILL; default 5 s. */
  stopWithinMs?: number;
}

export interface ProcessHandle {
  readonly name: string;
  readonly logFile: string;
  readonly pid: number;
  readonly isRunning: boolean;
  /** Resolves when the current run serves; rejects with the end of its log if it ends first or times out. */
  readonly ready: Promise<void>;
  /** Sends the signal (SIGKILL) to its process group and waits for the exit; reports no failure. */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Restarts it with the same port and data, after `kill` if it still runs, and waits until it serves. */
  restart(): Promise<void>;
  /** Resolves when all of its threads are stopped. */
  pause(): Promise<void>;
  resume(): void;
  /** SIGTERM, then SIGKILL after the timeout. */
  stop(): Promise<void>;
  /** Resolves when the process has ended. */
  readonly exited: Promise<void>;
}

interface HandleDeps {
  logFile: string;
  reaper: Reaper;
  onFailure: (text: string) => void;
}

const INHERITED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TMPDIR|JAVA_HOME|XDG_.*|DYLD_.*|LD_.*)$/;

/** One run of a process; a restart creates a new one. */
interface Run {
  child: ChildProcess;
  pid: number;
  isRunning: boolean;
  isEndExpected: boolean;
  exited: Promise<void>;
  ready: Promise<void>;
}

export function spawnProcess(spec: ProcessSpec, deps: HandleDeps): ProcessHandle {
  let run = startRun(spec, deps);

  const kill = async (signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL') => {
    run.isEndExpected = true;
    if (run.isRunning) signalGroup(run.pid, signal);
    await run.exited;
  };
  const stop = async () => {
    run.isEndExpected = true;
    if (!run.isRunning) return;
    const hardEnd = setTimeout(() => signalGroup(run.pid, 'SIGKILL'), spec.stopWithinMs ?? 5_000);
    signalGroup(run.pid, 'SIGTERM');
    signalGroup(run.pid, 'SIGCONT');
    await run.exited;
    clearTimeout(hardEnd);
  };

  return {
    name: spec.name,
    logFile: deps.logFile,
    get pid() {
      return run.pid;
    },
    get isRunning() {
      return run.isRunning;
    },
    get ready() {
      return run.ready;
    },
    get exited() {
      return run.exited;
    },
    kill,
    stop,
    async pause() {
      signalGroup(run.pid, 'SIGSTOP');
      await isSoon(() => isStopped(run.pid), { withinMs: 5_000, everyMs: 5 });
    },
    resume: () => signalGroup(run.pid, 'SIGCONT'),
    async restart() {
      await kill();
      run = startRun(spec, deps);
      await run.ready;
    },
  };
}

function startRun(spec: ProcessSpec, deps: HandleDeps): Run {
  const log = openSync(deps.logFile, 'a');
  // A process group of its own: Ctrl-C reaches only this process, which stops the others in order.
  const child = spawn(spec.command, spec.args, {
    detached: true,
    cwd: spec.folder,
    env: { ...inheritedEnvironment(), ...spec.environment },
    stdio: [spec.keepsStdin ? 'pipe' : 'ignore', log, log],
  });
  closeSync(log);
  child.stdin?.on('error', () => {});
  const pid = child.pid ?? 0;
  if (pid > 0) deps.reaper.watch(pid);

  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      resolve(`ended unexpectedly (${signal ?? `code ${code}`})`),
    );
  });
  const run: Run = {
    child,
    pid,
    isRunning: pid > 0,
    isEndExpected: false,
    exited: exited.then(() => {}),
    ready: Promise.resolve(),
  };
  const ended = exited.then((how) => {
    run.isRunning = false;
    if (pid > 0) {
      // End the children that it may have started.
      signalGroup(pid, 'SIGKILL');
      deps.reaper.forget(pid);
    }
    return how;
  });
  run.exited = ended.then(() => {});
  let isUp = false;
  run.ready = waitUntilReady(spec, run, ended, deps).then(() => void (isUp = true));
  // Callers may ignore `ready`: no unhandled rejection then.
  run.ready.catch(() => {});
  void ended.then(async (how) => {
    if (!run.isEndExpected && isUp)
      deps.onFailure(await describeFailure(spec.name, how, deps.logFile));
  });
  return run;
}

async function waitUntilReady(
  spec: ProcessSpec,
  run: Run,
  ended: Promise<string>,
  deps: HandleDeps,
): Promise<void> {
  const giveUp = () => !run.isRunning;
  const isReady = await isSoon(spec.isReady, { withinMs: spec.readyWithinMs, giveUp });
  if (isReady && run.isRunning) return;
  const how = run.isRunning ? `did not serve within ${spec.readyWithinMs} ms` : await ended;
  const text = await describeFailure(spec.name, how, deps.logFile);
  if (!run.isEndExpected) deps.onFailure(text);
  throw new Error(text);
}

async function describeFailure(name: string, how: string, logFile: string): Promise<string> {
  const tail = await readTail(logFile);
  return `${name} ${how}. The end of its log, ${logFile}:\n${tail.replaceAll(/^/gm, '    ')}`;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 0) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // The process has already ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * One thread handles the signal, and the others continue until it is scheduled. Linux reports the state
 * of each thread; other systems rely on the signal.
 */
async function isStopped(pid: number): Promise<boolean> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch(() => []);
  const states = await Promise.all(
    threads.map(
      async (thread) => await readFile(`${folder}/${thread}/stat`, 'utf8').catch(() => ''),
    ),
  );
  // The state follows the name in brackets; a thread that has ended has no stat.
  return states.every((stat) => stat === '' || /\) [TtZX] [^)]*$/.test(stat));
}

function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED.test(name)));
}
