import { sleep } from './deadline.ts';
import { invalidArgument } from './errors.ts';

/** Only `baseUrl` is required; each call requires its own kind of credential. */
export interface ClientOptions {
  /** The address of the service, for example `https://routing.example.com`. Its path is kept. */
  baseUrl: string;
  /** `svc_live_…` or `svc_test_…`: for uploads, files and `me`. */
  apiKey?: string | undefined;
  /** The access token of a dashboard login, or a function that is called before each attempt. */
  dashboardToken?: string | (() => string | Promise<string>) | undefined;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Milliseconds for one attempt of a call to the service; default 30,000. */
  timeoutMs?: number | undefined;
  /** Maximum milliseconds without progress of a transfer or a report; default 120,000. */
  stallTimeoutMs?: number | undefined;
  /** Maximum number of retries of a failed call; default 3, 0 for none. */
  maxRetries?: number | undefined;
}

/** Time and chance; tests replace them. */
export interface Clock {
  /** In [0, 1). */
  random: () => number;
  /** Ends early when the signal is aborted. */
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Milliseconds since 1970. */
  now: () => number;
}

export const CLOCK: Clock = { random: Math.random, sleep, now: Date.now };

/** The validated options, with defaults. */
export interface Settings extends Clock {
  baseUrl: string;
  apiKey: (() => string) | undefined;
  dashboardToken: (() => string | Promise<string>) | undefined;
  fetch: typeof fetch;
  timeoutMs: number;
  stallTimeoutMs: number;
  maxRetries: number;
}

/** @throws StorageRoutingError `invalid_argument` for an invalid address, number or credential. */
export function settingsFrom(options: ClientOptions, clock: Clock): Settings {
  const { apiKey, dashboardToken } = options;
  if (apiKey !== undefined) checkToken('apiKey', apiKey);
  if (typeof dashboardToken === 'string') checkToken('dashboardToken', dashboardToken);
  return {
    baseUrl: checkedBaseUrl(options.baseUrl),
    apiKey: apiKey === undefined ? undefined : () => apiKey,
    dashboardToken: typeof dashboardToken === 'string' ? () => dashboardToken : dashboardToken,
    ...putSettingsFrom(options),
    timeoutMs: atLeast(1, 'timeoutMs', options.timeoutMs ?? 30_000),
    maxRetries: atLeast(0, 'maxRetries', options.maxRetries ?? 3),
    ...clock,
  };
}

/** The settings of a PUT. @throws StorageRoutingError `invalid_argument` for an invalid number. */
export function putSettingsFrom({
  fetch,
  stallTimeoutMs = 120_000,
}: Pick<ClientOptions, 'fetch' | 'stallTimeoutMs'>): Pick<Settings, 'fetch' | 'stallTimeoutMs'> {
  return {
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    stallTimeoutMs: atLeast(1, 'stallTimeoutMs', stallTimeoutMs),
  };
}

/**
 * Validates that a token can be sent in a header, because the error of `fetch` would quote the
 * value.
 *
 * @throws StorageRoutingError `invalid_argument`, without the token.
 */
export function checkToken(name: string, token: unknown): asserts token is string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return;
  throw invalidArgument(`${name} must be visible ASCII characters without spaces or line ends`);
}

function checkedBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalidArgument('baseUrl must be an http or https address');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw invalidArgument('baseUrl must have no user name, password, query or fragment');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function atLeast(least: number, name: string, value: number): number {
  if (Number.isInteger(value) && value >= least && value <= 2 ** 31 - 1) return value;
  throw invalidArgument(`${name} must be a whole number from ${least} to 2147483647`);
}
