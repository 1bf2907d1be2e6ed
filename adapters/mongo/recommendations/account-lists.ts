import type { Collection, Db, Filter } from 'mongodb';
import type { MigrationRecord, MigrationStatus } from '../../../domain/migrations/migration.ts';
import {
  type RecommendationRecord,
  type RecommendationStatus,
  RECOMMENDATION_STATUSES,
} from '../../../domain/recommendations/recommendation.ts';
import { latestRound } from '../../../domain/migrations/rounds.ts';
import { toMigration, type MigrationDocument } from '../migrations/migrations.ts';
import type { Listed, Page } from '../common/pages.ts';
import {
  isApproved,
  toRecommendation,
  type ApprovedRecommendation,
  type RecommendationDocument,
} from './recommendations.ts';

export interface RecommendationFilter {
  readonly accountId: string;
  readonly status?: RecommendationStatus | undefined;
  readonly connectionId?: string | undefined;
}

export interface MigrationFilter {
  readonly accountId: string;
  readonly status?: MigrationStatus | undefined;
}

/** A migration in a list. */
export interface ListedMigration {
  readonly approved: ApprovedRecommendation;
  /** Undefined while the migration is queued. */
  readonly record: MigrationRecord | undefined;
}

/** An index on the account and the status has this order. */
const LARGEST_SAVINGS = { monthlySavingsUsd: -1, _id: 1 } as const;
const NEWEST_APPROVAL = { 'approval.approvedAt': -1, _id: 1 } as const;
const NEWEST = { approvedAt: -1, _id: 1 } as const;

/** What an account has, over all of its scans. Reads only. */
export class AccountLists {
  readonly #recommendations: Collection<RecommendationDocument>;
  readonly #migrations: Collection<MigrationDocument>;

  constructor(db: Db) {
    this.#recommendations = db.collection('recommendations');
    this.#migrations = db.collection('migrations');
  }

  /** The largest savings first, then by id. After its `expiresAt` one counts as expired. */
  async recommendations(
    filter: RecommendationFilter,
    now: Date,
    { limit, offset }: Page,
  ): Promise<Listed<RecommendationRecord>> {
    const wanted = recommendationFilter(filter, now);
    const [documents, total] = await Promise.all([
      this.#recommendations.find(wanted).sort(LARGEST_SAVINGS).skip(offset).limit(limit).toArray(),
      this.#recommendations.countDocuments(wanted),
    ]);
    return { items: documents.map(toRecommendation), total };
  }

  /** By the time of the approval, the newest first, then by id. */
  migrations({ accountId, status }: MigrationFilter, page: Page): Promise<Listed<ListedMigration>> {
    if (status === undefined) return this.#allMigrations(accountId, page);
    if (status === 'queued') return this.#queuedMigrations(accountId, page);
    return this.#begunMigrations({ accountId, status }, page);
  }

  async #readApproved(
    filter: Filter<RecommendationDocument>,
    { limit, offset }: Page,
  ): Promise<ApprovedRecommendation[]> {
    const documents = this.#recommendations
      .find(filter)
      .sort(NEWEST_APPROVAL)
      .skip(offset)
      .limit(limit);
    return (await documents.toArray()).map(toRecommendation).filter(isApproved);
  }

  async #readRecords(migrationIds: readonly string[]): Promise<MigrationRecord[]> {
    const documents = this.#migrations.find(
      { _id: { $in: [...migrationIds] } },
      { projection: { manifestProgress: 0 } },
    );
    return (await documents.toArray()).map(toMigration);
  }

  /** A migration is queued until its run stores it. */
  async #allMigrations(accountId: string, page: Page): Promise<Listed<ListedMigration>> {
    const filter = { accountId, status: 'approved' } as const;
    const [approved, total] = await Promise.all([
      this.#readApproved(filter, page),
      this.#recommendations.countDocuments(filter),
    ]);
    const records = await this.#readRecords(
      approved.map(({ recommendationId }) => recommendationId),
    );
    return { items: join(approved, records), total };
  }

  /** The approved moves whose workflow has not ended, and that are not stored as begun. */
  async #queuedMigrations(accountId: string, page: Page): Promise<Listed<ListedMigration>> {
    const waiting = { accountId, status: 'approved', hasWorkflow: true } as const;
    const asked = await this.#recommendations
      .find(waiting, { projection: { 'approval.rounds': 1 } })
      .map(({ _id, approval }) => ({ id: _id, round: approval ? latestRound(approval) : 1 }))
      .toArray();
    const ids = asked.map(({ id }) => id);
    const begun = this.#migrations.find({ _id: { $in: ids } }, { projection: { round: 1 } });
    const latest = new Map((await begun.toArray()).map(({ _id, round }) => [_id, round]));
    const isBegun = (id: string, round: number) => {
      const begunRound = latest.get(id);
      return begunRound !== undefined && begunRound >= round;
    };
    const queuedIds = asked.filter(({ id, round }) => !isBegun(id, round)).map(({ id }) => id);
    const approved = await this.#readApproved({ _id: { $in: queuedIds } }, page);
    return { items: join(approved, await this.#readRecords(queuedIds)), total: queuedIds.length };
  }

  async #begunMigrations(
    filter: { readonly accountId: string; readonly status: MigrationRecord['status'] },
    { limit, offset }: Page,
  ): Promise<Listed<ListedMigration>> {
    const [records, total] = await Promise.all([
      this.#migrations
        .find(filter, { projection: { manifestProgress: 0 } })
        .sort(NEWEST)
        .skip(offset)
        .limit(limit)
        .map(toMigration)
        .toArray(),
      this.#migrations.countDocuments(filter),
    ]);
    const ids = records.map(({ migrationId }) => migrationId);
    const all = { limit: ids.length, offset: 0 };
    // A limit of 0 is none.
    if (ids.length === 0) return { items: [], total };
    const approved = await this.#readApproved({ _id: { $in: ids } }, all);
    return { items: join(approved, records), total };
  }
}

/** Every filter names statuses, so that the index serves its order too. */
function recommendationFilter(
  { accountId, status, connectionId }: RecommendationFilter,
  now: Date,
): Filter<RecommendationDocument> {
  const common = { accountId, ...(connectionId === undefined ? {} : { connectionId }) };
  switch (status) {
    case undefined:
      return { ...common, status: { $in: [...RECOMMENDATION_STATUSES] } };
    case 'open':
      return { ...common, status, expiresAt: { $gt: now } };
    case 'expired':
      return {
        $or: [
          { ...common, status },
          { ...common, status: 'open', expiresAt: { $lte: now } },
        ],
      };
    case 'approved':
    case 'superseded':
      return { ...common, status };
  }
}

function join(
  approved: readonly ApprovedRecommendation[],
  records: readonly MigrationRecord[],
): ListedMigration[] {
  const byId = new Map(records.map((record) => [record.migrationId, record]));
  return approved.map((each) => ({
    approved: each,
    record: byId.get(each.recommendationId),
  }));
}
