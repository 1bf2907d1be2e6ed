import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Adapter, ClientMetadata, Configuration } from 'oidc-provider';
import { toPublicJwks, type SigningKeys, type TokenAlgorithm } from './signing-keys.ts';

export const TOKEN_TTL_SECONDS = 12 * 3600;

/** The request handlers of the identity provider. */
export interface IdentityGround {
  port: number;
  issuer: string;
  audience: string;
  keys: SigningKeys;
  registry: ReadonlyMap<string, ClientMetadata>;
}

/** Listens at once; early requests wait until the provider is loaded. */
export async function serveIdentity(
  server: Server,
  service: IdentityGround,
  loadAfter: Promise<unknown>,
): Promise<void> {
  const answer = loadAfter.then(async () => await loadProvider(service));
  answer.catch(() => {});
  server.on('request', (request, response) => {
    const isForKeys = request.method === 'GET' && request.url === '/jwks';
    const answered = isForKeys
      ? service.keys.complete.then(() => sendKeys(response, service.keys))
      : answer.then(async (respond) => await respond(request, response));
    answered.catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(service.port, '127.0.0.1', resolve);
  });
  await answer;
}

type Respond = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function loadProvider(service: IdentityGround): Promise<Respond> {
  await service.keys.complete;
  const speakAgain = silenceProvider();
  try {
    const { Provider } = await import('oidc-provider');
    return new Provider(service.issuer, toConfiguration(service)).callback();
  } finally {
    speakAgain();
  }
}

/** The same keys that the provider publishes, before it is loaded. */
function sendKeys(response: ServerResponse, keys: SigningKeys): void {
  response.setHeader('content-type', 'application/jwk-set+json; charset=utf-8');
  response.end(JSON.stringify(toPublicJwks(keys)));
}

function toConfiguration({ audience, keys, registry }: IdentityGround): Configuration {
  return {
    adapter: (model: string) =>
      model === 'Client' ? createClientStore(registry) : createMemoryStore(),
    jwks: { keys: keys.jwks.keys },
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256'] },
    ttl: { ClientCredentials: TOKEN_TTL_SECONDS },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource, client) => ({
          scope: 'api',
          audience: resource,
          accessTokenTTL: TOKEN_TTL_SECONDS,
          accessTokenFormat: 'jwt',
          // OpenID has a client property for the algorithm.
          jwt: { sign: { alg: client.idTokenSignedResponseAlg as TokenAlgorithm } },
        }),
      },
    },
  };
}

function createClientStore(registry: ReadonlyMap<string, ClientMetadata>): Adapter {
  return { ...createMemoryStore(), find: async (id) => registry.get(id) };
}

/** Storage in memory: access tokens are self-contained, and the rest may be lost with the process. */
function createMemoryStore(): Adapter {
  const rows = new Map<string, Record<string, unknown>>();
  return {
    upsert: async (id, payload) => void rows.set(id, payload),
    find: async (id) => rows.get(id),
    findByUserCode: async () => undefined,
    findByUid: async () => undefined,
    consume: async () => {},
    destroy: async (id) => void rows.delete(id),
    revokeByGrantId: async () => {},
  };
}

/** Suppresses the provider's warnings about development defaults. */
function silenceProvider(): () => void {
  const { info, warn } = console;
  const unless =
    (write: typeof info): typeof info =>
    (...words) => {
      if (!String(words[0]).includes('oidc-provider')) write(...words);
    };
  console.info = unless(info);
  console.warn = unless(warn);
  return () => {
    console.info = info;
    console.warn = warn;
  };
}
