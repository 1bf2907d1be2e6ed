/** A customer's role that may be scanned, and how it is reached. */
export interface Connection {
  readonly connectionId: string;
  readonly accountId: string;
  readonly roleArn: string;
  readonly externalId: string;
  /** Buckets elsewhere are left out. */
  readonly regions: readonly string[];
  /** How many buckets there were in these regions when the role was last connected. */
  readonly bucketCount: number;
  readonly warnings: readonly string[];
  readonly createdAt: Date;
}

/** What happens where a role lets in somebody who does not know its external id. */
export const EXTERNAL_ID_RULES = ['enforce', 'warn'] as const;
export type ExternalIdRule = (typeof EXTERNAL_ID_RULES)[number];
