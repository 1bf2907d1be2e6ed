import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startReaper } from './reaper.ts';
import { spawnProcess, type ProcessHandle, type ProcessSpec } from './process-handle.ts';

export type { ProcessHandle, ProcessSpec } from './process-handle.ts';

/** The processes of one run, their logs and their data. */
export interface Processes {
  /** The run's folder in the system's temporary folder. */
  folder: string;
  logFolder: string;
  dataFolder: string;
  /** Starts a process; `handle.ready` resolves when it serves. */
  spawn(spec: ProcessSpec): ProcessHandle;
  /**
   * Starts a process and waits until it serves.
   * @throws Error with the end of its log if it ends or does not serve in time
   */
  start(spec: ProcessSpec): Promise<ProcessHandle>;
  /** Stops all processes and removes the data; keeps the logs only after a failure. */
  stopAll(): Promise<void>;
}

/** @param report called for processes that end unexpectedly */
export function createProcesses(report: (text: string) => void): Processes {
  const folder = mkdtempSync(join(tmpdir(), 'storage-routing-service-'));
  const logFolder = join(folder, 'logs');
  const dataFolder = join(folder, 'data');
  mkdirSync(logFolder);
  mkdirSync(dataFolder);
  const reaper = startReaper(dataFolder);
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
      reaper,
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
      reaper.close();
    },
  };
}
