import type { Migrations } from '../../adapters/mongo/migrations/migrations.ts';
import type {
  ApprovedRecommendation,
  Recommendations,
} from '../../adapters/mongo/recommendations/recommendations.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import type { MigrationRecord } from '../../domain/migrations/migration.ts';
import { roundId } from '../../domain/migrations/rounds.ts';
import { sourceId } from '../../domain/migrations/target-place.ts';

export interface LedgersDeps {
  readonly recommendations: Pick<Recommendations, 'approvedTo'>;
  readonly migrations: Pick<Migrations, 'findAll'>;
}

/** The ledger of one round of a migration that writes below the same keys at the same target. */
export interface Ledger {
  readonly id: string;
  readonly migrationId: string;
  /** Of the same source objects. False: of another source, whose place begins with this one's or the other way round. */
  readonly isOfSource: boolean;
  /** A release check that began in this round or a later one has ended as ready. */
  readonly isReleased: boolean;
  readonly keyPrefix: string;
}

/**
 * The ledgers of all migrations of the account that may say something of the objects of one: of the migration itself,
 * those of the rounds before `round`.
 */
export async function findLedgers(
  { recommendations, migrations }: LedgersDeps,
  own: ApprovedRecommendation,
  round: number,
): Promise<readonly Ledger[]> {
  const { accountId, approval, recommendationId } = own;
  const approved = (await recommendations.approvedTo(accountId, approval.target)).filter((other) =>
    isNested(other.approval.keyPrefix, approval.keyPrefix),
  );
  const ids = approved.map((other) => other.recommendationId);
  const records = new Map(
    (await migrations.findAll(accountId, ids)).map((record) => [record.migrationId, record]),
  );
  return approved.flatMap((other) => {
    const record = records.get(other.recommendationId);
    const { keyPrefix } = other.approval;
    const isOfSource = keyPrefix === approval.keyPrefix && sourceId(own) === sourceId(other);
    const isBefore = (number: number) =>
      other.recommendationId !== recommendationId || number < round;
    return copiedRounds(record)
      .filter(isBefore)
      .map((number) => ({
        id: roundId({ migrationId: other.recommendationId, round: number }),
        migrationId: other.recommendationId,
        isOfSource,
        isReleased: number <= (record?.releasedRound ?? 0),
        keyPrefix,
      }));
  });
}

/** The rounds that may have ledger lines: their manifest has pages. */
function copiedRounds(record: MigrationRecord | undefined): number[] {
  if (!record) return [];
  const { round, manifest, earlierRounds } = record;
  return [...earlierRounds, { number: round, manifest }]
    .filter((each) => (each.manifest?.pages ?? 0) > 0)
    .map(({ number }) => number);
}

function isNested(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}

/** Some keys in order: behind `after`, null: from the first one; up to `upTo`, null: to the last one. */
export interface LedgerRange {
  readonly after: string | null;
  readonly upTo: string | null;
}

/**
 * The keys of a ledger that have the same keys at the target as a range of this migration's; undefined: none has. The
 * range may hold more.
 */
export function toLedgerRange(
  ledger: Pick<Ledger, 'keyPrefix'>,
  keyPrefix: string,
  { after, upTo }: LedgerRange,
): LedgerRange | undefined {
  const lower = keyBehindPrefix(ledger, keyPrefix + (after ?? ''));
  const upper = upTo === null ? 'beyond' : keyBehindPrefix(ledger, keyPrefix + upTo);
  if (lower === 'beyond' || upper === 'before') return undefined;
  return {
    after: typeof lower === 'object' && lower.key !== '' ? lower.key : null,
    upTo: typeof upper === 'object' ? upper.key : null,
  };
}

/** This migration's key of a ledger's; undefined: it has none with that key at the target. */
export function toOwnKey(
  ledger: Pick<Ledger, 'keyPrefix'>,
  keyPrefix: string,
  key: string,
): string | undefined {
  const targetKey = ledger.keyPrefix + key;
  return targetKey.startsWith(keyPrefix) ? targetKey.slice(keyPrefix.length) : undefined;
}

/** Where a key at the target is among those of a ledger. */
function keyBehindPrefix(
  { keyPrefix }: Pick<Ledger, 'keyPrefix'>,
  targetKey: string,
): 'before' | 'beyond' | { readonly key: string } {
  if (targetKey.startsWith(keyPrefix)) return { key: targetKey.slice(keyPrefix.length) };
  return compareKeys(targetKey, keyPrefix) < 0 ? 'before' : 'beyond';
}
