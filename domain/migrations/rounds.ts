import { formatBytes } from '../../shared/amounts.ts';
import type { Quote } from '../decision/types.ts';
import type { Group } from '../inventory/inventory.ts';
import { roundUsd } from '../pricing/money.ts';
import { NO_COUNTS } from './counts.ts';
import type {
  Approval,
  EndedRound,
  MigrationError,
  MigrationRecord,
  RoundRequest,
} from './migration.ts';
import type { StopError } from './stop.ts';

/** At most, the approval's copy counted. */
export const MAX_ROUNDS = 50;

/** Names a round of a migration. */
export interface RoundKey {
  readonly migrationId: string;
  /** From 1, the copy that the approval starts. */
  readonly round: number;
}

/** Manifest, object ledger and counts of a round are stored under this id. */
export function roundId({ migrationId, round }: RoundKey): string {
  return round === 1 ? migrationId : `${migrationId}.${round}`;
}

/** The number of the latest round that a person asked for. */
export function latestRound({ rounds = [] }: Pick<Approval, 'rounds'>): number {
  return rounds.at(-1)?.number ?? 1;
}

/** The latest round of a record, as it follows the earlier ones. */
export function endedRound(record: MigrationRecord): EndedRound {
  const { round, status, roundStartedAt, completedAt, error, manifest, finalCounts } = record;
  return {
    number: round,
    status,
    startedAt: roundStartedAt,
    completedAt,
    error,
    manifest,
    counts: finalCounts ?? NO_COUNTS,
  };
}

/** What a person asked for in a round. Undefined: the round is the approval's copy. */
export function findRequest(
  { rounds = [] }: Pick<Approval, 'rounds'>,
  { round }: Pick<RoundKey, 'round'>,
): RoundRequest | undefined {
  return rounds.find(({ number }) => number === round);
}

/**
 * Whether a round removes the gone objects at the target. An empty or incomplete source must not
 * empty the target: all of them stay if there are more than the person allowed.
 *
 * | gone | allowed | answer          |
 * | ---- | ------- | --------------- |
 * | any  | 0       | `keep`          |
 * | 5    | 5       | `remove`        |
 * | 6    | 5       | `too_many_gone` |
 */
export function decideRemoval(
  gone: number,
  removeAtMost: number,
): 'keep' | 'remove' | 'too_many_gone' {
  if (removeAtMost === 0) return 'keep';
  return gone <= removeAtMost ? 'remove' : 'too_many_gone';
}

/** Compares what a round would copy with what it may copy; null if it is covered. */
export function checkRound(
  { maxTotalUsd, maxBytes = Number.POSITIVE_INFINITY }: RoundRequest,
  groups: readonly Pick<Group, 'bytes'>[],
  { totalUsd }: Pick<Quote, 'totalUsd'>,
): StopError | null {
  const bytes = groups.reduce((sum, group) => sum + group.bytes, 0);
  if (bytes > maxBytes)
    return {
      code: 'migration_too_large',
      message: `This round would copy ${formatBytes(bytes)}, and this deployment moves at most ${formatBytes(maxBytes)} at once. Nothing was copied.`,
    };
  if (totalUsd <= maxTotalUsd) return null;
  return {
    code: 'quote_exceeded',
    message: `This round would cost ${roundUsd(totalUsd)} USD, and at most ${maxTotalUsd} USD are allowed. Nothing was copied.`,
  };
}

export function tooManyGone(gone: number, removeAtMost: number): MigrationError {
  return {
    code: 'too_many_gone',
    message: `${gone} copied objects are gone at the source, and at most ${removeAtMost} may be removed. None was removed at the target, where they may be the only copies.`,
  };
}
