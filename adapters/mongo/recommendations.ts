import type { Db, Filter, WithId } from 'mongodb';
import type { RecommendationRecord } from '../../domain/scan/scan.ts';
import { insertIfNew } from './open.ts';

type RecommendationDocument = Omit<RecommendationRecord, 'recommendationId'> & {
  readonly _id: string;
  /** Its place in the scan's list. */
  readonly rank: number;
  /** There while a workflow may wait for the approval. */
  readonly awaited?: true;
};

export interface RecommendationKey {
  readonly recommendationId: string;
  readonly accountId: string;
}

/** What scans have recommended, and what became of it. A status moves by conditional write only. */
export interface Recommendations {
  /** Keeps exactly these of a scan, in this order; what is there already stays as it is. */
  replace(scanId: string, recommendations: readonly RecommendationRecord[]): Promise<void>;
  /** Of one scan, in its order. */
  ofScan(scanId: string): Promise<RecommendationRecord[]>;
  /** Undefined where there is none, or where it is another account's. */
  find(key: RecommendationKey): Promise<RecommendationRecord | undefined>;
  /** open → superseded, for all earlier ones of the connection that have not expired. */
  supersede(connectionId: string, byScanId: string, now: Date): Promise<void>;
  /** Superseded ones whose workflow may still wait. */
  supersededButAwaited(connectionId: string): Promise<string[]>;
  /** Nobody waits for its approval any more. */
  forgetWaiter(recommendationId: string): Promise<void>;
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
        const awaited = recommendation.kind === 'move' ? ({ awaited: true } as const) : {};
        await insertIfNew(() =>
          recommendations.insertOne({ _id: recommendationId, ...recommendation, rank, ...awaited }),
        );
      }
    },

    ofScan: (scanId) => read({ scanId }),

    async find({ recommendationId, accountId }) {
      const [found] = await read({ _id: recommendationId });
      return found?.accountId === accountId ? found : undefined;
    },

    async supersede(connectionId, byScanId, now) {
      await recommendations.updateMany(
        { connectionId, scanId: { $ne: byScanId }, status: 'open', expiresAt: { $gt: now } },
        { $set: { status: 'superseded' } },
      );
    },

    async supersededButAwaited(connectionId) {
      const found = await recommendations
        .find({ connectionId, status: 'superseded', awaited: true }, { projection: { _id: 1 } })
        .toArray();
      return found.map(({ _id }) => _id);
    },

    async forgetWaiter(recommendationId) {
      await recommendations.updateOne({ _id: recommendationId }, { $unset: { awaited: true } });
    },

    async expire(recommendationId, now) {
      await recommendations.updateOne(
        { _id: recommendationId, status: 'open', expiresAt: { $lte: now } },
        { $set: { status: 'expired' } },
      );
    },
  };
}

function toRecommendation({
  _id,
  rank: _rank,
  awaited: _awaited,
  ...rest
}: WithId<RecommendationDocument>): RecommendationRecord {
  return { recommendationId: _id, ...rest };
}
