import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type BundleOptions } from '@temporalio/worker';
import { FAILURE_CONVERTER } from '../adapters/temporal/payload-codec.ts';
import { setFeatures, type WorkflowFeatures } from '../workflows/features.ts';

export interface WorkflowBundle {
  readonly code: string;
}

type WebpackConfiguration = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

const PLAIN: WorkflowFeatures = { encodesFailures: false, traced: false };
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const EXTENSION = import.meta.filename.endsWith('.ts') ? 'ts' : 'js';
const INTERCEPTORS = path.join(ROOT, `workflows/interceptors.${EXTENSION}`);
/** Written by the build: a worker in production starts without a bundler. */
export const BUILT_BUNDLE = path.join(import.meta.dirname, 'workflow-bundle.js');

/** The workflows as one script: the built one, else one bundled from the sources and cached. */
export async function loadWorkflowBundle(
  features: WorkflowFeatures = PLAIN,
): Promise<WorkflowBundle> {
  const code = (await readIfThere(BUILT_BUNDLE)) ?? (await loadCached());
  return { code: `${setFeatures(features)}${code}` };
}

async function loadCached(): Promise<string> {
  const cached = path.join(cacheFolder(), `workflows-${await hashSources()}.js`);
  const earlier = await readIfThere(cached);
  if (earlier !== undefined) return earlier;
  const { code } = await makeWorkflowBundle();
  await mkdir(cacheFolder(), { recursive: true });
  await writeFile(`${cached}.${process.pid}`, code);
  await rename(`${cached}.${process.pid}`, cached);
  return code;
}

export function makeWorkflowBundle(): Promise<WorkflowBundle> {
  return bundleWorkflowCode({
    workflowsPath: path.join(ROOT, `workflows/index.${EXTENSION}`),
    workflowInterceptorModules: [INTERCEPTORS],
    failureConverterPath: FAILURE_CONVERTER,
    webpackConfigHook: configure,
    // Webpack's list of modules does not help operators.
    logger: new DefaultLogger('WARN'),
  });
}

/**
 * The package's built files are ES modules, in which webpack does not resolve `require`. Each
 * queue's thread reads the source map: without the sources themselves a worker takes less memory,
 * and a stack trace names the same lines.
 */
function configure(config: WebpackConfiguration): WebpackConfiguration {
  const rule = { test: INTERCEPTORS, type: 'javascript/auto' };
  return {
    ...config,
    devtool: 'inline-nosources-source-map',
    module: { ...config.module, rules: [...(config.module?.rules ?? []), rule] },
  };
}

function cacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache');
  return path.join(base, 'storage-routing-service', 'bundles');
}

/** The hash of the bundle's inputs: workflows, messages, domain, and the dependencies' versions. */
async function hashSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of ['workflows', 'messages', 'domain', 'shared']) {
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
