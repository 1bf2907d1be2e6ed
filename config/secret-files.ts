import { readFileSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that `<NAME>_FILE` may replace: the path of a file with the value. */
export const SECRETS_BY_FILE = [
  'MONGODB_URI',
  'CREDENTIAL_KEYS',
  'TEMPORAL_PAYLOAD_KEYS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
] as const;

/**
 * Reads a variable, or its file. One newline at the end of a file is not part of the secret. An empty
 * file counts as unset, like an empty value.
 *
 * @param complain called once for a secret that is set twice or cannot be read; the secret then has no
 *   value. It gets neither value nor path, because a mistaken path may be the secret itself.
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
