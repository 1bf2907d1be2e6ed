import type { Schedule } from './schedule.ts';

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
  readonly schedule?: Schedule;
}

/** The cloud account of a role, as one tenant sees it. */
export function sourceAccount({ accountId, roleArn }: Pick<Connection, 'accountId' | 'roleArn'>) {
  return { accountId, cloudAccountId: roleArn.split(':')[4] ?? '' };
}

/** The response to a role that can be assumed without its external id. */
export const EXTERNAL_ID_RULES = ['enforce', 'warn'] as const;
export type ExternalIdRule = (typeof EXTERNAL_ID_RULES)[number];

/** Attempts without a delay: permissions of a new role take effect after a moment, and people mistype. */
const FREE_ATTEMPTS = 10;
const FIRST_DELAY_SECONDS = 60;
/** Short enough for an owner whose role another account keeps trying. */
const MAX_DELAY_SECONDS = 15 * 60;
/** Attempts are forgotten this long after the last one. */
export const ATTEMPTS_KEPT_SECONDS = 86_400;

/**
 * How long a role may not be tried after its nth attempt in sequence that did not assume it:
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
