import type { ClientMetadata } from 'oidc-provider';

/** A person who logs in to the dashboard. */
export interface IdentityUser {
  name: string;
  /** The `sub` of the user's tokens. */
  account: string;
}

const NAMES = ['alice', 'bob', 'carol', 'dave'];

/** One user for each account. */
export function createUsers(accounts: readonly string[]): readonly IdentityUser[] {
  return accounts.flatMap((account, index) => {
    const name = NAMES[index];
    return name === undefined ? [] : [{ name, account }];
  });
}

export const DASHBOARD_CLIENT_ID = 'dashboard';
export const DASHBOARD_SCOPE = 'openid';

/** A public client of the dashboard and of the command line. `native` allows any port of a loopback address (RFC 8252 section 7.3). */
export const DASHBOARD_CLIENT: ClientMetadata = {
  client_id: DASHBOARD_CLIENT_ID,
  client_name: 'Storage Routing',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: [
    'authorization_code',
    'refresh_token',
    'urn:ietf:params:oauth:grant-type:device_code',
  ],
  response_types: ['code'],
  redirect_uris: ['http://127.0.0.1/dashboard/callback', 'http://localhost/dashboard/callback'],
  post_logout_redirect_uris: ['http://127.0.0.1/dashboard', 'http://localhost/dashboard'],
  id_token_signed_response_alg: 'RS256',
};
