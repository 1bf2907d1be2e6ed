import { lookup } from 'node:dns';
import { lookup as lookUp } from 'node:dns/promises';
import { Agent, request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { ATTEMPT_TIMEOUT_MS, type Attempt } from '../../domain/webhooks/delivery.ts';
import { isPublicAddress } from './public-address.ts';

export interface WebhookRules {
  /** The ports that an address may have. */
  readonly ports: readonly number[];
  /** The names of hosts that may have private addresses. */
  readonly privateHosts: readonly string[];
}

/** Sends to addresses that customers have chosen. */
export interface WebhookSender {
  /** Why the address may not be used; undefined if it may. It is looked up. */
  refuse(url: string): Promise<string | undefined>;
  /** Never rejects. The answer's body is not read, and no redirect is followed. */
  send(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Attempt>;
}

const LOOKUP_TIMEOUT_MS = 3_000;
const USER_AGENT = 'storage-routing-service';

class RefusedAddressError extends Error {}

export function createWebhookSender(rules: WebhookRules): WebhookSender {
  /** Looks a name up as Node does, and gives it no address that is not public: these are what it connects to. */
  const lookupPublic: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const refused = addresses.find(({ address }) => !isPublicAddress(address));
      const [first] = addresses;
      if (refused || !first) return callback(new RefusedAddressError(NOT_PUBLIC), '');
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
  const isPrivateHost = ({ hostname }: URL) => rules.privateHosts.includes(hostname);
  const closed = { keepAlive: false } as const;
  const guarded = new Agent({ ...closed, lookup: lookupPublic });
  const unguarded = new Agent(closed);

  return {
    async refuse(text) {
      const problem = findProblem(text, rules);
      if (problem !== undefined) return problem;
      const url = new URL(text);
      if (isPrivateHost(url)) return undefined;
      const addresses = await Promise.race([
        lookUp(hostOf(url), { all: true }).catch(() => []),
        afterTimeout(LOOKUP_TIMEOUT_MS, []),
      ]);
      if (addresses.length === 0) return 'The name of its host cannot be looked up.';
      return addresses.every(({ address }) => isPublicAddress(address)) ? undefined : NOT_PUBLIC;
    },

    send: (text, headers, body) =>
      new Promise((resolve) => {
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
        call.once('error', (error) => fail(describe(error)));
        call.once('response', (response) => {
          resolve({ status: response.statusCode ?? null, error: null });
          response.destroy();
        });
        call.end(bytes);
        return undefined;
      }),
  };
}

const NOT_PUBLIC = 'Its host has an address that is not public.';

/** What is wrong with an address before it is looked up. */
function findProblem(text: string, { ports }: WebhookRules): string | undefined {
  if (!URL.canParse(text)) return 'It is no URL.';
  const { protocol, username, password, port, hostname } = new URL(text);
  if (protocol !== 'https:') return 'It must be an https URL.';
  if (username !== '' || password !== '') return 'It must have no user name and no password.';
  if (hostname === '') return 'It must have a host.';
  if (!ports.includes(port === '' ? 443 : Number(port)))
    return `Its port must be ${ports.join(' or ')}.`;
  return undefined;
}

/** An IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** In our own words: what a library says may name addresses. */
function describe(error: Error): string {
  if (error instanceof RefusedAddressError) return error.message;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (error.name === 'TimeoutError' || error.name === 'AbortError' || code === 'ABORT_ERR')
    return `There was no answer within ${ATTEMPT_TIMEOUT_MS / 1_000} seconds.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'The name of its host cannot be looked up.';
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY/i.test(code))
    return 'Its certificate is not trusted, or does not fit its name.';
  if (code === 'ECONNREFUSED') return 'The connection was refused.';
  return 'The connection failed or ended early.';
}

function afterTimeout<T>(ms: number, value: T): Promise<T> {
  return new Promise((resolve) => void setTimeout(resolve, ms, value).unref());
}
