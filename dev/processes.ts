import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGuardian } from './guardian.ts';
import { spawnProcess, type ProcessHandle } from './process-handle.ts';

export type { ProcessHandle } from './process-handle.ts';

/** How a process is run, and how one knows that it serves. */
export interface ProcessSpec {
  name: string;
  command: string;
  args: readonly string[];
  /** On top of a short list (PATH, HOME and the like): servers shall not read the developer's settings. */
  environment?: Readonly<Record<string, string>>;
  folder?: string;
  /** Give it an input that closes when we end. */
  keepsStdin?: boolean;
  isReady: () => Promise<boolean>;
  readyWithinMs: number;
  /** From SIGTERM to SIGKILL; 5 s. */
  stopWithinMs?: number;
}

/** The processes of one run, their logs and their data. */
export interface Processes {
  /** The run's folder in the system's temporary folder. */
  folder: string;
  logFolder: string;
  dataFolder: string;
  /** Starts one; `handle.ready` says when it serves. */
  spawn(spec: ProcessSpec): ProcessHandle;
  /**
   * Starts one and waits until it serves.
   * @throws Error with the end of its log where it ends or stays silent instead
   */
  start(spec: ProcessSpec): Promise<ProcessHandle>;
  /** Stops all, the last started first, and removes data; logs stay only where something failed. */
  stopAll(): Promise<void>;
}

/** @param report hears of processes that end by themselves */
export function createProcesses(report: (text: string) => void): Processes {
  const folder = mkdtempSync(join(tmpdir(), 'storage-routing-service-'));
  const logFolder = join(folder, 'logs');
  const dataFolder = join(folder, 'data');
  mkdirSync(logFolder);
  mkdirSync(dataFolder);
  const guardian = startGuardian(dataFolder);
  const handles: ProcessHandle[] = [];
  let hasFailed = false;

  const onFailure = (text: string) => {
    hasFailed = true;
    report(text);
  };
  const spawn = (spec: ProcessSpec) => {
    const count = handles.filter(({ name }) => name === spec.name).length;
    const logName = count === 0 ? spec.name : `${spec.name}-${count + 1}`;
    const handle = spawnProcess(spec, {
      logFile: join(logFolder, `${logName}.log`),
      guardian,
      onFailure,
    });
    handles.push(handle);
    return handle;
  };

  return {
    folder,
    logFolder,
    dataFolder,
    spawn,
    async start(spec) {
      const handle = spawn(spec);
      await handle.ready;
      return handle;
    },
    async stopAll() {
      await Promise.all(handles.map((handle) => handle.stop()));
      await rm(dataFolder, { recursive: true, force: true });
      if (!hasFailed) await rm(folder, { recursive: true, force: true });
      guardian.close();
    },
  };
}
