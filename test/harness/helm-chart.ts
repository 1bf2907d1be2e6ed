import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { ROOT } from '../unit/deployment/compose.ts';
import { programPath } from './programs.ts';

const run = promisify(execFile);

/** Undefined where there is none. */
export const helm = programPath('helm');
export const CHART = `${ROOT}/deploy/helm/storage-routing`;
/** The oldest one that the chart permits. A helm without a version of its own takes itself for 1.20. */
export const KUBERNETES = ['--kube-version', '1.30.0'] as const;

/** What a command of helm prints. Rejects with what it says where it fails. */
export async function runHelm(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(helm ?? 'helm', args);
  return stdout;
}

/** The objects of the chart, or of a package of it, with the values of `--set` and the like. */
export async function renderChart<T>(args: readonly string[] = [], chart = CHART): Promise<T[]> {
  const text = await runHelm('template', 'release', chart, ...KUBERNETES, ...args);
  return parseAllDocuments(text).map((document) => document.toJS() as T);
}
