import { createHash } from 'node:crypto';
import type { PriceFactors } from '../bill/price-factors.ts';
import { nameUuid } from '../common/name-uuid.ts';
import { formatBytes, formatCount } from '../../shared/amounts.ts';
import { AWS, type ProviderName } from '../providers/catalogue.ts';
import type { Account } from '../accounts/account.ts';
import type { Person } from '../accounts/person.ts';
import type { Blocker, PlacementOption, Recommendation, Selector } from '../decision/types.ts';
import type { Approval } from '../migrations/migration.ts';

export const RECOMMENDATION_STATUSES = ['open', 'approved', 'expired', 'superseded'] as const;
export type RecommendationStatus = (typeof RECOMMENDATION_STATUSES)[number];

/** A recommendation as stored, with its status. */
export interface RecommendationRecord extends Recommendation {
  readonly recommendationId: string;
  readonly accountId: string;
  readonly connectionId: string;
  /** The scanned cloud account, 12 digits, or a store: the owner of what is copied. */
  readonly cloudAccountId: string;
  /** Where the objects are; absent in older ones: AWS. */
  readonly source?: ProviderName;
  readonly scanId: string;
  /** The scan's decision: 0 for its first one, then 1, 2, … with each new price book. */
  readonly revision: number;
  /** What its region's list prices were multiplied by; absent in older ones: 1. */
  readonly priceFactors?: PriceFactors;
  readonly status: RecommendationStatus;
  readonly expiresAt: Date;
  /** Set once, by the approval. */
  readonly approval: Approval | null;
}

/** The key of the migration that carries out a move: both have one id (decision 0006). */
export function migrationKeyOf({
  recommendationId,
  accountId,
}: Pick<RecommendationRecord, 'recommendationId' | 'accountId'>) {
  return { migrationId: recommendationId, accountId };
}

/** The key of the move that a migration carries out. */
export function recommendationKeyOf({ migrationId, accountId }: ReturnType<typeof migrationKeyOf>) {
  return { recommendationId: migrationId, accountId };
}

/** The store where a recommendation's objects are. */
export function sourceOf({ source = AWS }: Pick<RecommendationRecord, 'source'>): ProviderName {
  return source;
}

/** Why a person does not want to see an answer for a time; kept over later scans. */
export interface Dismissal {
  readonly until: Date;
  readonly reason: string;
  readonly by: Person;
  readonly at: Date;
}

/** What is known of a recommendation besides its own record. */
export interface RecommendationContext {
  /**
   * The newest one for the same objects by the same connection; null while it is open, or without.
   */
  readonly supersededBy: string | null;
  /** Null if it was not dismissed, or the time is over. */
  readonly dismissal: Dismissal | null;
}

/** What a recommendation is about: the same in every scan that finds it again. */
export function recommendationSubject({
  accountId,
  cloudAccountId,
  kind,
  bucket,
  selector,
}: Pick<
  RecommendationRecord,
  'accountId' | 'cloudAccountId' | 'kind' | 'bucket' | 'selector'
>): string {
  return createHash('sha256')
    .update(JSON.stringify([accountId, cloudAccountId, kind, bucket, ...selectorValues(selector)]))
    .digest('hex');
}

/** What a selector says, in one order. */
export function selectorValues(selector: Selector): readonly (string | number | null)[] {
  const { prefix, storageClass, minAgeDays, maxAgeDays, minSizeBytes } = selector;
  return [prefix, storageClass, minAgeDays, maxAgeDays, minSizeBytes];
}

/**
 * The status of a recommendation at a time. Its workflow stores `expired` some time after
 * `expiresAt`.
 *
 * | stored   | `expiresAt` | status    |
 * | -------- | ----------- | --------- |
 * | `open`   | later       | `open`    |
 * | `open`   | passed      | `expired` |
 * | others   | any         | as stored |
 */
export function recommendationStatusAt(
  { status, expiresAt }: Pick<RecommendationRecord, 'status' | 'expiresAt'>,
  now: Date,
): RecommendationStatus {
  return status === 'open' && expiresAt <= now ? 'expired' : status;
}

/** Whether it is a move of more bytes than a deployment moves at once. */
export function isTooLarge(
  { kind, bytes }: Pick<RecommendationRecord, 'kind' | 'bytes'>,
  maxBytes: number,
): boolean {
  return kind === 'move' && bytes > maxBytes;
}

/** The recommendation, blocked if it is open and too large for the deployment to move. */
export function withSizeBlocker(
  recommendation: RecommendationRecord,
  maxBytes: number,
): RecommendationRecord {
  const { status, objects, blockers } = recommendation;
  if (status !== 'open' || !isTooLarge(recommendation, maxBytes)) return recommendation;
  const blocker = {
    code: 'too_large_here',
    message: sizeMessage(recommendation, maxBytes),
    objects,
  };
  return { ...recommendation, blockers: [...blockers, blocker] };
}

/**
 * The recommendation, with a blocker of each option whose store cannot hold an object and others
 * below its key, if there are such objects. Stores may be measured after the scan.
 *
 * @param stores of the account
 */
export function withKeyConflicts(
  recommendation: RecommendationRecord,
  stores: Account['providers'],
  titleOf: (provider: ProviderName) => string,
): RecommendationRecord {
  const { nestedKeys, options, blockers } = recommendation;
  if (!nestedKeys) return recommendation;
  const blockersOf = (provider: ProviderName): readonly Blocker[] => {
    if (stores[provider]?.capabilities?.keyAndFolder !== false) return [];
    const { objects, above, below } = nestedKeys;
    const message = `${formatCount(objects, 'object')} below the key of another one would stay behind in a move to ${titleOf(provider)} (${provider}), which cannot hold both, as ${above} and ${below}; the figures include them.`;
    return [{ code: 'key_conflict', message, objects }];
  };
  const added = new Map(options.map(({ provider }) => [provider, blockersOf(provider)]));
  return {
    ...recommendation,
    blockers: [...blockers, ...[...added.values()].flat()],
    options: options.map((option) => withBlockers(option, added.get(option.provider) ?? [])),
  };
}

function withBlockers(option: PlacementOption, added: readonly Blocker[]): PlacementOption {
  return added.length === 0
    ? option
    : { ...option, blockers: [...(option.blockers ?? []), ...added] };
}

/** Both figures, for people. */
export function sizeMessage(
  { bytes }: Pick<RecommendationRecord, 'bytes'>,
  maxBytes: number,
): string {
  return `The move has ${formatBytes(bytes)}; this deployment moves at most ${formatBytes(maxBytes)} at once. Its operator sets that limit (MIGRATION_MAX_BYTES).`;
}

/**
 * The id of a recommendation: a name-based UUID of its kind, bucket and selector within its scan,
 * and of the revision. A repeated conclusion gives the same recommendations the same ids.
 */
export function deriveRecommendationId(
  scanId: string,
  { kind, bucket, selector }: Pick<Recommendation, 'kind' | 'bucket' | 'selector'>,
  revision = 0,
): string {
  const name = [kind, bucket, ...selectorValues(selector), ...(revision > 0 ? [revision] : [])];
  return nameUuid(scanId, JSON.stringify(name));
}
