import type {
  AccountLists,
  Listed,
  ListedMigration,
  MigrationFilter,
  Page,
  RecommendationFilter,
} from '../../adapters/mongo/account-lists.ts';
import type { Manifests } from '../../adapters/mongo/manifests.ts';
import type { Confirmed } from '../../domain/migration/migration.ts';
import type { RecommendationRecord } from '../../domain/scan/scan.ts';
import type { Account } from '../../domain/account.ts';

export interface AccountListDeps {
  readonly accountLists: AccountLists;
  readonly manifests: Pick<Manifests, 'confirmed'>;
  readonly now: () => Date;
}

/** One page of recommendations. */
export interface ListedRecommendations extends Listed<RecommendationRecord> {
  /** Recommendations that expired before this time are shown as expired. */
  readonly now: Date;
}

/** One page of migrations, with what is confirmed of those that have not ended. */
export interface ListedMigrations extends Listed<ListedMigration> {
  readonly confirmed: ReadonlyMap<string, Confirmed>;
}

/** The account's recommendations over all of its scans, the largest savings first. */
export async function listRecommendations(
  { accountLists, now: clock }: AccountListDeps,
  { accountId }: Account,
  { limit, offset, ...filter }: Page & Omit<RecommendationFilter, 'accountId'>,
): Promise<ListedRecommendations> {
  const now = clock();
  const page = { limit, offset };
  return { ...(await accountLists.recommendations({ accountId, ...filter }, now, page)), now };
}

/** The account's migrations as stored, the newest first. No workflow is asked. */
export async function listMigrations(
  { accountLists, manifests }: AccountListDeps,
  { accountId }: Account,
  { limit, offset, ...filter }: Page & Omit<MigrationFilter, 'accountId'>,
): Promise<ListedMigrations> {
  const listed = await accountLists.migrations({ accountId, ...filter }, { limit, offset });
  const running = listed.items.flatMap(({ record }) =>
    record && !record.finalCounts ? [record.migrationId] : [],
  );
  const confirmed =
    running.length > 0 ? await manifests.confirmed(running) : new Map<string, Confirmed>();
  return { ...listed, confirmed };
}
