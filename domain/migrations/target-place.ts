import { createHash } from 'node:crypto';
import type { StoreLocation } from '../providers/catalogue.ts';
import type { Approval } from './migration.ts';

/** Where a migration writes: the bucket, and what its keys begin with. */
export type PlaceAtTarget = Pick<Approval, 'target' | 'keyPrefix'>;

/** What a migration reads, as its approval names it. */
interface ApprovedSource {
  /** Whose the bucket is: 12 digits, or a store's owner. */
  readonly cloudAccountId: string;
  readonly approval: Pick<Approval, 'source'>;
}

/** Names the bucket that a migration reads: stores, owners and regions have equal names. */
export function sourceId({ cloudAccountId, approval: { source } }: ApprovedSource): string {
  return JSON.stringify([cloudAccountId, ...locationParts(source)]);
}

/** Names an account's place at a target. */
export function placeId(accountId: string, { target, keyPrefix }: PlaceAtTarget): string {
  const place = JSON.stringify([accountId, ...locationParts(target), keyPrefix]);
  return createHash('sha256').update(place).digest('hex');
}

/** Whether two prefixes of a bucket, null for all of it, have keys in common. */
export function isOverlapping(a: string | null, b: string | null): boolean {
  return (a ?? '').startsWith(b ?? '') || (b ?? '').startsWith(a ?? '');
}

function locationParts(location: StoreLocation): readonly (string | undefined)[] {
  const { provider, accountId, jurisdiction, region, bucketName } = location;
  return [provider, accountId, jurisdiction, region, bucketName];
}
