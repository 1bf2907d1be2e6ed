import { Resolver } from 'node:dns/promises';
import { Agent, request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { callbackify } from 'node:util';
import { ATTEMPT_TIMEOUT_MS, type DeliveryAttempt } from '../../domain/webhooks/delivery.ts';
import { isPublicAddress } from './public-address.ts';

export interface WebhookRules {
  /** The ports that an address may have besides 443. */
  readonly ports: readonly number[];
  /** The names of hosts that may have private addresses. */
  readonly privateHosts: readonly string[];
}

const HTTPS_PORT = 443;
const DNS_BOUNDS = { timeout: 2_000, tries: 2 };
/** A name is looked up for this long at most. */
const LOOK_UP_MS = 5_000;
/** How long the other family of addresses is waited for: some name servers never answer it. */
const OTHER_FAMILY_MS = 500;
const USER_AGENT = 'storage-routing-service';
const NOT_PUBLIC = 'The host has an address that is not public.';
const NO_ADDRESS = 'The host name cannot be resolved.';

class RefusedAddressError extends Error {}

/** Sends to addresses that customers have chosen. */
export type WebhookSender = ReturnType<typeof createWebhookSender>;

export function createWebhookSender(rules: WebhookRules) {
  const isPrivateHost = ({ hostname }: URL) => rules.privateHosts.includes(hostname);
  const closed = { keepAlive: false } as const;
  const guarded = new Agent({ ...closed, lookup: lookupPublic });
  const unguarded = new Agent(closed);

  return {
    /** Why the address may not be used; undefined if it may. It is looked up. */
    async refuse(text: string): Promise<string | undefined> {
      const problem = findProblem(text, rules);
      if (problem !== undefined) return problem;
      const url = new URL(text);
      if (isPrivateHost(url)) return undefined;
      const addresses = await findAddresses(hostOf(url));
      if (addresses.length === 0) return NO_ADDRESS;
      return addresses.every(isPublicAddress) ? undefined : NOT_PUBLIC;
    },

    /** Never rejects. The answer's body is not read, and no redirect is followed. */
    send: (text: string, headers: Readonly<Record<string, string>>, body: string) =>
      new Promise<DeliveryAttempt>((resolve) => {
        const fail = (error: string) => resolve({ status: null, error });
        const problem = findProblem(text, rules);
        if (problem !== undefined) return fail(problem);
        const url = new URL(text);
        const isPrivate = isPrivateHost(url);
        // Node never looks up a literal.
        if (!isPrivate && isIP(hostOf(url)) !== 0 && !isPublicAddress(hostOf(url)))
          return fail(NOT_PUBLIC);
        const bytes = Buffer.from(body);
        const call = request(url, {
          method: 'POST',
          agent: isPrivate ? unguarded : guarded,
          headers: {
            ...headers,
            'content-type': 'application/json',
            'content-length': bytes.length,
            'user-agent': USER_AGENT,
          },
          signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
        });
        call.on('error', (error) => fail(describe(error)));
        call.once('response', (response) => {
          resolve({ status: response.statusCode ?? null, error: null });
          // Destroying the connection may report an error, which has no effect.
          response.on('error', () => undefined).destroy();
        });
        call.end(bytes);
        return undefined;
      }),
  };
}

/** @throws RefusedAddressError */
async function findPublicAddresses(hostname: string) {
  const addresses = await findAddresses(hostname);
  const [first, ...others] = addresses.map((address) => ({ address, family: isIP(address) }));
  if (!first) throw new RefusedAddressError(NO_ADDRESS);
  if (!addresses.every(isPublicAddress)) throw new RefusedAddressError(NOT_PUBLIC);
  return { first, all: [first, ...others] };
}

const lookUp = callbackify(findPublicAddresses);

/** For a connection: Node connects to one of the addresses that it gets, all public. */
const lookupPublic: LookupFunction = (hostname, options, callback) =>
  lookUp(hostname, (error, resolved) => {
    if (error) callback(error, '');
    else if (options.all) callback(null, resolved.all);
    else callback(null, resolved.first.address, resolved.first.family);
  });

/**
 * The addresses of a name, or a literal itself; none if there are none. Asks the name servers and
 * not the operating system, whose look-ups share a few threads of the process: names that a
 * customer lets hang would block them all.
 */
async function findAddresses(host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  const resolver = new Resolver(DNS_BOUNDS);
  const addresses: string[] = [];
  const asked = [resolver.resolve4(host), resolver.resolve6(host)].map(
    async (answer) => void addresses.push(...(await answer)),
  );
  const all = Promise.allSettled(asked);
  const oneFamily = Promise.any(asked).then(
    () => wait(OTHER_FAMILY_MS),
    () => all,
  );
  await Promise.race([all, oneFamily, wait(LOOK_UP_MS)]);
  resolver.cancel();
  return [...addresses];
}

/** The process may end meanwhile. */
function wait(ms: number): Promise<void> {
  return setTimeout(ms, undefined, { ref: false });
}

/** What is wrong with an address before it is looked up. */
function findProblem(text: string, { ports }: WebhookRules): string | undefined {
  if (!URL.canParse(text)) return 'This is not a valid URL.';
  const { protocol, username, password, port, hostname } = new URL(text);
  if (protocol !== 'https:') return 'The URL must use https.';
  if (username !== '' || password !== '')
    return 'The URL must not contain a user name or a password.';
  if (hostname === '') return 'The URL must contain a host name.';
  const allowed = [...new Set([HTTPS_PORT, ...ports])];
  if (!allowed.includes(port === '' ? HTTPS_PORT : Number(port)))
    return `The port must be ${allowed.join(' or ')}.`;
  return undefined;
}

/** An IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** A fixed message, because the message of a library may contain addresses. */
function describe(error: Error): string {
  if (error instanceof RefusedAddressError) return error.message;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (error.name === 'TimeoutError' || error.name === 'AbortError' || code === 'ABORT_ERR')
    return `The receiver did not answer within ${ATTEMPT_TIMEOUT_MS / 1_000} seconds.`;
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY/i.test(code))
    return 'The certificate is not trusted, or is not valid for this host name.';
  if (code === 'ECONNREFUSED') return 'The connection was refused.';
  return 'The connection failed or was closed early.';
}
