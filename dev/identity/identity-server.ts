import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type {
  ClientMetadata,
  Configuration,
  interactionPolicy,
  KoaContextWithOIDC,
} from 'oidc-provider';
import type { MemoryStores } from './memory-store.ts';
import { answerLogin, devicePages, LOGIN_PATH, renderPage } from './pages.ts';
import { toPublicJwks, type SigningKeys, type TokenAlgorithm } from './signing-keys.ts';
import { DASHBOARD_CLIENT_ID, DASHBOARD_SCOPE, peopleClaims, type IdentityUser } from './users.ts';

export const TOKEN_TTL_SECONDS = 12 * 3600;
/** The time to enter a code. */
const DEVICE_CODE_SECONDS = 600;

/** The request handlers of the identity provider. */
export interface IdentityGround {
  port: number;
  host: string;
  issuer: string;
  audience: string;
  keys: SigningKeys;
  registry: ReadonlyMap<string, ClientMetadata>;
  users: readonly IdentityUser[];
  stores: MemoryStores;
  /** The lifetime of the access token of a user, from the next one on. */
  userTokenSeconds: number;
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
    server.listen(service.port, service.host, resolve);
  });
  await answer;
}

type Respond = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function loadProvider(service: IdentityGround): Promise<Respond> {
  await service.keys.complete;
  const speakAgain = silenceProvider();
  try {
    const { interactionPolicy, Provider } = await import('oidc-provider');
    const policy = interactionPolicy.base();
    // It asks users of a native client on each login, also on a silent one.
    policy.get('consent')?.checks.remove('native_client_prompt');
    const provider = new Provider(service.issuer, toConfiguration(service, policy));
    const respond = provider.callback();
    return async (request, response) => {
      const isLogin = request.url?.startsWith(LOGIN_PATH) === true;
      if (isLogin) await answerLogin(provider, service.users, request, response);
      else await respond(request, response);
    };
  } finally {
    speakAgain();
  }
}

/** The same keys that the provider publishes, before it is loaded. */
function sendKeys(response: ServerResponse, keys: SigningKeys): void {
  response.setHeader('content-type', 'application/jwk-set+json; charset=utf-8');
  response.end(JSON.stringify(toPublicJwks(keys)));
}

function toConfiguration(
  service: IdentityGround,
  policy: interactionPolicy.DefaultPolicy,
): Configuration {
  const { keys, registry, stores, users } = service;
  return {
    adapter: (model: string) =>
      model === 'Client'
        ? { ...stores.of(model), find: async (id) => registry.get(id) }
        : stores.of(model),
    jwks: { keys: keys.jwks.keys },
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256'] },
    ttl: {
      AccessToken: () => service.userTokenSeconds,
      ClientCredentials: TOKEN_TTL_SECONDS,
      DeviceCode: DEVICE_CODE_SECONDS,
      Grant: TOKEN_TTL_SECONDS,
      IdToken: TOKEN_TTL_SECONDS,
      Interaction: TOKEN_TTL_SECONDS,
      RefreshToken: TOKEN_TTL_SECONDS,
      Session: TOKEN_TTL_SECONDS,
    },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub', 'name'] },
    conformIdTokenClaims: false,
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        name: users.find(({ subject }) => subject === accountId)?.name ?? accountId,
      }),
    }),
    extraTokenClaims: (_ctx, token) =>
      peopleClaims(
        token.kind === 'AccessToken' ? users : [],
        (token.kind === 'AccessToken' ? token.accountId : token.clientId) ?? '',
      ),
    interactions: { policy, url: (_ctx, { uid }) => `${LOGIN_PATH}${uid}` },
    loadExistingGrant: (ctx) => grantAll(ctx, service.audience),
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    clientBasedCORS: (_ctx, _origin, client) => client.clientId === DASHBOARD_CLIENT_ID,
    renderError: (ctx, { error }) => {
      ctx.type = 'html';
      ctx.body = renderPage('That did not work', `<p>${error}</p>`);
    },
    features: oidcFeatures(service),
  };
}

function oidcFeatures(service: IdentityGround): NonNullable<Configuration['features']> {
  return {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: {
      enabled: true,
      allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
    },
    deviceFlow: devicePages,
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx, form) => {
        const button = '<button form="op.logoutForm" name="logout" value="yes">Log out</button>';
        ctx.body = renderPage('Log out?', `${form}${button}`);
      },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => service.audience,
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx, resource, client) => ({
        scope: 'api',
        audience: resource,
        accessTokenFormat: 'jwt',
        // OpenID has a client property for the algorithm.
        jwt: { sign: { alg: client.idTokenSignedResponseAlg as TokenAlgorithm } },
      }),
    },
  };
}

/** A user who logs in has agreed. */
async function grantAll(ctx: KoaContextWithOIDC, audience: string) {
  const { client, session, provider } = ctx.oidc;
  if (!client || session?.accountId === undefined) return undefined;
  const granted = session.grantIdFor(client.clientId);
  const existing = granted === undefined ? undefined : await provider.Grant.find(granted);
  if (existing) return existing;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope(`${DASHBOARD_SCOPE} offline_access`);
  grant.addResourceScope(audience, 'api');
  await grant.save();
  return grant;
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
