import { readFileSync } from 'node:fs';
import type { Environment } from './environment.ts';

/** The variables that may be given as `<NAME>_FILE` instead: the path of a file that holds the value. */
export const SECRETS_BY_FILE = [
  'MONGODB_URI',
  'CREDENTIAL_KEYS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
] as const;

/**
 * Reads a variable, from its file where it is a secret that is given so. One newline at the end of a
 * file is not part of the secret. An empty file counts as unset, like an empty value.
 *
 * @param complain hears once of a secret that is given twice or cannot be read, which then has no value.
 *   Neither the value nor the path is in it: where somebody confuses the two, the path is the secret.
 */
export function createVariableReader(
  env: Environment,
  complain: (name: string, problem: string) => void,
): (name: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  const readSecret = (name: string): string | undefined => {
    const file = env[`${name}_FILE`];
    if (!file) return env[name] || undefined;
    const content = readSecretFile(file);
    if ('problem' in content) complain(name, content.problem);
    else if (content.value && env[name]) complain(name, `must not be set beside ${name}`);
    else return content.value || env[name] || undefined;
    return undefined;
  };

  return (name) => {
    if (!(SECRETS_BY_FILE as readonly string[]).includes(name)) return env[name] || undefined;
    if (!known.has(name)) known.set(name, readSecret(name));
    return known.get(name);
  };
}

function readSecretFile(file: string): { value: string } | { problem: string } {
  try {
    return { value: readFileSync(file, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return { problem: `must be the path of a file that can be read (${code})` };
  }
}
