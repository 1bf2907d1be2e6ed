import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { FAILURE_CONVERTER } from '../adapters/temporal/data-converter.ts';

export interface WorkflowBundle {
  readonly code: string;
}

/** What Temporal can only be told when it bundles. */
export interface BundleFeatures {
  /** Failures of workflows hold message and stack as a payload. */
  readonly encodesFailures: boolean;
  /** Workflows make spans. */
  readonly traced: boolean;
}

const PLAIN: BundleFeatures = { encodesFailures: false, traced: false };

/** Each combination is a bundle, so that a worker loads only the code that it runs. */
export const BUNDLES: readonly BundleFeatures[] = [false, true].flatMap((encodesFailures) =>
  [false, true].map((traced) => ({ encodesFailures, traced })),
);

/** `@temporalio/interceptors-opentelemetry` has no export of this file, and means it for bundlers. */
const TRACING_INTERCEPTORS = '@temporalio/interceptors-opentelemetry/lib/workflow-interceptors';
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Written by the build: a worker in production starts without a bundler. */
export function builtBundle(features: BundleFeatures): string {
  return path.join(import.meta.dirname, `workflow-bundle${nameOf(features)}.js`);
}

/** The workflows as one script: the built one, otherwise one bundled from the sources and cached. */
export async function loadWorkflowBundle(
  features: BundleFeatures = PLAIN,
): Promise<WorkflowBundle> {
  const built = await readIfThere(builtBundle(features));
  if (built !== undefined) return { code: built };

  const name = `workflows-${await hashSources()}${nameOf(features)}.js`;
  const cached = path.join(cacheFolder(), name);
  const known = await readIfThere(cached);
  if (known !== undefined) return { code: known };
  const bundle = await makeWorkflowBundle(features);
  await mkdir(cacheFolder(), { recursive: true });
  await writeFile(`${cached}.${process.pid}`, bundle.code);
  await rename(`${cached}.${process.pid}`, cached);
  return bundle;
}

export function makeWorkflowBundle(features: BundleFeatures): Promise<WorkflowBundle> {
  const extension = import.meta.filename.endsWith('.ts') ? 'ts' : 'js';
  const requests = path.join(ROOT, `workflows/requests.${extension}`);
  return bundleWorkflowCode({
    workflowsPath: path.join(ROOT, `workflows/index.${extension}`),
    // The first one is the outermost: its span holds the rest.
    workflowInterceptorModules: features.traced ? [TRACING_INTERCEPTORS, requests] : [requests],
    ...(features.encodesFailures ? { failureConverterPath: FAILURE_CONVERTER } : {}),
    // Webpack's list of modules does not help operators.
    logger: new DefaultLogger('WARN'),
  });
}

function nameOf({ encodesFailures, traced }: BundleFeatures): string {
  return `${encodesFailures ? '-encoded' : ''}${traced ? '-traced' : ''}`;
}

function cacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache');
  return path.join(base, 'storage-routing-service', 'bundles');
}

/** The hash of the bundle's inputs: workflows, messages, domain, and the dependencies' versions. */
async function hashSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of ['workflows', 'messages', 'domain']) {
    const files = await readdir(path.join(ROOT, folder), { recursive: true });
    for (const file of files.filter((name) => /\.[jt]s$/.test(name)).sort()) {
      hash.update(`${folder}/${file}\0`).update(await readFile(path.join(ROOT, folder, file)));
    }
  }
  hash.update(await readFile(path.join(ROOT, 'package.json')));
  return hash.digest('hex').slice(0, 16);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
