import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations/recommendations.ts';
import { isPlaceGone } from '../../adapters/object-store/account-stores.ts';
import type { TargetCapabilities } from '../../domain/providers/capabilities.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { ProviderName } from '../../domain/providers/catalogue.ts';
import { measuredAt, type Account } from '../../domain/accounts/account.ts';
import type { MigrationRoundKey } from '../../messages/migration.ts';
import {
  placesOf,
  type MigrationRecord,
  type RoundRequest,
} from '../../domain/migrations/migration.ts';
import { findRequest, roundId } from '../../domain/migrations/rounds.ts';
import { MigrationDelayError, MigrationStopError } from '../../domain/migrations/stop.ts';
import type { MigrationContext } from '../contexts.ts';

export interface MigrationRun {
  /** Manifest, ledger and counts of the round are stored under it. */
  readonly id: string;
  readonly key: MigrationRoundKey;
  /** What a person asked for in the round. Undefined in the first one. */
  readonly request: RoundRequest | undefined;
  readonly account: Account;
  readonly recommendation: ApprovedRecommendation;
  readonly record: MigrationRecord;
  /** With the credentials of the places that the migration was approved for. */
  readonly source: ObjectStore;
  readonly target: ObjectStore;
  /** What the target was found to do, by the test of its provider or by the canary. */
  readonly capabilities: Partial<TargetCapabilities>;
}

/** @throws MigrationStop if the approval is missing, or a store is no longer configured. */
export async function openRun(
  { accounts, recommendations, migrations, stores }: MigrationContext,
  key: MigrationRoundKey,
): Promise<MigrationRun> {
  const [account, recommendation, record] = await Promise.all([
    accounts.findAccount(key.accountId),
    recommendations.findApproved(key),
    migrations.findMigration(key),
  ]);
  if (!account || !recommendation || record?.round !== key.round)
    throw new MigrationStopError('internal_error', 'The approval of this migration is missing.');
  const { source, target } = recommendation.approval;
  const places = placesOf(account, recommendation.approval);
  try {
    return {
      id: roundId(key),
      key,
      request: findRequest(recommendation.approval, key),
      account,
      recommendation,
      record,
      source: await stores.at(account, source, places.source),
      target: await stores.at(account, target, places.target),
      capabilities: { ...record.targetCapabilities, ...measuredAt(account, target) },
    };
  } catch (error) {
    if (isPlaceGone(error))
      throw new MigrationStopError('provider_not_configured', error.message, error);
    throw error;
  }
}

/**
 * Works at the stores of a migration, unless they are suspended. The two are guarded together: only
 * an object's failure says which of them was silent.
 */
export function atStores<Result>(
  { guard }: MigrationContext,
  { recommendation: { accountId, approval } }: Pick<MigrationRun, 'recommendation'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { source, target } = approval;
  return guard({ accountId, store: `${source.provider}>${target.provider}` }, work);
}

/** The first refusals may concern credentials that were just replaced. */
const REFUSED_ATTEMPTS = 2;

/** A store's failure as the run's: an end with a reason, or a delay and another attempt. */
export function classifyStoreError(
  { stores, attempt }: MigrationContext,
  provider: ProviderName,
  error: unknown,
  refusedAttempts = REFUSED_ATTEMPTS,
): unknown {
  if (!(error instanceof StoreError)) return error;
  const { message } = stores.toProviderError({ provider }, error);
  if (error.isTransient || attempt() < refusedAttempts)
    return new MigrationDelayError(message, error);
  return new MigrationStopError('provider_error', message, error);
}

/** How a call of a store is repeated within a slice. */
export function callsOf({ slices: { wait, signal } }: MigrationContext) {
  return { wait, signal: signal() };
}
