/** A customer's role that the scanner assumes. */
export interface Connection {
  readonly connectionId: string;
  readonly accountId: string;
  readonly roleArn: string;
  readonly externalId: string;
  /** Buckets elsewhere are left out. */
  readonly regions: readonly string[];
  /** The number of buckets in these regions when the role was last connected. */
  readonly bucketCount: number;
  readonly warnings: readonly string[];
  readonly createdAt: Date;
}

/** The response to a role that can be assumed without its external id. */
export const EXTERNAL_ID_RULES = ['enforce', 'warn'] as const;
export type ExternalIdRule = (typeof EXTERNAL_ID_RULES)[number];
