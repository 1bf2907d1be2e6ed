import { randomUUID } from 'node:crypto';
import { mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT, LocalError } from './failure.ts';
import type { CliContext } from './context.ts';
import type { Renewal } from './tokens.ts';

/** The content of the credentials file. */
export interface Credentials {
  baseUrl?: string;
  apiKey?: string;
  dashboardToken?: string;
  /** Present after a login that can be renewed. */
  renewal?: Renewal;
}

type Place = Pick<CliContext, 'env' | 'homeFolder' | 'platform'>;

/** `$SRS_CREDENTIALS_FILE`, or `storage-routing/credentials.json` in the configuration folder. */
export function credentialsPath({ env, homeFolder }: Place): string {
  const own = env['SRS_CREDENTIALS_FILE'];
  if (own) return own;
  const folder = env['XDG_CONFIG_HOME'] || join(homeFolder, '.config');
  return join(folder, 'storage-routing', 'credentials.json');
}

/**
 * Reads the file, if it exists. The mode is read from the opened file, so a link cannot bypass the
 * check.
 *
 * @throws LocalError `credentials_file_unsafe` if other users can read or write it (not on
 *   Windows), `credentials_file_invalid`.
 */
export async function readCredentials(place: Place): Promise<Credentials> {
  const path = credentialsPath(place);
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return {};
  try {
    const { mode } = await file.stat();
    if (place.platform !== 'win32' && (mode & 0o077) !== 0) {
      const message = `${path} may be read or written by others: chmod 600 "${path}"`;
      throw new LocalError('credentials_file_unsafe', message, EXIT.usage);
    }
    return parse(await file.readFile('utf8'), path);
  } finally {
    await file.close();
  }
}

const FIELDS = ['baseUrl', 'apiKey', 'dashboardToken'] as const;

/** Error messages omit the text: it may contain a key. */
function parse(text: string, path: string): Credentials {
  const invalid = (why: string): LocalError =>
    new LocalError('credentials_file_invalid', `${path}: ${why}`, EXIT.usage);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('not a JSON object');
  }
  const credentials: Credentials = {};
  for (const field of FIELDS) {
    const stored = (value as Record<string, unknown>)[field];
    if (stored === undefined) continue;
    if (typeof stored !== 'string') throw invalid(`${field} is not a text`);
    credentials[field] = stored;
  }
  const { renewal } = value as { renewal?: Renewal };
  if (renewal !== undefined) {
    if (!isRenewal(renewal)) throw invalid('renewal is not that of a login');
    credentials.renewal = renewal;
  }
  if (credentials.baseUrl === undefined && (credentials.apiKey ?? credentials.dashboardToken)) {
    throw invalid('baseUrl is missing, so the service of these credentials is unknown');
  }
  return credentials;
}

function isRenewal(renewal: Partial<Record<keyof Renewal, unknown>> | null): boolean {
  if (typeof renewal !== 'object' || renewal === null) return false;
  const { issuer, clientId, refreshToken, expiresAt, resource = '' } = renewal;
  const texts = [issuer, clientId, refreshToken, expiresAt, resource];
  return texts.every((text) => typeof text === 'string') && URL.canParse(String(issuer));
}

/** Removes the file, of a link the one that it leads to; false if there is none. */
export async function removeCredentials(path: string): Promise<boolean> {
  try {
    await rm(await realpath(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Writes the file atomically, readable by its owner only; a link stays a link. */
export async function writeCredentials(path: string, credentials: Credentials): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const target = await realpath(path).catch(() => path);
  const temporary = `${target}.${randomUUID()}.tmp`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    try {
      await file.writeFile(`${JSON.stringify(credentials, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
