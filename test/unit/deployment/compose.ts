import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

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

const SETTINGS = ['api', 'shared', 'worker'].map((file) => readText(`config/${file}.ts`)).join('');
/** Whether the configuration reads the variable. */
export const isSetting = (name: string): boolean => SETTINGS.includes(`'${name}'`);
