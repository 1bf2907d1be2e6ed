import { openIdentityProvider, type IdentityProvider } from '../identity/identity.ts';
import { DASHBOARD_CLIENT_ID, DASHBOARD_SCOPE } from '../identity/users.ts';
import { givenPart, pickGiven, requireGiven, type Part, type PartContext } from './part.ts';

export interface IdentityPart extends Part {
  provider: IdentityProvider | null;
}

/** The issuer of dashboard tokens, and tokens of two accounts. */
export async function openIdentity({ given, opened }: PartContext): Promise<IdentityPart> {
  if (given['JWT_ISSUER']) {
    const needed = requireGiven(given, 'JWT_ISSUER', [
      'JWT_ISSUER',
      'JWT_AUDIENCE',
      'DASHBOARD_TOKEN',
    ]);
    const client = ['IDENTITY_TOKEN_URL', 'IDENTITY_CLIENT_ID', 'IDENTITY_CLIENT_SECRET'];
    const dashboard = ['DASHBOARD_CLIENT_ID', 'DASHBOARD_SCOPE', 'DASHBOARD_AUDIENCE_PARAMETER'];
    const welcome = [
      'JWT_JWKS_URL',
      'JWT_ACCOUNT_CLAIM',
      'DASHBOARD_TOKEN_OTHER',
      ...dashboard,
      ...client,
    ];
    return { ...givenPart({ ...needed, ...pickGiven(given, welcome) }), provider: null };
  }
  const provider = await openIdentityProvider({ loadAfter: opened });
  const [first, second] = provider.clients;
  if (first === undefined || second === undefined)
    throw new Error('the identity provider needs two clients');
  // ES256, because generating an RSA key may take a second.
  const algorithm = 'ES256';
  const environment = {
    JWT_ISSUER: provider.issuer,
    JWT_AUDIENCE: provider.audience,
    JWT_JWKS_URL: provider.jwksUrl,
    IDENTITY_TOKEN_URL: provider.tokenUrl,
    IDENTITY_CLIENT_ID: first.clientId,
    IDENTITY_CLIENT_SECRET: first.clientSecret,
    DASHBOARD_CLIENT_ID,
    DASHBOARD_SCOPE,
    DASHBOARD_TOKEN: provider.issueToken({ account: first.clientId, algorithm }),
    DASHBOARD_TOKEN_OTHER: provider.issueToken({ account: second.clientId, algorithm }),
  };
  return {
    environment,
    up: provider.ready,
    process: null,
    provider,
    close: () => provider.close(),
  };
}
