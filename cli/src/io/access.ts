import { isIP } from 'node:net';
import { LocalError, EXIT, wrongUsage } from './failure.ts';
import {
  type Credentials,
  credentialsPath,
  readCredentials,
  writeCredentials,
} from './credentials.ts';
import type { CliContext } from './context.ts';
import type { Tokens } from './tokens.ts';

/** The service to call, and the credentials for it. */
export interface Access {
  baseUrl: string;
  apiKey: string | undefined;
  /** A function if the login renews it: a token that has not expired. */
  dashboardToken: string | (() => Promise<string>) | undefined;
}

/** The part of it that comes from command-line options. */
export interface AccessOptions {
  baseUrl?: string | undefined;
  insecure?: boolean | undefined;
}

/**
 * The address comes from `--base-url`, `SRS_BASE_URL` or the credentials file; the key and the
 * token from the environment or that file. Credentials of the file are sent only to the file's own
 * address: any other address would receive a key that belongs to a different service.
 *
 * @throws LocalError `no_base_url`, `insecure_base_url`, and the errors of reading the file.
 */
export async function readAccess(context: CliContext, options: AccessOptions): Promise<Access> {
  const { env } = context;
  const stored = await readCredentials(context);
  const baseUrl = options.baseUrl ?? nonEmpty(env['SRS_BASE_URL']) ?? stored.baseUrl;
  if (baseUrl === undefined) {
    const message = `no address of the service: "srs login", SRS_BASE_URL or --base-url says it`;
    throw new LocalError('no_base_url', message, EXIT.usage);
  }
  checkBaseUrl(baseUrl, options.insecure === true);
  const belongs = stored.baseUrl !== undefined && sameAddress(stored.baseUrl, baseUrl);
  return {
    baseUrl,
    apiKey: nonEmpty(env['SRS_API_KEY']) ?? (belongs ? stored.apiKey : undefined),
    dashboardToken:
      nonEmpty(env['SRS_DASHBOARD_TOKEN']) ?? (belongs ? storedToken(context, stored) : undefined),
  };
}

/** A token that expires sooner is renewed before it is sent. */
const RENEW_BEFORE_MS = 60_000;

/**
 * The token of the file. One that can be renewed is read again each time, because another process
 * may have renewed it: a refresh token works once.
 */
function storedToken(context: CliContext, stored: Credentials): Access['dashboardToken'] {
  if (stored.renewal === undefined) return stored.dashboardToken;
  const fresh = async (): Promise<string> => {
    const { dashboardToken = '', renewal, ...others } = await readCredentials(context);
    // The file has another login by now, or none: its token is not for this address.
    if (others.baseUrl !== stored.baseUrl)
      throw new LocalError('no_base_url', 'the login has ended', EXIT.usage);
    const isFresh =
      renewal === undefined || Date.parse(renewal.expiresAt) - context.now() > RENEW_BEFORE_MS;
    if (isFresh) return dashboardToken;
    const renewed = await context.identity.renew(renewal);
    await writeCredentials(credentialsPath(context), withTokens(others, renewed));
    return renewed.dashboardToken;
  };
  // Parallel calls share one renewal.
  let reading: Promise<string> | undefined;
  return async () => {
    reading ??= fresh().finally(() => (reading = undefined));
    return await reading;
  };
}

/** The content of the credentials file after a login. */
export function withTokens(
  credentials: Pick<Credentials, 'baseUrl' | 'apiKey'>,
  { dashboardToken, renewal }: Tokens,
): Credentials {
  return { ...credentials, dashboardToken, ...(renewal !== undefined && { renewal }) };
}

/** @throws LocalError `wrong_usage` if the credentials file belongs to another address */
export async function whereToKeep(context: CliContext, { baseUrl }: Access): Promise<string> {
  const stored = await readCredentials(context);
  if (stored.baseUrl !== undefined && !sameAddress(stored.baseUrl, baseUrl)) {
    throw wrongUsage(`the credentials file belongs to ${stored.baseUrl}, not to ${baseUrl}`);
  }
  return credentialsPath(context);
}

/**
 * Plain http exposes the key to the network, so it is allowed to this machine only, unless
 * `--insecure` declares the network trusted.
 *
 * @throws LocalError `wrong_usage` for an invalid address, `insecure_base_url`.
 */
export function checkBaseUrl(baseUrl: string, allowsInsecure: boolean): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw wrongUsage('the address of the service must begin with https:// (or http://)');
  }
  // Before any message repeats it: an address with a password is a secret.
  if (url.username !== '' || url.password !== '') {
    throw wrongUsage('the address of the service must have no user name or password in it');
  }
  if (url.protocol === 'https:' || allowsInsecure || isLoopback(url.hostname)) return;
  const message = `${url.origin} would carry your credentials in clear text: use https, or --insecure if you mean it`;
  throw new LocalError('insecure_base_url', message, EXIT.usage);
}

function sameAddress(one: string, other: string): boolean {
  const plain = (text: string): string => {
    const { origin, pathname } = new URL(text);
    return origin + pathname.replace(/\/+$/, '');
  };
  return URL.canParse(one) && URL.canParse(other) && plain(one) === plain(other);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** Is this host name or address of this machine? */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}
