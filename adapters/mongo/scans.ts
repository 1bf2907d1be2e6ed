import type { Db, WithId } from 'mongodb';
import type { DecisionReport } from '../../domain/decision/types.ts';
import type {
  ListedBucket,
  ScanFailure,
  ScanProgress,
  ScanRecord,
  ScanRequests,
  ScanSummary,
} from '../../domain/scan/scan.ts';
import { insertIfNew } from './open.ts';

type ScanDocument = Omit<ScanRecord, 'scanId'> & {
  readonly _id: string;
  /** The buckets to scan, by name; a bucket is known by its place in this list. */
  readonly plan?: readonly ListedBucket[];
};

export interface ScanKey {
  readonly scanId: string;
  readonly accountId: string;
}

/** What a scan ends with. */
export interface ScanOutcome {
  readonly progress: ScanProgress;
  readonly requests: ScanRequests;
  readonly summary: ScanSummary;
  readonly decisionReport: DecisionReport | null;
}

/** What a scan that could not be finished ends with. */
export type ScanEnd = Pick<ScanOutcome, 'progress' | 'requests'> & { readonly error: ScanFailure };

/**
 * The scans. Whoever starts one may insert it; every other write is its workflow's, and is
 * conditional on the status that it moves from.
 */
export interface Scans {
  insertQueued(
    scan: Pick<ScanRecord, 'scanId' | 'accountId' | 'connectionId' | 'startedAt'>,
  ): Promise<void>;
  /** Undefined where there is none, or where it is another account's. */
  find(key: ScanKey): Promise<ScanRecord | undefined>;
  /** The newest first. */
  list(accountId: string, since: Date, limit: number): Promise<ScanRecord[]>;
  /** queued → running, with what is to be scanned. A plan that is there already stays. */
  plan(scanId: string, buckets: readonly ListedBucket[], requests: ScanRequests): Promise<void>;
  findPlan(scanId: string): Promise<readonly ListedBucket[] | undefined>;
  findPlanned(scanId: string, index: number): Promise<ListedBucket | undefined>;
  /** running → completed. */
  complete(scanId: string, outcome: ScanOutcome, completedAt: Date): Promise<void>;
  /** queued or running → failed. */
  fail(scanId: string, end: ScanEnd, now: Date): Promise<void>;
  /** The same for whatever else of this connection has not ended: nobody holds it any more. */
  failOthers(connectionId: string, scanId: string, error: ScanFailure, now: Date): Promise<void>;
}

const UNFINISHED = { $in: ['queued', 'running'] as ScanRecord['status'][] };
const WITHOUT_PLAN = { projection: { plan: 0 } };

export function createScans(db: Db): Scans {
  const scans = db.collection<ScanDocument>('scans');

  return {
    async insertQueued({ scanId, accountId, connectionId, startedAt }) {
      await insertIfNew(() =>
        scans.insertOne({
          _id: scanId,
          accountId,
          connectionId,
          status: 'queued',
          startedAt,
          completedAt: null,
          error: null,
          progress: { bucketsTotal: 0, bucketsDone: 0, objects: 0, bytes: 0 },
          requests: { list: 0, other: 0, costUsd: 0 },
          summary: null,
          decisionReport: null,
        }),
      );
    },

    async find({ scanId, accountId }) {
      const document = await scans.findOne({ _id: scanId }, WITHOUT_PLAN);
      return document?.accountId === accountId ? toScan(document) : undefined;
    },

    async list(accountId, since, limit) {
      const documents = await scans
        .find({ accountId, startedAt: { $gte: since } }, WITHOUT_PLAN)
        .sort({ startedAt: -1, _id: 1 })
        .limit(limit)
        .toArray();
      return documents.map(toScan).filter((scan) => scan !== undefined);
    },

    async plan(scanId, buckets, requests) {
      await scans.updateOne(
        { _id: scanId, status: 'queued' },
        {
          $set: {
            status: 'running',
            plan: buckets,
            requests,
            'progress.bucketsTotal': buckets.length,
          },
        },
      );
    },

    async findPlan(scanId) {
      return (await scans.findOne({ _id: scanId }, { projection: { plan: 1 } }))?.plan;
    },

    async findPlanned(scanId, index) {
      const found = await scans.findOne(
        { _id: scanId },
        { projection: { plan: { $slice: [index, 1] } } },
      );
      return found?.plan?.[0];
    },

    async complete(scanId, outcome, completedAt) {
      await scans.updateOne(
        { _id: scanId, status: 'running' },
        { $set: { ...outcome, status: 'completed', completedAt } },
      );
    },

    async fail(scanId, end, now) {
      await scans.updateOne(
        { _id: scanId, status: UNFINISHED },
        { $set: { ...end, status: 'failed', completedAt: now } },
      );
    },

    async failOthers(connectionId, scanId, error, now) {
      await scans.updateMany(
        { connectionId, _id: { $ne: scanId }, status: UNFINISHED },
        { $set: { status: 'failed', error, completedAt: now } },
      );
    },
  };
}

function toScan(document: WithId<ScanDocument> | null): ScanRecord | undefined {
  if (!document) return undefined;
  const { _id, plan: _plan, ...rest } = document;
  return { scanId: _id, ...rest };
}
