import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { FindEndpoint } from '../object-store/address.ts';
import { AWS, type StoreLocation } from '../../domain/providers/catalogue.ts';
import {
  MAX_EXTERNAL_ID_CHARACTERS,
  type RoleOpening,
} from '../../domain/connections/connection.ts';
import type { StoreHttp } from '../object-store/http-messages.ts';
import type { StoreClocks } from '../object-store/store-clocks.ts';
import {
  createAccountReader,
  type AccountReader,
  type AccountReaderDeps,
} from './account-reader.ts';
import {
  RoleRefusedError,
  type AssumeRole,
  type CustomerRole,
  type SessionCredentials,
} from './roles.ts';
import { createUsageReader, type UsageEndpoints, type UsageReaderDeps } from './usage-reader.ts';
import { createRoleSession, type CredentialSource } from './session.ts';

type OnRequest = AccountReaderDeps['onRequest'];

export interface CloudAccountsDeps {
  readonly assumeRole: AssumeRole;
  readonly http: StoreHttp;
  readonly findEndpoint: FindEndpoint;
  readonly usageEndpoints: UsageEndpoints;
  readonly clocks: StoreClocks;
}

const MAX_SESSIONS = 200;
/** The region of the endpoint that lists the account's buckets. */
const AWS_ACCOUNT: StoreLocation = { provider: AWS, bucketName: '', region: 'us-east-1' };

/** Customers' cloud accounts, read through their roles, and stores, read with their keys. */
export type CloudAccounts = ReturnType<typeof createCloudAccounts>;

export function createCloudAccounts(deps: CloudAccountsDeps) {
  const { assumeRole, http, clocks, findEndpoint } = deps;
  const sessions = new LRUCache<string, CredentialSource>({ max: MAX_SESSIONS });

  const isAssumable = async (role: CustomerRole): Promise<boolean> => {
    try {
      await assumeRole(role);
      return true;
    } catch (error) {
      if (error instanceof RoleRefusedError) return false;
      throw error;
    }
  };
  const openSession = (role: CustomerRole): CredentialSource => {
    const id = `${role.roleArn} ${role.externalId}`;
    const session = sessions.get(id) ?? createRoleSession(assumeRole, role, clocks.now);
    sessions.set(id, session);
    return session;
  };
  const read = (
    credentials: CredentialSource,
    onRequest: OnRequest,
    home: StoreLocation = AWS_ACCOUNT,
  ): AccountReader =>
    createAccountReader({
      http,
      credentials,
      clocks,
      onRequest,
      findEndpoint,
      home,
      listsByPages: home === AWS_ACCOUNT,
    });

  return {
    /**
     * Every bucket of the account, through a new session.
     *
     * @throws RoleRefusedError, StoreError
     */
    listBuckets: (role: CustomerRole) =>
      read(createRoleSession(assumeRole, role, clocks.now), () => undefined).listBuckets(),

    /** What opens the role instead of its external id: each way is tried. @throws StoreError */
    async findOpenings({ roleArn, externalId }: Required<CustomerRole>): Promise<RoleOpening[]> {
      const attempts: readonly [RoleOpening, CustomerRole][] = [
        ['none', { roleArn }],
        ['random', { roleArn, externalId: randomUUID() }],
        ['longer', { roleArn, externalId: withOneMore(externalId) }],
      ];
      const tried = await Promise.all(
        attempts.map(async ([opening, role]) => ((await isAssumable(role)) ? [opening] : [])),
      );
      return tried.flat();
    },

    /** Reads through a session that all readers of the role share. */
    open: (role: CustomerRole, onRequest: OnRequest) => read(openSession(role), onRequest),

    /** Reads the buckets of a store's account with its keys. */
    openStore: (location: StoreLocation, credentials: SessionCredentials, onRequest: OnRequest) =>
      read({ current: () => Promise.resolve(credentials) }, onRequest, location),

    /** Reads the bill and the metrics through the same session. */
    usage: (role: CustomerRole, cloudAccountId: string, onCharge: UsageReaderDeps['onCharge']) =>
      createUsageReader({
        credentials: openSession(role),
        cloudAccountId,
        endpoints: deps.usageEndpoints,
        onCharge,
      }),
  };
}

/** With one character more, or, of the longest that AWS takes, with another last one. */
function withOneMore(externalId: string): string {
  const kept = externalId.slice(0, MAX_EXTERNAL_ID_CHARACTERS - 1);
  return kept + (externalId.endsWith('0') ? '1' : '0');
}
