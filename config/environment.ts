import { readFileSync } from 'node:fs';
import type { EndpointOverrides } from '../adapters/object-store/address.ts';
import { NO_KEYS, type PayloadKeys } from '../adapters/temporal/payload-codec.ts';
import type { CipherKey } from '../adapters/vault/cipher.ts';
import { PROVIDER_NAMES, type ProviderName } from '../domain/provider/catalogue.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Reader = ReturnType<typeof createReader>;

const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;
const PLAIN = 'plain';

/** All problems of the environment in one error. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(problems: readonly string[]) {
    super(
      `The environment is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  }
}

/** @throws ConfigError that names every problem at once. */
export function readConfig<T>(env: Environment, build: (from: Reader) => T): T {
  const problems: string[] = [];
  const config = build(createReader(env, problems));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/**
 * Reads variables into typed values. A problem is added to `problems`, without the variable's value, and
 * reading continues, so that one run reports all problems.
 */
function createReader(env: Environment, problems: string[]) {
  // A secret with an unreadable file is reported once, not as missing too.
  const unreadable = new Set<string>();
  const complain = (name: string, problem: string): void => {
    if (!unreadable.has(name)) problems.push(`${name} ${problem}`);
  };
  const optional = createVariableReader(env, (name, problem) => {
    complain(`${name}_FILE`, problem);
    unreadable.add(name);
  });
  const missing = (name: string): string => {
    complain(name, 'is required');
    return '';
  };
  const list = (name: string): string[] =>
    (optional(name) ?? '').split(',').flatMap((item) => item.trim() || []);
  const readUrl = (name: string, protocols: readonly string[], problem: string) => {
    const value = optional(name);
    if (
      value !== undefined &&
      !protocols.includes(URL.canParse(value) ? new URL(value).protocol : '')
    ) {
      complain(name, problem);
    }
    return value;
  };
  const url = (name: string): string | undefined =>
    readUrl(name, ['http:', 'https:'], 'must be an http or https URL');

  const cipherKeys = (name: string, items: readonly string[]): readonly CipherKey[] => {
    const keys = items.map((item): CipherKey => {
      const [keyId = '', text = ''] = item.split(/:(.*)/s);
      // Node's decoder skips invalid characters, so a mistyped key would decode to another key.
      return { keyId, key: Buffer.from(BASE64_OF_32_BYTES.test(text) ? text : '', 'base64') };
    });
    const broken = keys.some(
      ({ keyId, key }) => !/^[A-Za-z0-9._-]{1,64}$/.test(keyId) || key.length !== 32,
    );
    if (broken) complain(name, 'must be <key id>:<base64 of 32 bytes>, separated by commas');
    if (new Set(keys.map(({ keyId }) => keyId)).size < keys.length)
      complain(name, 'names a key id twice');
    return keys;
  };

  return {
    complain,
    optional,
    missing,
    list,
    url,
    httpsUrl: (name: string): string | undefined =>
      readUrl(name, ['https:'], 'must be an https URL'),
    text: (name: string, fallback: string): string => optional(name) ?? fallback,

    /** Variables that must be set together or not at all. */
    together(names: readonly string[]): (string | undefined)[] {
      const set = names.filter((name) => optional(name) !== undefined);
      const [first] = set;
      for (const name of names)
        if (first !== undefined && !set.includes(name))
          complain(name, `is required if ${first} is set`);
      return names.map(optional);
    },

    integer(name: string, fallback: number, min: number, max: number): number {
      const value = optional(name) ?? String(fallback);
      if (/^\d{1,12}$/.test(value) && Number(value) >= min && Number(value) <= max)
        return Number(value);
      complain(name, `must be a whole number from ${min} to ${max}`);
      return fallback;
    },

    limit(name: string): number {
      const value = optional(name);
      if (value === undefined) return Number.POSITIVE_INFINITY;
      if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
      complain(name, 'must be a whole number of at least 1; unlimited if it is left out');
      return Number.POSITIVE_INFINITY;
    },

    amount(name: string, fallback: number): number {
      const value = optional(name) ?? String(fallback);
      if (/^\d{1,9}(?:\.\d{1,6})?$/.test(value)) return Number(value);
      complain(name, 'must be an amount such as 1 or 0.5');
      return fallback;
    },

    oneOf<T extends string>(name: string, choices: readonly T[], fallback: T): T {
      const value = optional(name) ?? fallback;
      const chosen = choices.find((choice) => choice === value);
      if (chosen === undefined) complain(name, `must be one of ${choices.join(', ')}`);
      return chosen ?? fallback;
    },

    subset<T extends string>(name: string, choices: readonly T[]): readonly T[] {
      const named = list(name);
      const unknown = named.filter((item) => !(choices as readonly string[]).includes(item));
      if (unknown.length > 0)
        complain(name, `may name ${choices.join(', ')}; not ${unknown.join(', ')}`);
      return named.length === 0 ? choices : choices.filter((choice) => named.includes(choice));
    },

    mongoUri(name: string): string {
      const value = optional(name) ?? missing(name);
      if (value !== '' && !/^mongodb(\+srv)?:\/\//.test(value))
        complain(name, 'must be a mongodb:// URI');
      return value;
    },

    credentialKeys(name: string): readonly CipherKey[] {
      const keys = cipherKeys(name, list(name));
      if (keys.length === 0) missing(name);
      return keys;
    },

    /** `plain` in the first place: nothing new is encrypted. */
    payloadKeys(name: string): PayloadKeys {
      const [first, ...rest] = list(name);
      if (first === undefined) return NO_KEYS;
      const encrypts = first !== PLAIN;
      return { encrypts, keys: cipherKeys(name, encrypts ? [first, ...rest] : rest) };
    },

    endpoints(): EndpointOverrides {
      const variable = (provider: ProviderName) => `PROVIDER_ENDPOINT_${provider.toUpperCase()}`;
      return Object.fromEntries(
        PROVIDER_NAMES.flatMap((provider) => {
          const origin = url(variable(provider));
          return origin === undefined ? [] : [[provider, origin]];
        }),
      );
    },
  };
}

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
function createVariableReader(
  env: Environment,
  complain: (name: string, problem: string) => void,
): (name: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  const readSecret = (name: string): string | undefined => {
    const file = env[`${name}_FILE`];
    if (!file) return env[name] || undefined;
    const content = readSecretFile(file);
    if ('problem' in content) complain(name, content.problem);
    else if (content.value && env[name]) complain(name, `must not be set together with ${name}`);
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
