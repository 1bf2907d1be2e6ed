import { defaultProvider } from '@aws-sdk/credential-provider-node';
import {
  createAccountReader,
  type AccountReader,
  type AccountReaderDeps,
} from '../../adapters/cloud-account/account-reader.ts';
import { rolePolicy } from '../../adapters/cloud-account/permissions.ts';
import { createAssumeRole, RoleRefusedError } from '../../adapters/cloud-account/roles.ts';
import { createReadServiceAccount } from '../../adapters/cloud-account/service-account.ts';
import { createRoleSession, type CredentialSource } from '../../adapters/cloud-account/session.ts';
import { OwnCredentialsError } from '../../adapters/cloud-account/sts-call.ts';
import { createUsageReader, type UsageReader } from '../../adapters/cloud-account/usage-reader.ts';
import { createEndpoints } from '../../adapters/object-store/address.ts';
import { isWithout, StoreError } from '../../adapters/object-store/errors.ts';
import { createStoreHttp } from '../../adapters/object-store/http-client.ts';
import { createStoreClocks } from '../../adapters/object-store/store-clocks.ts';
import { accountOfRole, storeOwner } from '../../domain/connections/connection.ts';
import { AWS } from '../../domain/providers/catalogue.ts';
import type { ListedBucket } from '../../domain/scans/scan.ts';
import { PRICE_BOOK } from './data.ts';
import { AuditError } from './failure.ts';
import type { Settings } from './settings.ts';

/** Called before each request is sent, and with each charge. */
export interface Counting {
  readonly count: AccountReaderDeps['onRequest'];
  readonly charge: (usd: number) => void;
}

/** What is audited: one account of a store. */
export interface Source {
  /** 12 digits of AWS, else the store with its account. */
  readonly account: string;
  readonly reader: AccountReader;
  /** Null if neither the bill nor metrics are read. */
  readonly usage: UsageReader | null;
  /** The buckets to read, by `--bucket` and `--region`. @throws AuditError */
  listBuckets(): Promise<readonly ListedBucket[]>;
  close(): void;
}

const CALL_MS = 10_000;
const now = (): Date => new Date();

/** @throws AuditError if there are no credentials that the account takes */
export async function openSource(settings: Settings, counting: Counting): Promise<Source> {
  const { home, endpoints, readsBill } = settings;
  const { account, credentials } = await openAccount(settings);
  const http = createStoreHttp();
  const reader = createAccountReader({
    http,
    credentials,
    home,
    findEndpoint: createEndpoints(PRICE_BOOK.catalogue, endpoints),
    listsByPages: home.provider === AWS,
    clocks: createStoreClocks(now),
    onRequest: counting.count,
  });
  return {
    account,
    reader,
    usage: readsBill
      ? createUsageReader({
          credentials,
          cloudAccountId: account,
          // The SDK reads AWS_ENDPOINT_URL and those of each service itself.
          endpoints: { costExplorer: undefined, cloudWatch: undefined },
          onCharge: counting.charge,
        })
      : null,
    listBuckets: () => listBuckets(settings, reader),
    close: () => http.close(),
  };
}

async function openAccount({ home, keys, profile, role }: Settings) {
  if (keys) return { account: storeOwner(home), credentials: { current: async () => keys } };
  const chain = defaultProvider(profile === undefined ? {} : { profile });
  const sts = { endpoint: undefined, region: home.region, timeoutMs: CALL_MS, credentials: chain };
  try {
    if (!role) {
      const account = await createReadServiceAccount(sts)();
      const renew = () => chain({ forceRefresh: true });
      return { account, credentials: lasting({ current: () => chain(), renew }) };
    }
    const credentials = createRoleSession(createAssumeRole(sts), role, now);
    await credentials.current();
    return { account: accountOfRole(role.roleArn), credentials: lasting(credentials) };
  } catch (error) {
    throw explainAccess(error);
  }
}

/** Credentials that end while the account is read are a refusal, which the report tells. */
function lasting({ current, renew }: Required<CredentialSource>): CredentialSource {
  const asRefusal = (error: unknown): never => {
    throw error instanceof StoreError ? error : new StoreError('access_denied', error);
  };
  return {
    current: () => current().catch(asRefusal),
    renew: (stale) => renew(stale).catch(asRefusal),
  };
}

/** The named ones, whether or not they may be listed, or else all of the account. */
async function listBuckets(
  { home, buckets: names, regions }: Settings,
  reader: AccountReader,
): Promise<readonly ListedBucket[]> {
  const listed = await reader.listBuckets().catch((error: unknown) => {
    if (names.length > 0 && isWithout(error)) return [];
    if (!(error instanceof StoreError)) throw error;
    const title = PRICE_BOOK.catalogue.titleOf(home.provider);
    throw new AuditError(
      `${title}: the buckets cannot be listed: ${error.message}. ${describeNeeds(home.provider)}`,
    );
  });
  const chosen =
    names.length === 0
      ? listed
      : names.map((name) => {
          const unlisted = { name, region: home.region, createdAt: null };
          return listed.find((bucket) => bucket.name === name) ?? unlisted;
        });
  return chosen.filter(({ region }) => regions.length === 0 || regions.includes(region));
}

function explainAccess(error: unknown): unknown {
  if (error instanceof RoleRefusedError)
    return new AuditError(
      'AWS does not let you assume this role. Its trust policy must name you as principal, and its sts:ExternalId must be the --external-id.',
    );
  if (error instanceof OwnCredentialsError)
    return new AuditError(
      'AWS does not accept the credentials of this shell, or there are none. Log in (aws sso login, aws configure), or name a profile with --profile.',
    );
  return error instanceof StoreError ? new AuditError(`AWS STS: ${error.message}.`) : error;
}

/** What has to be allowed so that something can be read. */
export function describeNeeds(provider: string): string {
  return provider === AWS
    ? `Name some with --bucket, or allow these reads: ${JSON.stringify(rolePolicy())}`
    : 'Name some with --bucket; the keys have to be allowed to list them (ListBucket).';
}
