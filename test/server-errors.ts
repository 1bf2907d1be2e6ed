import process from 'node:process';
import type { ServiceProcess } from '../dev/service.ts';

/** Prints the log lines of each 500: a server error is a defect, and the logs are removed with the run. */
export async function showServerErrors(apis: readonly ServiceProcess[]): Promise<void> {
  for (const api of apis) {
    const lines = (await api.readLog()).split('\n').filter((line) => line.includes('"status":500'));
    for (const line of lines) process.stderr.write(`${line}\n`);
  }
}
