import type { AssumeRole, CustomerRole, RoleSession, SessionCredentials } from './roles.ts';

/** Provides the credentials of one customer's account. */
export interface CredentialSource {
  /** The current ones, or new ones if there are none or they are about to expire. */
  current(): Promise<SessionCredentials>;
  /**
   * Replaces refused credentials. Concurrent requests that were refused with the same credentials
   * get the same new ones. Absent for lasting ones, whose refusal stands.
   */
  renew?(stale: SessionCredentials): Promise<SessionCredentials>;
}

/** A session that ends sooner is not used for another call. */
const RENEW_BEFORE_MS = 5 * 60_000;

/**
 * Caches one session of a role. The role is assumed on first use, before the session expires, and
 * after a refusal. Concurrent calls share one request to AWS.
 */
export function createRoleSession(
  assumeRole: AssumeRole,
  role: CustomerRole,
  now: () => Date,
): Required<CredentialSource> {
  let session: Promise<RoleSession> | undefined;

  const begin = (): Promise<RoleSession> => {
    const begun = assumeRole(role);
    session = begun;
    begun.catch(() => {
      if (session === begun) session = undefined;
    });
    return begun;
  };
  const isFresh = ({ expiresAt }: RoleSession): boolean =>
    expiresAt.getTime() - now().getTime() > RENEW_BEFORE_MS;

  /** The current credentials if they are usable, otherwise new ones. */
  async function provide(isUsable: (known: RoleSession) => boolean): Promise<SessionCredentials> {
    const held = session ?? begin();
    const current = await held;
    if (isUsable(current)) return current.credentials;
    const renewed = session === held || session === undefined ? begin() : session;
    return (await renewed).credentials;
  }

  return {
    current: () => provide(isFresh),
    renew: (stale) => provide(({ credentials }) => credentials !== stale),
  };
}
