import type * as OpenIdClient from 'openid-client';
import { isLoopback } from './access.ts';
import type { Identity, Renewal, Tokens } from './tokens.ts';

/** The part of the dashboard's configuration that a login needs. */
interface PageConfig {
  issuer: string;
  clientId: string | null;
  scope: string;
  audience: string;
  audienceParameter: 'resource' | 'audience' | 'none';
}

const REQUEST_TIMEOUT_MS = 10_000;

/** Over HTTP. The library is loaded by the commands that log in only. */
export function createIdentity(now: () => number): Identity {
  const open = async (issuer: string, clientId: string) => {
    const library = await import('openid-client');
    const url = new URL(issuer);
    const isLocal = url.protocol === 'http:' && isLoopback(url.hostname);
    const configuration = await library.discovery(url, clientId, undefined, library.None(), {
      execute: isLocal ? [library.allowInsecureRequests] : [],
    });
    return { library, configuration };
  };
  return {
    async begin(baseUrl) {
      const config = await readConfig(baseUrl);
      if (config === undefined) return undefined;
      const { issuer, clientId } = config;
      if (clientId === null) return undefined;
      const { library, configuration } = await open(issuer, clientId);
      const metadata = configuration.serverMetadata();
      if (metadata.device_authorization_endpoint === undefined) return undefined;
      const parameters = deviceParameters(config, metadata.scopes_supported);
      const code = await library.initiateDeviceAuthorization(configuration, parameters);
      const { resource } = parameters;
      return {
        userCode: code.user_code,
        verificationUri: code.verification_uri,
        completeUri: code.verification_uri_complete,
        async wait(signal) {
          const expiry = AbortSignal.timeout(code.expires_in * 1_000);
          try {
            const answer = await library.pollDeviceAuthorizationGrant(
              configuration,
              code,
              resource === undefined ? {} : { resource },
              { signal: AbortSignal.any([signal, expiry]) },
            );
            return readTokens(answer, { issuer, clientId, resource }, now());
          } catch (error) {
            const { error: reason } = error as { error?: unknown };
            if (reason === 'access_denied') return 'refused';
            if (reason === 'expired_token' || expiry.aborted) return 'expired';
            throw error;
          }
        },
      };
    },
    async renew({ refreshToken, ...client }) {
      const { library, configuration } = await open(client.issuer, client.clientId);
      const { resource } = client;
      const answer = await library.refreshTokenGrant(
        configuration,
        refreshToken,
        resource === undefined ? {} : { resource },
      );
      return readTokens({ refresh_token: refreshToken, ...answer }, client, now());
    },
    async revoke({ issuer, clientId, refreshToken }) {
      const { library, configuration } = await open(issuer, clientId);
      if (configuration.serverMetadata().revocation_endpoint === undefined) return;
      await library.tokenRevocation(configuration, refreshToken);
    },
  };
}

/** Undefined if the service has no dashboard. */
async function readConfig(baseUrl: string): Promise<PageConfig | undefined> {
  const url = `${baseUrl.replace(/\/+$/, '')}/dashboard/config.json`;
  const answer = await fetch(url, {
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    redirect: 'error',
  });
  return answer.ok ? ((await answer.json()) as PageConfig) : undefined;
}

/** `offline_access` asks for a refresh token (OpenID Connect Core, 11). */
function deviceParameters(
  { scope, audience, audienceParameter }: PageConfig,
  supported: readonly string[] = [],
): Record<string, string> {
  const isKnown = supported.includes('offline_access') && !scope.includes('offline_access');
  return {
    scope: isKnown ? `${scope} offline_access` : scope,
    ...(audienceParameter !== 'none' && { [audienceParameter]: audience }),
  };
}

function readTokens(
  answer: Pick<OpenIdClient.TokenEndpointResponse, 'access_token' | 'refresh_token' | 'expires_in'>,
  client: Pick<Renewal, 'issuer' | 'clientId'> & { resource?: string | undefined },
  nowMs: number,
): Tokens {
  const { access_token: dashboardToken, refresh_token: refreshToken, expires_in: seconds } = answer;
  const { issuer, clientId, resource } = client;
  if (refreshToken === undefined || seconds === undefined) {
    return { dashboardToken, renewal: undefined };
  }
  const expiresAt = new Date(nowMs + seconds * 1_000).toISOString();
  const renewal = {
    issuer,
    clientId,
    refreshToken,
    expiresAt,
    ...(resource !== undefined && { resource }),
  };
  return { dashboardToken, renewal };
}
