import { readFileSync } from 'node:fs';
import type { EndpointOverrides } from '../adapters/object-store/address.ts';
import type { CipherKey } from '../adapters/vault/cipher.ts';
import type { StoreData } from '../domain/providers/catalogue.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that `<NAME>_FILE` may replace: the path of a file with the value. */
export const SECRETS_BY_FILE = [
  'MONGODB_URI',
  'CREDENTIAL_KEYS',
  'TEMPORAL_PAYLOAD_KEYS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
] as const;

const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;

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
  const config = build(new Reader(env, problems));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/**
 * Reads variables into typed values. A problem is added to `problems`, without the variable's
 * value, and reading continues, so that one run reports all problems.
 */
export class Reader {
  readonly #env: Environment;
  readonly #problems: string[];
  readonly #secrets = new Map<string, string | undefined>();
  readonly #unreadable = new Set<string>();

  constructor(env: Environment, problems: string[]) {
    this.#env = env;
    this.#problems = problems;
  }

  /** A secret whose file cannot be used is reported once, not as missing too. */
  complain(name: string, problem: string): void {
    if (!this.#unreadable.has(name)) this.#problems.push(`${name} ${problem}`);
  }

  missing(name: string): string {
    this.complain(name, 'is required');
    return '';
  }

  /** The value of a variable, or of its file; an empty one counts as unset. */
  optional(name: string): string | undefined {
    if (!(SECRETS_BY_FILE as readonly string[]).includes(name)) return this.#env[name] || undefined;
    if (!this.#secrets.has(name)) this.#secrets.set(name, this.#readSecret(name));
    return this.#secrets.get(name);
  }

  text(name: string, fallback: string): string {
    return this.optional(name) ?? fallback;
  }

  list(name: string): string[] {
    return this.text(name, '')
      .split(',')
      .flatMap((item) => item.trim() || []);
  }

  url(name: string): string | undefined {
    return this.#readUrl(name, ['http:', 'https:'], 'must be an http or https URL');
  }

  /** The content of a file of JSON; undefined without one. */
  jsonFile<T>(name: string, parse: (data: unknown) => T): T | undefined {
    const file = this.optional(name);
    if (file === undefined) return undefined;
    try {
      return parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch (error) {
      this.complain(name, `must be the path of a usable file: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** As a browser sends them. */
  origins(name: string): string[] {
    return this.#listOf(
      name,
      isOrigin,
      'origins such as https://app.example.com, in lower case, without a path or a slash at the end',
    );
  }

  hostNames(name: string): string[] {
    return this.#listOf(
      name,
      isHostName,
      'names of hosts such as hooks.example.com, in lower case, without scheme, port and path',
    );
  }

  httpsUrl(name: string): string | undefined {
    return this.#readUrl(name, ['https:'], 'must be an https URL');
  }

  /** Variables that must be set together or not at all. */
  together(names: readonly string[]): (string | undefined)[] {
    const values = names.map((name) => this.optional(name));
    const first = names.find((_, at) => values[at] !== undefined);
    for (const [at, name] of names.entries())
      if (first !== undefined && values[at] === undefined)
        this.complain(name, `is required if ${first} is set`);
    return values;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.text(name, String(fallback));
    if (/^\d{1,12}$/.test(value) && Number(value) >= min && Number(value) <= max)
      return Number(value);
    this.complain(name, `must be a whole number from ${min} to ${max}`);
    return fallback;
  }

  ports(name: string): readonly number[] {
    return this.#listOf(name, isPort, 'ports from 1 to 65535').map(Number);
  }

  limit(name: string): number {
    const value = this.optional(name);
    if (value === undefined) return Number.POSITIVE_INFINITY;
    if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
    this.complain(name, 'must be a whole number of at least 1; unlimited if it is left out');
    return Number.POSITIVE_INFINITY;
  }

  amount(name: string, fallback: number): number {
    const value = this.text(name, String(fallback));
    if (/^\d{1,9}(?:\.\d{1,6})?$/.test(value)) return Number(value);
    this.complain(name, 'must be an amount such as 1 or 0.5');
    return fallback;
  }

  oneOf<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = this.text(name, fallback);
    const chosen = choices.find((choice) => choice === value);
    if (chosen === undefined) this.complain(name, `must be one of ${choices.join(', ')}`);
    return chosen ?? fallback;
  }

  subset<T extends string>(name: string, choices: readonly T[]): readonly T[] {
    const named = this.list(name);
    const unknown = named.filter((item) => !(choices as readonly string[]).includes(item));
    if (unknown.length > 0)
      this.complain(name, `may name ${choices.join(', ')}; not ${unknown.join(', ')}`);
    return named.length === 0 ? choices : choices.filter((choice) => named.includes(choice));
  }

  mongoUri(name: string): string {
    const value = this.optional(name) ?? this.missing(name);
    if (value !== '' && !/^mongodb(\+srv)?:\/\//.test(value))
      this.complain(name, 'must be a mongodb:// URI');
    return value;
  }

  credentialKeys(name: string): readonly CipherKey[] {
    const keys = this.parseKeys(name, this.list(name));
    if (keys.length === 0) this.missing(name);
    return keys;
  }

  parseKeys(name: string, items: readonly string[]): readonly CipherKey[] {
    const keys = items.map((item): CipherKey => {
      const [keyId = '', text = ''] = item.split(/:(.*)/s);
      // Node's decoder skips invalid characters, so a mistyped key would decode to another key.
      return { keyId, key: Buffer.from(BASE64_OF_32_BYTES.test(text) ? text : '', 'base64') };
    });
    const broken = keys.some(
      ({ keyId, key }) => !/^[A-Za-z0-9._-]{1,64}$/.test(keyId) || key.length !== 32,
    );
    if (broken) this.complain(name, 'must be <key id>:<base64 of 32 bytes>, separated by commas');
    if (new Set(keys.map(({ keyId }) => keyId)).size < keys.length)
      this.complain(name, 'names a key id twice');
    return keys;
  }

  endpoints(stores: readonly StoreData[]): EndpointOverrides {
    return Object.fromEntries(
      stores.flatMap(({ provider }) => {
        const name = provider.toUpperCase().replaceAll('-', '_');
        const origin = this.url(`PROVIDER_ENDPOINT_${name}`);
        return origin === undefined ? [] : [[provider, origin]];
      }),
    );
  }

  #listOf(name: string, isItem: (text: string) => boolean, what: string): string[] {
    const named = this.list(name);
    if (!named.every(isItem)) this.complain(name, `must be ${what}, separated by commas`);
    return named;
  }

  #readUrl(name: string, protocols: readonly string[], problem: string): string | undefined {
    const value = this.optional(name);
    if (value === undefined) return undefined;
    const protocol = URL.canParse(value) ? new URL(value).protocol : '';
    if (!protocols.includes(protocol)) this.complain(name, problem);
    return value;
  }

  /** A problem is reported without the path, because a mistaken path may be the secret itself. */
  #readSecret(name: string): string | undefined {
    const value = this.#env[name] || undefined;
    const file = this.#env[`${name}_FILE`];
    if (!file) return value;
    const content = readSecretFile(file);
    if ('value' in content && !(content.value && value)) return content.value || value;
    this.complain(
      `${name}_FILE`,
      'problem' in content ? content.problem : `must not be set together with ${name}`,
    );
    this.#unreadable.add(name);
    return undefined;
  }
}

function isPort(text: string): boolean {
  return Number.isInteger(Number(text)) && Number(text) >= 1 && Number(text) <= 65_535;
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, origin } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && origin === text;
}

/** A name or an IPv4 address as it stands in a URL, or an IPv6 address in brackets. */
function isHostName(text: string): boolean {
  if (!/^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+$|^\[[0-9a-f:]+\]$/.test(text)) return false;
  return URL.canParse(`https://${text}`) && new URL(`https://${text}`).hostname === text;
}

/** One newline at the end of a file is not part of the secret. */
function readSecretFile(file: string): { value: string } | { problem: string } {
  try {
    return { value: readFileSync(file, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return { problem: `must be the path of a file that can be read (${code})` };
  }
}
