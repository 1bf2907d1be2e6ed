import type { Accounts } from '../adapters/mongo/accounts.ts';
import type { Migrations } from '../adapters/mongo/migrations.ts';
import type { ApprovedRecommendation, Recommendations } from '../adapters/mongo/recommendations.ts';
import type { AccountStores } from '../adapters/object-store/account-stores.ts';
import { StoreError } from '../adapters/object-store/errors.ts';
import type { TransferStore } from '../adapters/object-store/transfer-store.ts';
import { CATALOGUE, type ProviderName } from '../domain/catalogue.ts';
import { AppError } from '../domain/errors.ts';
import type { MigrationRecord } from '../domain/migration/migration.ts';
import { MigrationDelay, MigrationStop } from '../domain/migration/stop.ts';

export interface MigrationRunDeps {
  readonly accounts: Accounts;
  readonly recommendations: Recommendations;
  readonly migrations: Migrations;
  readonly stores: AccountStores;
}

/** A migration, as its workflow names it. */
export interface MigrationRunKey {
  readonly migrationId: string;
  readonly accountId: string;
}

/** Everything that the work on a migration turns on, as it is now. */
export interface MigrationRun {
  readonly recommendation: ApprovedRecommendation;
  readonly record: MigrationRecord;
  /** With the credentials of this moment. */
  readonly source: TransferStore;
  readonly target: TransferStore;
}

/** @throws MigrationStop where it was never approved, or a store is not configured any more. */
export async function openRun(
  { accounts, recommendations, migrations, stores }: MigrationRunDeps,
  key: MigrationRunKey,
): Promise<MigrationRun> {
  const [account, recommendation, record] = await Promise.all([
    accounts.find(key.accountId),
    recommendations.findApproved(key),
    migrations.find(key),
  ]);
  if (!account || !recommendation || !record)
    throw new MigrationStop('internal_error', 'The approval of this migration is not there.');
  const { source, target } = recommendation.approval;
  try {
    return {
      recommendation,
      record,
      source: stores.transferAt(account, source),
      target: stores.transferAt(account, target),
    };
  } catch (error) {
    if (error instanceof AppError && error.code === 'provider_not_configured')
      throw new MigrationStop('provider_not_configured', error.message, error);
    throw error;
  }
}

/**
 * What a store's refusal means for the run: an end with a reason, or another try. The first refusal may
 * be of credentials that were replaced a moment ago: the next try reads them anew.
 */
export function storeVerdict(provider: ProviderName, error: unknown, attempt: number): unknown {
  if (!(error instanceof StoreError)) return error;
  const message = `${CATALOGUE[provider].title} (${provider}): ${error.message}.`;
  if (error.isTransient || attempt < 2) return new MigrationDelay(message, error);
  return new MigrationStop('provider_error', message, error);
}
