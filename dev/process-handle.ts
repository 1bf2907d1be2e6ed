import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import process from 'node:process';
import { tailOf } from './commands.ts';
import type { Guardian } from './guardian.ts';
import { isSoon } from './probes.ts';
import type { ProcessSpec } from './processes.ts';

export interface ProcessHandle {
  readonly name: string;
  readonly logFile: string;
  readonly pid: number;
  readonly isRunning: boolean;
  /** Settles when the present run serves; rejects, with the end of its log, where it never will. */
  readonly ready: Promise<void>;
  /** Sends the signal (SIGKILL) to its whole process group and waits until it is gone; no failure is reported. */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts it again with the same port and data, after `kill` if it still runs, and waits until it serves. */
  restart(): Promise<void>;
  /** Resolves once none of its threads runs any more. */
  pause(): Promise<void>;
  resume(): void;
  /** SIGTERM, and SIGKILL where that does not help in time. */
  stop(): Promise<void>;
  /** Waits for the end, whatever brings it. */
  readonly exited: Promise<void>;
}

interface HandleDeps {
  logFile: string;
  guardian: Guardian;
  onFailure: (text: string) => void;
}

const INHERITED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TMPDIR|JAVA_HOME|XDG_.*|DYLD_.*|LD_.*)$/;

/** One run of a process; a restart makes a new one. */
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
  // A group of its own: Ctrl-C reaches us alone, and we end things in their order.
  const child = spawn(spec.command, spec.args, {
    detached: true,
    cwd: spec.folder,
    env: { ...inheritedEnvironment(), ...spec.environment },
    stdio: [spec.keepsStdin ? 'pipe' : 'ignore', log, log],
  });
  closeSync(log);
  child.stdin?.on('error', () => {});
  const pid = child.pid ?? 0;
  if (pid > 0) deps.guardian.watch(pid);

  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(`ended by itself (${signal ?? `code ${code}`})`));
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
      // What it may have started itself must not outlive it.
      signalGroup(pid, 'SIGKILL');
      deps.guardian.forget(pid);
    }
    return how;
  });
  run.exited = ended.then(() => {});
  let isUp = false;
  run.ready = waitUntilReady(spec, run, ended, deps).then(() => void (isUp = true));
  // Whoever waits for it hears of a failure; nobody has to.
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
  const tail = await tailOf(logFile);
  return `${name} ${how}. The end of its log, ${logFile}:\n${tail.replaceAll(/^/gm, '    ')}`;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 0) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Already gone, which is all that is ever wanted here.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * The signal is taken by one thread, which may have to wait for a processor, and until then the others
 * go on. Linux tells of each; elsewhere the signal has to be enough.
 */
async function isStopped(pid: number): Promise<boolean> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch(() => []);
  const states = await Promise.all(
    threads.map(
      async (thread) => await readFile(`${folder}/${thread}/stat`, 'utf8').catch(() => ''),
    ),
  );
  // Behind the name, which is in brackets and may hold anything; a thread that has gone says nothing.
  return states.every((stat) => stat === '' || /\) [TtZX] [^)]*$/.test(stat));
}

function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED.test(name)));
}
