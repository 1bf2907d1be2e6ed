import type { Collection, Db, Filter, WithId } from 'mongodb';
import { sameLocation } from '../../../domain/accounts/account.ts';
import type { StoreLocation } from '../../../domain/providers/catalogue.ts';
import type { Approval, RoundRequest } from '../../../domain/migrations/migration.ts';
import { latestRound, type RoundKey } from '../../../domain/migrations/rounds.ts';
import { defaultKeyPrefix } from '../../../domain/migrations/copying.ts';
import {
  recommendationSubject,
  type RecommendationRecord,
  migrationKeyOf,
} from '../../../domain/recommendations/recommendation.ts';
import type { ServiceEvent } from '../../../domain/webhooks/event.ts';
import { afterExpiry, afterFollowUp } from '../../../domain/common/sweep.ts';
import type { Activity } from '../../../domain/accounts/activity.ts';
import type { DecisionKey } from '../../../domain/scans/scan.ts';
import type { MigrationKey, SourceAccount } from '../migrations/migrations.ts';
import { queueOf, type Due, type DueQueue } from '../common/due.ts';
import { isRound, type MigrationDocument } from '../migrations/migrations.ts';
import { noting, type WithOutbox, withoutOutbox } from '../common/outbox.ts';
import { insertIfNew, matches } from '../common/open.ts';

export type RecommendationDocument = Omit<RecommendationRecord, 'recommendationId'> &
  WithOutbox & {
    readonly _id: string;
    /** The index in the scan's list. */
    readonly rank: number;
    readonly subject: string;
    /** Set while a workflow may wait for the approval or run the migration. */
    readonly hasWorkflow?: true;
    /** When the sweep looks for the workflow. Unset if none is needed. */
    readonly nextAttemptAt?: Date;
    /** How often the sweep has started the migration again. */
    readonly attempts?: number;
    /** The newer scan of the bucket, or null for a removed connection. */
    readonly supersededBy?: string | null;
  };

export interface RecommendationKey {
  readonly recommendationId: string;
  readonly accountId: string;
}

/** A decision of a scan whose recommendations replace earlier ones. */
export interface SupersedingScan extends DecisionKey {
  readonly accountId: string;
  readonly connectionId: string;
  readonly cloudAccountId: string;
  readonly buckets: readonly string[];
}

export interface ApprovedRecommendation extends RecommendationRecord {
  readonly approval: Approval;
}

/** An open or approved move, as the sweep sees it. */
export interface DueRecommendation extends Due {
  readonly recommendation: RecommendationRecord;
}

const WITHOUT_WORKFLOW = { $unset: { hasWorkflow: true, nextAttemptAt: true } } as const;

/** The recommendations of scans. A status changes by conditional write only. */
export class Recommendations {
  readonly #recommendations: Collection<RecommendationDocument>;
  readonly #migrations: Collection<MigrationDocument>;
  readonly due: DueQueue<DueRecommendation>;

  constructor(db: Db) {
    this.#recommendations = db.collection('recommendations');
    this.#migrations = db.collection('migrations');
    this.due = queueOf(this.#recommendations, {
      toWork: (stored) => ({ recommendation: toRecommendation(stored) }),
    });
  }

  /** Stores exactly these recommendations of a decision, in this order; existing ones are kept. */
  async replaceRecommendations(
    key: DecisionKey,
    wanted: readonly RecommendationRecord[],
  ): Promise<void> {
    const ids = wanted.map(({ recommendationId }) => recommendationId);
    await this.#recommendations.deleteMany({ ...isOf(key), _id: { $nin: ids } });
    for (const [rank, { recommendationId, ...recommendation }] of wanted.entries()) {
      const nextAttemptAt = afterExpiry(recommendation.expiresAt);
      const workflow = { hasWorkflow: true, nextAttemptAt } as const;
      await insertIfNew(() =>
        this.#recommendations.insertOne({
          _id: recommendationId,
          ...recommendation,
          rank,
          subject: recommendationSubject(recommendation),
          ...(recommendation.kind === 'move' ? workflow : {}),
        }),
      );
    }
  }

  /** Those of a scan's decision, in their order. */
  async *ofScan(key: DecisionKey): AsyncIterable<RecommendationRecord> {
    for await (const stored of this.#recommendations.find(isOf(key)).sort({ rank: 1 }))
      yield toRecommendation(stored);
  }

  /** The moves of a cloud account that were approved after a time. */
  approvedSince(
    { accountId, cloudAccountId }: SourceAccount,
    since: Date,
  ): Promise<RecommendationRecord[]> {
    return this.#read({
      accountId,
      status: 'approved',
      'approval.approvedAt': { $gte: since },
      cloudAccountId,
    });
  }

  /** Undefined for an unknown id and for another account's. */
  async findRecommendation({
    recommendationId,
    accountId,
  }: RecommendationKey): Promise<RecommendationRecord | undefined> {
    const [recommendation] = await this.#read({ _id: recommendationId });
    return recommendation?.accountId === accountId ? recommendation : undefined;
  }

  /** The newest one of the same subject by the same connection, if it came later. */
  async findNewer(recommendation: RecommendationRecord): Promise<string | undefined> {
    const { connectionId, expiresAt } = recommendation;
    const stored = await this.#recommendations.findOne(
      {
        subject: recommendationSubject(recommendation),
        connectionId,
        expiresAt: { $gt: expiresAt },
      },
      { sort: { expiresAt: -1 }, projection: { _id: 1 } },
    );
    return stored?._id;
  }

  /** The recommendation of an approved migration; undefined for another account's. */
  async findApproved({
    migrationId,
    accountId,
  }: MigrationKey): Promise<ApprovedRecommendation | undefined> {
    const approved = (await this.#read({ _id: migrationId })).find(isApproved);
    return approved?.accountId === accountId ? approved : undefined;
  }

  /** The account's approved moves to a bucket, whichever source and prefix they have. */
  async approvedTo(accountId: string, target: StoreLocation): Promise<ApprovedRecommendation[]> {
    const { provider, bucketName } = target;
    const recommendations = await this.#read({
      accountId,
      status: 'approved',
      'approval.target.bucketName': bucketName,
      'approval.target.provider': provider,
    });
    return recommendations
      .filter(isApproved)
      .filter(({ approval }) => sameLocation(approval.target, target));
  }

  /** open → approved; false if it is no longer open. */
  async approve(
    { recommendationId, accountId }: RecommendationKey,
    approval: Approval,
    activity: Activity,
    events: readonly ServiceEvent[] = [],
  ): Promise<boolean> {
    return await matches(
      this.#recommendations.updateOne(
        {
          _id: recommendationId,
          accountId,
          kind: 'move',
          status: 'open',
          expiresAt: { $gt: approval.approvedAt },
        },
        {
          $set: {
            status: 'approved',
            approval,
            nextAttemptAt: afterFollowUp(approval.approvedAt),
          },
          $unset: { attempts: true },
          ...noting(activity, events),
        },
      ),
    );
  }

  /**
   * Stores a round that a person asks for; false if it is stored already, or is not the next one.
   * The round before it must have ended.
   */
  async requestRound(
    { migrationId, accountId }: MigrationKey,
    round: RoundRequest,
    activity: Activity,
  ): Promise<boolean> {
    const { $push, ...noted } = noting(activity);
    return await matches(
      this.#recommendations.updateOne(
        { _id: migrationId, accountId, status: 'approved', ...isLatest(round.number - 1) },
        {
          $set: { hasWorkflow: true, nextAttemptAt: afterFollowUp(round.requestedAt) },
          $unset: { attempts: true, 'approval.cancelRequestedAt': true },
          ...noted,
          $push: { ...$push, 'approval.rounds': round },
        },
      ),
    );
  }

  /** Stores that a round of the migration is to be cancelled, even if its workflow is lost. */
  async requestCancel(
    { migrationId, accountId, round }: MigrationKey & RoundKey,
    activity: Activity,
  ): Promise<void> {
    await this.#recommendations.updateOne(
      {
        _id: migrationId,
        accountId,
        status: 'approved',
        ...isLatest(round),
        'approval.cancelRequestedAt': { $exists: false },
      },
      { $set: { 'approval.cancelRequestedAt': activity.at }, ...noting(activity) },
    );
  }

  /** The approved moves whose latest round has not ended. */
  async listRunning(accountId: string): Promise<readonly ApprovedRecommendation[]> {
    const held = (await this.#read({ accountId, status: 'approved', hasWorkflow: true })).filter(
      isApproved,
    );
    if (held.length === 0) return [];
    // The end of a round is stored a moment before the recommendation is.
    const ended = await this.#migrations
      .find(
        {
          $or: held.map((move) => ({
            ...isRound({ ...migrationKeyOf(move), round: latestRound(move.approval) }),
            completedAt: { $ne: null },
          })),
        },
        { projection: { _id: 1 } },
      )
      .toArray();
    const isEnded = new Set(ended.map(({ _id }) => _id));
    return held.filter(({ recommendationId }) => !isEnded.has(recommendationId));
  }

  /**
   * open → superseded, for the earlier recommendations that have not expired: the connection's, and
   * those of other roles of the cloud account for buckets that the scan has read.
   */
  async supersede(
    { connectionId, accountId, cloudAccountId, buckets, ...key }: SupersedingScan,
    now: Date,
  ): Promise<void> {
    const { scanId } = key;
    const older = { $nor: [isOf(key)] };
    await this.#close({ ...older, connectionId }, scanId, now);
    const others = { accountId, cloudAccountId, bucket: { $in: [...buckets] } };
    await this.#close({ ...older, ...others }, scanId, now);
  }

  /** open → superseded, for a connection that is removed. */
  supersedeAll(connectionId: string, now: Date): Promise<void> {
    return this.#close({ connectionId }, null, now);
  }

  /** An account's superseded recommendations whose workflow may still wait. */
  async *supersededWithWorkflow(accountId: string): AsyncIterable<RecommendationRecord> {
    const filter = { accountId, status: 'superseded', hasWorkflow: true } as const;
    for await (const stored of this.#recommendations.find(filter)) yield toRecommendation(stored);
  }

  /** The recommendation's workflow has ended. `round`: unless a later one has been asked for. */
  async clearHasWorkflow(recommendationId: string, round?: number): Promise<void> {
    const latest = round === undefined ? {} : isLatest(round);
    await this.#recommendations.updateOne({ _id: recommendationId, ...latest }, WITHOUT_WORKFLOW);
  }

  /** open → expired, if `expiresAt` has passed. */
  async expire(recommendationId: string, now: Date): Promise<void> {
    await this.#recommendations.updateOne(
      { _id: recommendationId, status: 'open', expiresAt: { $lte: now } },
      { $set: { status: 'expired' }, ...WITHOUT_WORKFLOW },
    );
  }

  async #read(filter: Filter<RecommendationDocument>) {
    const documents = await this.#recommendations.find(filter).sort({ rank: 1 }).toArray();
    return documents.map(toRecommendation);
  }

  async #close(
    older: Filter<RecommendationDocument>,
    supersededBy: string | null,
    now: Date,
  ): Promise<void> {
    await this.#recommendations.updateMany(
      { ...older, status: 'open', expiresAt: { $gt: now } },
      { $set: { status: 'superseded', supersededBy }, $unset: { nextAttemptAt: true } },
    );
  }
}

/** Selects those of one decision of a scan. */
function isOf({ scanId, revision }: DecisionKey) {
  return { scanId, revision };
}

/** The latest round that was asked for. */
function isLatest(round: number): Filter<RecommendationDocument> {
  return round === 1
    ? { 'approval.rounds': { $exists: false } }
    : { 'approval.rounds': { $size: round - 1 } };
}

export function isApproved(
  recommendation: RecommendationRecord,
): recommendation is ApprovedRecommendation {
  return recommendation.approval !== null;
}

export function toRecommendation(document: WithId<RecommendationDocument>): RecommendationRecord {
  const {
    _id,
    rank: _rank,
    subject: _subject,
    hasWorkflow: _awaited,
    nextAttemptAt: _nextAttemptAt,
    attempts: _attempts,
    supersededBy: _supersededBy,
    ...fields
  } = withoutOutbox(document);
  const { approval, bucket } = fields;
  return {
    recommendationId: _id,
    ...fields,
    approval: approval && completeApproval(approval, bucket),
  };
}

/** One of before a place could be chosen, and before names were kept. */
function completeApproval(approval: Approval, bucket: string): Approval {
  const missing: Pick<Approval, 'approvedByName' | 'keyPrefix' | 'isDefaultPlace'> = {
    approvedByName: approval.approvedBy,
    keyPrefix: defaultKeyPrefix(bucket),
    isDefaultPlace: true,
  };
  return { ...missing, ...approval };
}
