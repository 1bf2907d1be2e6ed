import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations/recommendations.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import type { MigrationRecord } from '../../domain/migrations/migration.ts';
import { roundId } from '../../domain/migrations/rounds.ts';
import { sourceId } from '../../domain/migrations/target-place.ts';
import type { MigrationContext } from '../contexts.ts';

/** The ledger of one round of a migration whose keys at the target may be those of another. */
export interface Ledger {
  /** The round's. */
  readonly id: string;
  readonly migrationId: string;
  /** What its keys begin with at the target. */
  readonly keyPrefix: string;
  /** Its objects are those of the same source. */
  readonly isOfSource: boolean;
  /** A release check that began in this round or a later one has ended as ready. */
  readonly isReleased: boolean;
}

/**
 * The ledgers that may have lines about the keys of a migration at its target: those of its own
 * rounds before `round`, and those of all rounds of the account's other migrations.
 */
export async function findLedgers(
  { recommendations, migrations }: MigrationContext,
  own: ApprovedRecommendation,
  round: number,
): Promise<readonly Ledger[]> {
  const { accountId, approval, recommendationId } = own;
  const toTarget = await recommendations.approvedTo(accountId, approval.target);
  const sharing = new Map(
    toTarget
      .filter((each) => isNested(each.approval.keyPrefix, approval.keyPrefix))
      .map((each) => [each.recommendationId, each]),
  );
  const records = await migrations.findAll(accountId, [...sharing.keys()]);
  const ledgersOf = (record: MigrationRecord): Ledger[] => {
    const { migrationId, releasedRound = 0 } = record;
    const recommendation = sharing.get(migrationId);
    if (!recommendation) return [];
    const { keyPrefix } = recommendation.approval;
    const isOfSource =
      keyPrefix === approval.keyPrefix && sourceId(recommendation) === sourceId(own);
    return roundsWithPages(record)
      .filter((number) => migrationId !== recommendationId || number < round)
      .map((number) => ({
        id: roundId({ migrationId, round: number }),
        migrationId,
        keyPrefix,
        isOfSource,
        isReleased: number <= releasedRound,
      }));
  };
  return records.flatMap(ledgersOf);
}

/** The rounds that may have ledger lines. */
function roundsWithPages({ round, manifest, earlierRounds }: MigrationRecord): number[] {
  return [...earlierRounds, { number: round, manifest }]
    .filter((each) => (each.manifest?.pages ?? 0) > 0)
    .map(({ number }) => number);
}

function isNested(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}

/** Keys in order: those behind `after` (null: from the first) up to `upTo` (null: to the last). */
export interface KeyRange {
  readonly after: string | null;
  readonly upTo: string | null;
}

/**
 * The range of a ledger's keys that holds all those which are the same at the target as keys of a
 * migration's range, and may hold others; undefined: there are none.
 *
 * @param keyPrefix what the migration's keys begin with at the target
 */
export function toLedgerRange(
  ledger: Pick<Ledger, 'keyPrefix'>,
  keyPrefix: string,
  { after, upTo }: KeyRange,
): KeyRange | undefined {
  const first = keyPrefix + (after ?? '');
  const last = upTo === null ? null : keyPrefix + upTo;
  const isBefore = last !== null && compareKeys(last, ledger.keyPrefix) <= 0;
  const isBehind = !first.startsWith(ledger.keyPrefix) && compareKeys(first, ledger.keyPrefix) > 0;
  if (isBefore || isBehind) return undefined;
  return {
    after: withoutPrefix(ledger.keyPrefix, first) || null,
    upTo: last === null ? null : (withoutPrefix(ledger.keyPrefix, last) ?? null),
  };
}

/** The migration's key that is the same at the target as a ledger's key; undefined: it has none. */
export function toOwnKey(
  ledger: Pick<Ledger, 'keyPrefix'>,
  keyPrefix: string,
  key: string,
): string | undefined {
  return withoutPrefix(keyPrefix, ledger.keyPrefix + key);
}

function withoutPrefix(prefix: string, key: string): string | undefined {
  return key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}
