import { AWS } from '../../../domain/providers/catalogue.ts';
import type { Db, WithId } from 'mongodb';
import type { DecisionReport } from '../../../domain/decision/types.ts';
import type {
  ListedBucket,
  ScanFailure,
  ScanProgress,
  ScanRecord,
  ScanRevision,
  ScanRequests,
  ScanSummary,
} from '../../../domain/scans/scan.ts';
import { NO_CHANGES, type ScanChanges } from '../../../domain/scans/changes.ts';
import type { ServiceEvent } from '../../../domain/webhooks/event.ts';
import { afterFollowUp } from '../../../domain/common/sweep.ts';
import type { Activity } from '../../../domain/accounts/activity.ts';
import { queueOf, type Due, type DueQueue } from '../common/due.ts';
import { emitting, noting, type WithOutbox, withoutOutbox } from '../common/outbox.ts';
import { insertIfNew } from '../common/open.ts';

type ScanDocument = Omit<ScanRecord, 'scanId'> &
  WithOutbox & {
    readonly _id: string;
    /** When the sweep looks for the scan's workflow. Unset once the scan has ended. */
    readonly nextAttemptAt?: Date;
    /** How often the sweep has started the scan again. */
    readonly attempts?: number;
    /** The buckets to scan, by name. The workflow identifies a bucket by its index in this list. */
    readonly bucketList?: readonly ListedBucket[];
  };

export interface ScanKey {
  readonly scanId: string;
  readonly accountId: string;
}

/** A scan in a list. */
export type ScanLine = Pick<
  ScanRecord,
  'scanId' | 'connectionId' | 'status' | 'startedAt' | 'completedAt' | 'progress'
> & {
  /** These are null until the scan has completed. */
  readonly currentMonthlyCostUsd: number | null;
  readonly monthlySavingsUsd: number | null;
  /** Null also if the scan has made no decision report. */
  readonly verdict: DecisionReport['verdict'] | null;
  readonly confidence: number | null;
};

/** A scan that has not ended, as the sweep sees it. */
export type DueScan = Pick<ScanRecord, 'scanId' | 'connectionId' | 'startedAt'> & Due;

/** What the figures of a scan's decision rest on. */
export type DecisionBasis = Pick<DecisionReport, 'horizonMonths' | 'assumptions'>;

/** The result of a completed scan. */
export interface ScanOutcome {
  readonly progress: ScanProgress;
  readonly requests: ScanRequests;
  readonly summary: ScanSummary;
  readonly decisionReport: DecisionReport | null;
  /** The decision that completes it, and those after it. */
  readonly revisions: readonly ScanRevision[];
  readonly changes: ScanChanges;
  readonly edition: string;
}

/** What a later decision changes of a completed scan. */
export type ScanRevise = Omit<ScanOutcome, 'progress' | 'requests'>;

/** The result of a failed scan. */
export type ScanEnd = Pick<ScanOutcome, 'progress' | 'requests'> & { readonly error: ScanFailure };

/**
 * The scans. API and workflow may insert a scan; the workflow writes everything else, conditional on
 * the status before.
 */
export interface Scans {
  insertQueued(
    scan: Pick<ScanRecord, 'scanId' | 'accountId' | 'connectionId' | 'provider' | 'startedAt'>,
  ): Promise<void>;
  /** Notes who has started a scan. */
  noteStart(scanId: string, activity: Activity): Promise<void>;
  /** Undefined for an unknown id and for another account's. */
  findScan(key: ScanKey): Promise<ScanRecord | undefined>;
  /** Undefined if the scan has no decision report. */
  findDecisionBasis(key: ScanKey): Promise<DecisionBasis | undefined>;
  /** The newest first, without their results. */
  listScans(accountId: string, since: Date, limit: number): Promise<ScanLine[]>;
  /** queued → running, with the buckets to scan. A stored list is kept. */
  saveBucketList(
    scanId: string,
    buckets: readonly ListedBucket[],
    requests: ScanRequests,
  ): Promise<void>;
  findBucketList(scanId: string): Promise<readonly ListedBucket[] | undefined>;
  findListedBucket(scanId: string, index: number): Promise<ListedBucket | undefined>;
  /** running → completed. */
  complete(
    scanId: string,
    outcome: ScanOutcome,
    completedAt: Date,
    events?: readonly ServiceEvent[],
  ): Promise<void>;
  /** The connection's newest completed scan that began before a time. */
  findNewest(connectionId: string, before?: Date): Promise<ScanRecord | undefined>;
  /** Stores a later decision of a completed scan; false if its number is taken. */
  revise(scanId: string, outcome: ScanRevise, events: readonly ServiceEvent[]): Promise<boolean>;
  /** queued or running → failed. */
  fail(scanId: string, end: ScanEnd, now: Date, events?: readonly ServiceEvent[]): Promise<void>;
  /** Fails the connection's other unfinished scans: their workflow is gone. */
  failOthers(
    connectionId: string,
    scanId: string,
    error: ScanFailure,
    now: Date,
    toEvent: (scan: ScanRecord) => ServiceEvent,
  ): Promise<void>;
  /** Of the unfinished scans. */
  readonly due: DueQueue<DueScan>;
}

const UNFINISHED = { $in: ['queued', 'running'] as ScanRecord['status'][] };
/** A result may have megabytes of findings. */
const LINE = {
  projection: {
    connectionId: 1,
    status: 1,
    startedAt: 1,
    completedAt: 1,
    progress: 1,
    'summary.currentMonthlyCostUsd': 1,
    'summary.monthlySavingsUsd': 1,
    'decisionReport.verdict': 1,
    'decisionReport.confidence': 1,
  },
} as const;
const DECISION_BASIS = {
  projection: { 'decisionReport.horizonMonths': 1, 'decisionReport.assumptions': 1 },
} as const;
const WITHOUT_BUCKET_LIST = { projection: { bucketList: 0 } };
const NOT_DUE = { $unset: { nextAttemptAt: true } } as const;

export function createScans(db: Db): Scans {
  const scans = db.collection<ScanDocument>('scans');

  return {
    async insertQueued({ scanId, accountId, connectionId, provider, startedAt }) {
      await insertIfNew(() =>
        scans.insertOne({
          _id: scanId,
          accountId,
          connectionId,
          provider,
          status: 'queued',
          startedAt,
          nextAttemptAt: afterFollowUp(startedAt),
          completedAt: null,
          error: null,
          progress: { bucketsTotal: 0, bucketsDone: 0, objects: 0, bytes: 0 },
          requests: { list: 0, other: 0, costUsd: 0 },
          summary: null,
          decisionReport: null,
          revisions: [],
          changes: null,
        }),
      );
    },

    async noteStart(scanId, activity) {
      await scans.updateOne({ _id: scanId }, noting(activity));
    },

    async findScan({ scanId, accountId }) {
      const document = await scans.findOne({ _id: scanId }, WITHOUT_BUCKET_LIST);
      return document?.accountId === accountId ? toScan(document) : undefined;
    },

    async findDecisionBasis({ scanId, accountId }) {
      const document = await scans.findOne({ _id: scanId, accountId }, DECISION_BASIS);
      return document?.decisionReport ?? undefined;
    },

    async listScans(accountId, since, limit) {
      const documents = await scans
        .find({ accountId, startedAt: { $gte: since } }, LINE)
        .sort({ startedAt: -1, _id: 1 })
        .limit(limit)
        .toArray();
      return documents.map(({ _id, connectionId, status, startedAt, completedAt, ...found }) => ({
        scanId: _id,
        connectionId,
        status,
        startedAt,
        completedAt,
        progress: found.progress,
        currentMonthlyCostUsd: found.summary?.currentMonthlyCostUsd ?? null,
        monthlySavingsUsd: found.summary?.monthlySavingsUsd ?? null,
        verdict: found.decisionReport?.verdict ?? null,
        confidence: found.decisionReport?.confidence ?? null,
      }));
    },

    async saveBucketList(scanId, buckets, requests) {
      await scans.updateOne(
        { _id: scanId, status: 'queued' },
        {
          $set: {
            status: 'running',
            bucketList: buckets,
            requests,
            'progress.bucketsTotal': buckets.length,
          },
        },
      );
    },

    async findBucketList(scanId) {
      return (await scans.findOne({ _id: scanId }, { projection: { bucketList: 1 } }))?.bucketList;
    },

    async findListedBucket(scanId, index) {
      const found = await scans.findOne(
        { _id: scanId },
        { projection: { bucketList: { $slice: [index, 1] } } },
      );
      return found?.bucketList?.[0];
    },

    async complete(scanId, outcome, completedAt, events = []) {
      await scans.updateOne(
        { _id: scanId, status: 'running' },
        {
          $set: { ...outcome, status: 'completed', completedAt },
          ...NOT_DUE,
          ...emitting(events),
        },
      );
    },

    async findNewest(connectionId, before) {
      const older = before ? { startedAt: { $lt: before } } : {};
      const document = await scans.findOne(
        { connectionId, status: 'completed', ...older },
        { sort: { startedAt: -1 }, ...WITHOUT_BUCKET_LIST },
      );
      return toScan(document);
    },

    async revise(scanId, outcome, events) {
      const number = outcome.revisions.length - 1;
      const { matchedCount } = await scans.updateOne(
        { _id: scanId, status: 'completed', [`revisions.${number}`]: { $exists: false } },
        { $set: outcome, ...emitting(events) },
      );
      return matchedCount === 1;
    },

    async fail(scanId, end, now, events = []) {
      await scans.updateOne(
        { _id: scanId, status: UNFINISHED },
        {
          $set: { ...end, status: 'failed', completedAt: now },
          ...NOT_DUE,
          ...emitting(events),
        },
      );
    },

    async failOthers(connectionId, scanId, error, now, toEvent) {
      const others = { connectionId, _id: { $ne: scanId }, status: UNFINISHED };
      for await (const document of scans.find(others, WITHOUT_BUCKET_LIST)) {
        const scan = toScan(document);
        if (!scan) continue;
        await scans.updateOne(
          { _id: document._id, status: UNFINISHED },
          {
            $set: { status: 'failed', error, completedAt: now },
            ...NOT_DUE,
            ...emitting([toEvent(scan)]),
          },
        );
      }
    },

    due: queueOf(scans, {
      toWork: ({ _id: scanId, connectionId, startedAt }) => ({ scanId, connectionId, startedAt }),
      ...WITHOUT_BUCKET_LIST,
    }),
  };
}

function toScan(document: WithId<ScanDocument> | null): ScanRecord | undefined {
  if (!document) return undefined;
  const stored = withoutOutbox(document);
  const { _id, bucketList: _list, nextAttemptAt: _at, attempts: _attempts, ...rest } = stored;
  return { scanId: _id, ...rest, provider: rest.provider ?? AWS, ...completeRevisions(rest) };
}

/** One of before price books were revised. */
function completeRevisions({
  revisions = [],
  changes = null,
  ...scan
}: Partial<Omit<ScanRecord, 'scanId'>>): Pick<ScanRecord, 'revisions' | 'changes'> {
  const { summary, completedAt } = scan;
  if (revisions.length > 0 || !summary || !completedAt) return { revisions, changes };
  const { currentMonthlyCostUsd, monthlySavingsUsd } = summary;
  const { priceBook = '', verdict = null } = scan.decisionReport ?? {};
  const first = { at: completedAt, priceBook, verdict, currentMonthlyCostUsd, monthlySavingsUsd };
  return { revisions: [first], changes: NO_CHANGES };
}
