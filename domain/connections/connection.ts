import type { ProviderName, StoreLocation } from '../providers/catalogue.ts';
import type { ScanSchedule } from './schedule.ts';

/**
 * What the scanner may read: a cloud account through a role, or a store with stored credentials.
 */
export type Connection = RoleConnection | StoreConnection;

interface AnyConnection {
  readonly connectionId: string;
  readonly accountId: string;
  /** The store whose buckets it reads. */
  readonly provider: ProviderName;
  /** The number of buckets to read when it was last connected. */
  readonly bucketCount: number;
  readonly warnings: readonly string[];
  readonly createdAt: Date;
  readonly schedule?: ScanSchedule;
}

/** A customer's role that the scanner assumes. */
export interface RoleConnection extends AnyConnection {
  readonly roleArn: string;
  readonly externalId: string;
  /** Buckets elsewhere are left out. */
  readonly regions: readonly string[];
}

export interface StoreConnection extends AnyConnection {
  /** Whose buckets they are: changes with the account at the provider. */
  readonly owner: string;
  /** Whose credentials read them, current or former. */
  readonly place: StoreLocation;
  /** Those to read, besides the provider's own; null: all that the credentials may list. */
  readonly buckets: readonly string[] | null;
}

export function isRole(connection: Connection): connection is RoleConnection {
  return 'roleArn' in connection;
}

/** Whose buckets are read, as one tenant sees it. */
export function sourceAccount(
  connection:
    Pick<RoleConnection, 'accountId' | 'roleArn'> | Pick<StoreConnection, 'accountId' | 'owner'>,
) {
  const { accountId } = connection;
  const cloudAccountId =
    'roleArn' in connection ? accountOfRole(connection.roleArn) : connection.owner;
  return { accountId, cloudAccountId };
}

/** The owner of a store's buckets. A store whose host has no account id is one owner. */
export function storeOwner({ provider, accountId }: StoreLocation): string {
  return accountId === undefined ? provider : `${provider}/${accountId}`;
}

/** The response to a role that can be assumed without its external id. */
export const EXTERNAL_ID_RULES = ['enforce', 'warn'] as const;
export type ExternalIdRule = (typeof EXTERNAL_ID_RULES)[number];

/** The response to a role of the AWS account that the service itself belongs to. */
export const OWN_ACCOUNT_RULES = ['refuse', 'allow'] as const;
export type OwnAccountRule = (typeof OWN_ACCOUNT_RULES)[number];

/** A new connection needs as many. An older one may have a shorter external id. */
export const MIN_EXTERNAL_ID_CHARACTERS = 16;
/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
export const MAX_EXTERNAL_ID_CHARACTERS = 1224;

/** What opens a role besides its external id: none, a random one, or the id and one character. */
export type RoleOpening = 'none' | 'random' | 'longer';

/** The AWS account in the ARN of a role. */
export function accountOfRole(roleArn: string): string {
  return roleArn.split(':')[4] ?? '';
}

/** Attempts without a delay: a new role's permissions take a moment, and people mistype. */
const FREE_ATTEMPTS = 10;
const FIRST_DELAY_SECONDS = 60;
/** Short enough for an owner who has mended the role. */
const MAX_DELAY_SECONDS = 15 * 60;
/** Attempts are forgotten this long after the last one. */
export const ATTEMPTS_KEPT_SECONDS = 86_400;

/**
 * How long an account may not try a role after its nth attempt in sequence that did not assume it:
 *
 * | attempt | seconds |
 * |---|---|
 * | 1 to 9 | 0 |
 * | 10 | 60 |
 * | 11 | 120 |
 * | 12 | 240 |
 * | 13 | 480 |
 * | 14 and above | 900 |
 */
export function delaySecondsAfter(attempts: number): number {
  if (attempts < FREE_ATTEMPTS) return 0;
  return Math.min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (attempts - FREE_ATTEMPTS));
}
