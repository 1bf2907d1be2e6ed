import type { ClientMetadata } from 'oidc-provider';

/** A person who logs in to the dashboard. */
export interface IdentityUser {
  name: string;
  /** The `sub` of the user's tokens. */
  subject: string;
  /** The claim `account` of the user's tokens. */
  account: string;
  role: 'admin' | 'approver' | 'viewer';
}

const OWNERS = ['alice', 'bob', 'carol', 'dave'];
/** In the first account, beside its owner. */
const COLLEAGUES = [
  { name: 'anna', role: 'approver' },
  { name: 'victor', role: 'viewer' },
] as const;

/** An owner for each account, whose `sub` is the account, and two colleagues in the first one. */
export function createUsers(accounts: readonly string[]): readonly IdentityUser[] {
  const [first] = accounts;
  return [
    ...accounts.flatMap((account, index): IdentityUser[] => {
      const name = OWNERS[index];
      return name === undefined ? [] : [{ name, subject: account, account, role: 'admin' }];
    }),
    ...(first === undefined
      ? []
      : COLLEAGUES.map(({ name, role }) => ({ name, role, subject: name, account: first }))),
  ];
}

/** The claims of a token by which people of one account share it and have roles. */
const ACCOUNT_CLAIM = 'account';
const ROLE_CLAIM = 'roles';

/** For an API that lets the users of this provider share accounts. */
export const PEOPLE_SETTINGS = { JWT_ACCOUNT_CLAIM: ACCOUNT_CLAIM, JWT_ROLE_CLAIM: ROLE_CLAIM };

/** Of a user, or of a client, which is the owner of its account. */
export function peopleClaims(users: readonly IdentityUser[], subject: string) {
  const user = users.find((each) => each.subject === subject);
  const { account = subject, role = 'admin', name } = user ?? {};
  return { [ACCOUNT_CLAIM]: account, [ROLE_CLAIM]: [role], ...(name ? { name } : {}) };
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
