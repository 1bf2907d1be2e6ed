import { randomUUID } from 'node:crypto';
import type { StoreHttp } from '../object-store/http/messages.ts';
import { createAccountReader, type AccountReader } from './account-reader.ts';
import type { CredentialSource } from './credentials.ts';
import { RoleRefusedError, type AssumeRole, type CustomerRole } from './roles.ts';
import { createRoleSession } from './session.ts';

/** Customers' cloud accounts, as their roles let them be read. */
export interface CloudAccounts {
  /**
   * Every bucket of the account, through a fresh session.
   *
   * @throws RoleRefusedError, StoreError
   */
  listBuckets(role: CustomerRole): ReturnType<AccountReader['listBuckets']>;
  /** Whether only somebody who knows the external id is let in. @throws StoreError */
  demandsExternalId(roleArn: string): Promise<boolean>;
  /** Reads through a session that is kept for the next reader of the same role. */
  open(role: CustomerRole, onRequest: AccountReaderDeps['onRequest']): AccountReader;
}

type AccountReaderDeps = Parameters<typeof createAccountReader>[0];

export interface CloudAccountsDeps {
  readonly assumeRole: AssumeRole;
  readonly http: StoreHttp;
  readonly endpointOverride: string | undefined;
  readonly now: () => Date;
}

/** Sessions that one process keeps; more are begun anew. */
const MAX_SESSIONS = 200;

export function createCloudAccounts(deps: CloudAccountsDeps): CloudAccounts {
  const { assumeRole, http, now } = deps;
  const sessions = new Map<string, CredentialSource>();

  const sessionOf = (role: CustomerRole): CredentialSource => {
    const id = `${role.roleArn} ${role.externalId}`;
    const session = sessions.get(id) ?? createRoleSession(assumeRole, role, now);
    sessions.delete(id);
    sessions.set(id, session);
    const [oldest] = sessions.keys();
    if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    return session;
  };
  const read = (
    credentials: CredentialSource,
    onRequest: AccountReaderDeps['onRequest'],
  ): AccountReader =>
    createAccountReader({
      http,
      credentials,
      now,
      onRequest,
      ...(deps.endpointOverride === undefined ? {} : { endpointOverride: deps.endpointOverride }),
    });

  return {
    listBuckets: (role) =>
      read(createRoleSession(assumeRole, role, now), () => undefined).listBuckets(),

    async demandsExternalId(roleArn) {
      for (const attempt of [{ roleArn }, { roleArn, externalId: randomUUID() }]) {
        try {
          await assumeRole(attempt);
          return false;
        } catch (error) {
          if (!(error instanceof RoleRefusedError)) throw error;
        }
      }
      return true;
    },

    open: (role, onRequest) => read(sessionOf(role), onRequest),
  };
}
