import { sleep } from './deadline.ts';
import { invalidArgument } from './errors.ts';

/** How a client is made. Only `baseUrl` is required; each call needs its own kind of credential. */
export interface ClientOptions {
  /** Where the service stands, for example `https://routing.example.com`. A path in it is kept. */
  baseUrl: string;
  /** `svc_live_…` or `svc_test_…`: for uploads, files and `me`. */
  apiKey?: string | undefined;
  /** The access token of a dashboard login, or a function that gives a fresh one: asked before each attempt. */
  dashboardToken?: string | (() => string | Promise<string>) | undefined;
  /** Instead of the runtime's own `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Milliseconds for one attempt of a call to the service; 30,000 unless told otherwise. */
  timeoutMs?: number | undefined;
  /** Milliseconds in which at least something of an upload, a download or a migration's report must move on; 120,000 unless told otherwise. */
  stallTimeoutMs?: number | undefined;
  /** How often a call that failed may be sent again; 3 unless told otherwise, 0 for never. */
  maxRetries?: number | undefined;
  /** Chance, from 0 up to but not 1, for tests. */
  random?: (() => number) | undefined;
  /** How to wait, for tests. It ends early when the signal is aborted. */
  sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** Milliseconds since 1970, for tests: what an HTTP date in `Retry-After` is held against. */
  now?: (() => number) | undefined;
}

/** The options, checked and complete. */
export interface Settings {
  baseUrl: string;
  apiKey: (() => string) | undefined;
  dashboardToken: (() => string | Promise<string>) | undefined;
  fetch: typeof fetch;
  timeoutMs: number;
  stallTimeoutMs: number;
  maxRetries: number;
  random: () => number;
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  now: () => number;
}

/** @throws StorageRoutingError `invalid_argument` for an address, number or credential that cannot be meant. */
export function settingsFrom(options: ClientOptions): Settings {
  const { apiKey, dashboardToken } = options;
  if (apiKey !== undefined) checkToken('apiKey', apiKey);
  if (typeof dashboardToken === 'string') checkToken('dashboardToken', dashboardToken);
  return {
    baseUrl: checkedBaseUrl(options.baseUrl),
    apiKey: apiKey === undefined ? undefined : () => apiKey,
    dashboardToken: typeof dashboardToken === 'string' ? () => dashboardToken : dashboardToken,
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs: atLeast(1, 'timeoutMs', options.timeoutMs ?? 30_000),
    stallTimeoutMs: atLeast(1, 'stallTimeoutMs', options.stallTimeoutMs ?? 120_000),
    maxRetries: atLeast(0, 'maxRetries', options.maxRetries ?? 3),
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleep,
    now: options.now ?? Date.now,
  };
}

/**
 * A token that may stand in a header. Checked here, because `fetch` quotes the value that it refuses.
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
