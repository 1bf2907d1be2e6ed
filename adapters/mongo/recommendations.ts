import type { Db, Filter, WithId } from 'mongodb';
import type { ProviderName } from '../../domain/catalogue.ts';
import type { Approval } from '../../domain/migration/migration.ts';
import type { RecommendationRecord } from '../../domain/scan/scan.ts';
import { insertIfNew } from './open.ts';

type RecommendationDocument = Omit<RecommendationRecord, 'recommendationId'> & {
  readonly _id: string;
  /** Its place in the scan's list. */
  readonly rank: number;
  /** There while a workflow may wait for the approval, or carry it out. */
  readonly hasWorkflow?: true;
};

export interface RecommendationKey {
  readonly recommendationId: string;
  readonly accountId: string;
}

export interface MigrationKey {
  readonly migrationId: string;
  readonly accountId: string;
}

export interface ApprovedRecommendation extends RecommendationRecord {
  readonly approval: Approval;
}

/** What scans have recommended, and what became of it. A status moves by conditional write only. */
export interface Recommendations {
  /** Keeps exactly these of a scan, in this order; what is there already stays as it is. */
  replace(scanId: string, recommendations: readonly RecommendationRecord[]): Promise<void>;
  /** Of one scan, in its order. */
  ofScan(scanId: string): Promise<RecommendationRecord[]>;
  /** Undefined where there is none, or where it is another account's. */
  find(key: RecommendationKey): Promise<RecommendationRecord | undefined>;
  /** The one that was approved as this migration; undefined where it is another account's. */
  findApproved(key: MigrationKey): Promise<ApprovedRecommendation | undefined>;
  /** open → approved; false where it is not open any more by then. */
  approve(key: RecommendationKey, approval: Approval): Promise<boolean>;
  /** Approved before then, and their workflows have not ended. */
  approvedBefore(time: Date): Promise<ApprovedRecommendation[]>;
  /** Whether an approved move that has not ended reads from the provider or writes to it. */
  isProviderInUse(accountId: string, provider: ProviderName): Promise<boolean>;
  /** open → superseded, for all earlier ones of the connection that have not expired. */
  supersede(connectionId: string, byScanId: string, now: Date): Promise<void>;
  /** Superseded ones whose workflow may still wait. */
  supersededWithWorkflow(connectionId: string): Promise<string[]>;
  /** Nobody waits for its approval any more. */
  clearHasWorkflow(recommendationId: string): Promise<void>;
  /** open → expired, once its time has passed. */
  expire(recommendationId: string, now: Date): Promise<void>;
}

export function createRecommendations(db: Db): Recommendations {
  const recommendations = db.collection<RecommendationDocument>('recommendations');
  const read = async (filter: Filter<RecommendationDocument>) => {
    const documents = await recommendations.find(filter).sort({ rank: 1 }).toArray();
    return documents.map(toRecommendation);
  };

  return {
    async replace(scanId, wanted) {
      const ids = wanted.map(({ recommendationId }) => recommendationId);
      await recommendations.deleteMany({ scanId, _id: { $nin: ids } });
      for (const [rank, { recommendationId, ...recommendation }] of wanted.entries()) {
        const hasWorkflow = recommendation.kind === 'move' ? ({ hasWorkflow: true } as const) : {};
        await insertIfNew(() =>
          recommendations.insertOne({
            _id: recommendationId,
            ...recommendation,
            rank,
            ...hasWorkflow,
          }),
        );
      }
    },

    ofScan: (scanId) => read({ scanId }),

    async find({ recommendationId, accountId }) {
      const [found] = await read({ _id: recommendationId });
      return found?.accountId === accountId ? found : undefined;
    },

    async findApproved({ migrationId, accountId }) {
      const found = (await read({ 'approval.migrationId': migrationId })).find(isApproved);
      return found?.accountId === accountId ? found : undefined;
    },

    async approve({ recommendationId, accountId }, approval) {
      const { matchedCount } = await recommendations.updateOne(
        {
          _id: recommendationId,
          accountId,
          kind: 'move',
          status: 'open',
          expiresAt: { $gt: approval.approvedAt },
        },
        { $set: { status: 'approved', approval } },
      );
      return matchedCount === 1;
    },

    async approvedBefore(time) {
      const found = await read({
        status: 'approved',
        hasWorkflow: true,
        'approval.approvedAt': { $lt: time },
      });
      return found.filter(isApproved);
    },

    async isProviderInUse(accountId, provider) {
      const held = await recommendations.findOne(
        {
          accountId,
          status: 'approved',
          hasWorkflow: true,
          $or: [{ 'approval.source.provider': provider }, { 'approval.target.provider': provider }],
        },
        { projection: { _id: 1 } },
      );
      return held !== null;
    },

    async supersede(connectionId, byScanId, now) {
      await recommendations.updateMany(
        { connectionId, scanId: { $ne: byScanId }, status: 'open', expiresAt: { $gt: now } },
        { $set: { status: 'superseded' } },
      );
    },

    async supersededWithWorkflow(connectionId) {
      const found = await recommendations
        .find({ connectionId, status: 'superseded', hasWorkflow: true }, { projection: { _id: 1 } })
        .toArray();
      return found.map(({ _id }) => _id);
    },

    async clearHasWorkflow(recommendationId) {
      await recommendations.updateOne({ _id: recommendationId }, { $unset: { hasWorkflow: true } });
    },

    async expire(recommendationId, now) {
      await recommendations.updateOne(
        { _id: recommendationId, status: 'open', expiresAt: { $lte: now } },
        { $set: { status: 'expired' } },
      );
    },
  };
}

function isApproved(found: RecommendationRecord): found is ApprovedRecommendation {
  return found.approval !== null;
}

function toRecommendation({
  _id,
  rank: _rank,
  hasWorkflow: _awaited,
  ...rest
}: WithId<RecommendationDocument>): RecommendationRecord {
  return { recommendationId: _id, ...rest };
}
