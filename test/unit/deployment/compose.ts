import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readApiConfig } from '../../../config/api.ts';
import { SECRETS_BY_FILE, type Environment } from '../../../config/environment.ts';
import { readWorkerConfig } from '../../../config/worker.ts';
import { REQUIRED } from '../config-problems.ts';

export const ROOT = join(import.meta.dirname, '../../..');

/** The fields that the tests read; the schema checks the complete form. */
export interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly target?: string };
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly secrets?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly container_name?: string;
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** `docker-compose.yml` with its anchors merged, not interpolated. */
export function readCompose(): ComposeFile {
  return parse(readText('docker-compose.yml'), { merge: true }) as ComposeFile;
}

/** Those that each process has its own of, or that a platform sets. */
const OWN =
  /^(HOST|PORT|METRICS_PORT|WORKER_QUEUES|AWS_REGION|TEMPORAL_(DEPLOYMENT_NAME|WORKER_BUILD_ID))$/;
/** Read by Temporal's own configuration of clients. */
const OF_TEMPORAL = ['TEMPORAL_API_KEY', 'TEMPORAL_TLS'];

/** Every variable that a process reads, as its configuration asks for it. A secret that may be a file has the name without `_FILE`. */
function variablesOf(read: (env: Environment) => unknown): readonly string[] {
  const names = new Set<string>(OF_TEMPORAL);
  const env = new Proxy<Environment>(REQUIRED, {
    get(values, name) {
      const secret = SECRETS_BY_FILE.find((each) => name === `${each}_FILE`);
      names.add(secret ?? String(name));
      return values[String(name)];
    },
  });
  read(env);
  return [...names];
}

const OF_API = variablesOf(readApiConfig);
const OF_WORKER = variablesOf(readWorkerConfig);
export const ALL_SETTINGS: readonly string[] = [...new Set([...OF_API, ...OF_WORKER])];

/** The variables that a deployment passes to the API, or to a worker. */
export const settingsOf = (process: 'api' | 'worker'): readonly string[] =>
  (process === 'api' ? OF_API : OF_WORKER).filter((name) => !OWN.test(name));

/** Whether the configuration reads the variable. */
export const isSetting = (name: string): boolean => ALL_SETTINGS.includes(name);

/** The name of a variable, or of the secret whose file it names. */
export const settingName = (variable: string): string =>
  SECRETS_BY_FILE.find((secret) => variable === `${secret}_FILE`) ?? variable;
