import type { Collection, Db, WithId } from 'mongodb';
import type { DecisionReport } from '../../../domain/decision/types.ts';
import type {
  ListedBucket,
  ScanFailure,
  ScanOutcome,
  ScanRecord,
  ScanRequests,
  ScanRevise,
} from '../../../domain/scans/scan.ts';
import type { ServiceEvent } from '../../../domain/webhooks/event.ts';
import { afterFollowUp } from '../../../domain/common/sweep.ts';
import type { Activity } from '../../../domain/accounts/activity.ts';
import { queueOf, type Due, type DueQueue } from '../common/due.ts';
import { emitting, noting, type WithOutbox, withoutOutbox } from '../common/outbox.ts';
import { insertIfNew, matches } from '../common/open.ts';

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
export type DueScan = Pick<ScanRecord, 'scanId' | 'connectionId' | 'startedAt' | 'provider'> & Due;

/** What the figures of a scan's decision rest on. */
export type DecisionBasis = Pick<DecisionReport, 'horizonMonths' | 'assumptions'>;

/** The result of a failed scan. */
export type ScanEnd = Pick<ScanOutcome, 'progress' | 'requests'> & { readonly error: ScanFailure };

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

/**
 * The scans. API and workflow may insert a scan; the workflow writes everything else, conditional
 * on the status before.
 */
export class Scans {
  readonly #scans: Collection<ScanDocument>;
  /** The unfinished scans. */
  readonly due: DueQueue<DueScan>;

  constructor(db: Db) {
    this.#scans = db.collection('scans');
    this.due = queueOf(this.#scans, {
      toWork: ({ _id: scanId, connectionId, startedAt, provider }) => ({
        scanId,
        connectionId,
        startedAt,
        provider,
      }),
      ...WITHOUT_BUCKET_LIST,
    });
  }

  async insertQueued({
    scanId,
    accountId,
    connectionId,
    provider,
    startedAt,
  }: Pick<
    ScanRecord,
    'scanId' | 'accountId' | 'connectionId' | 'provider' | 'startedAt'
  >): Promise<void> {
    await insertIfNew(() =>
      this.#scans.insertOne({
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
  }

  /** Notes who has started a scan. */
  async noteStart(scanId: string, activity: Activity): Promise<void> {
    await this.#scans.updateOne({ _id: scanId }, noting(activity));
  }

  /** Undefined for an unknown id and for another account's. */
  async findScan({ scanId, accountId }: ScanKey): Promise<ScanRecord | undefined> {
    const document = await this.#scans.findOne({ _id: scanId }, WITHOUT_BUCKET_LIST);
    return document?.accountId === accountId ? toScan(document) : undefined;
  }

  /** Undefined if the scan has no decision report. */
  async findDecisionBasis({ scanId, accountId }: ScanKey): Promise<DecisionBasis | undefined> {
    const document = await this.#scans.findOne({ _id: scanId, accountId }, DECISION_BASIS);
    return document?.decisionReport ?? undefined;
  }

  /** The newest first, without their results. */
  async listScans(accountId: string, since: Date, limit: number): Promise<ScanLine[]> {
    const documents = await this.#scans
      .find({ accountId, startedAt: { $gte: since } }, LINE)
      .sort({ startedAt: -1, _id: 1 })
      .limit(limit)
      .toArray();
    return documents.map(({ _id, connectionId, status, startedAt, completedAt, ...fields }) => ({
      scanId: _id,
      connectionId,
      status,
      startedAt,
      completedAt,
      progress: fields.progress,
      currentMonthlyCostUsd: fields.summary?.currentMonthlyCostUsd ?? null,
      monthlySavingsUsd: fields.summary?.monthlySavingsUsd ?? null,
      verdict: fields.decisionReport?.verdict ?? null,
      confidence: fields.decisionReport?.confidence ?? null,
    }));
  }

  /** queued → running, with the buckets to scan. A stored list is kept. */
  async saveBucketList(
    scanId: string,
    buckets: readonly ListedBucket[],
    requests: ScanRequests,
  ): Promise<void> {
    await this.#scans.updateOne(
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
  }

  async findBucketList(scanId: string): Promise<readonly ListedBucket[] | undefined> {
    return (await this.#scans.findOne({ _id: scanId }, { projection: { bucketList: 1 } }))
      ?.bucketList;
  }

  async findListedBucket(scanId: string, index: number): Promise<ListedBucket | undefined> {
    const stored = await this.#scans.findOne(
      { _id: scanId },
      { projection: { bucketList: { $slice: [index, 1] } } },
    );
    return stored?.bucketList?.[0];
  }

  /** running → completed. */
  async complete(
    scanId: string,
    outcome: ScanOutcome,
    completedAt: Date,
    events: readonly ServiceEvent[] = [],
  ): Promise<void> {
    await this.#scans.updateOne(
      { _id: scanId, status: 'running' },
      {
        $set: { ...outcome, status: 'completed', completedAt },
        ...NOT_DUE,
        ...emitting(events),
      },
    );
  }

  /** The connection's newest completed scan that began before a time. */
  async findNewest(connectionId: string, startedBefore?: Date): Promise<ScanRecord | undefined> {
    const older = startedBefore ? { startedAt: { $lt: startedBefore } } : {};
    const document = await this.#scans.findOne(
      { connectionId, status: 'completed', ...older },
      { sort: { startedAt: -1 }, ...WITHOUT_BUCKET_LIST },
    );
    return toScan(document);
  }

  /** Stores a later decision of a completed scan; false if its number is taken. */
  async revise(
    scanId: string,
    outcome: ScanRevise,
    events: readonly ServiceEvent[],
  ): Promise<boolean> {
    const number = outcome.revisions.length - 1;
    return await matches(
      this.#scans.updateOne(
        { _id: scanId, status: 'completed', [`revisions.${number}`]: { $exists: false } },
        { $set: outcome, ...emitting(events) },
      ),
    );
  }

  /** queued or running → failed. */
  async fail(
    scanId: string,
    end: ScanEnd,
    now: Date,
    events: readonly ServiceEvent[] = [],
  ): Promise<void> {
    await this.#scans.updateOne(
      { _id: scanId, status: UNFINISHED },
      {
        $set: { ...end, status: 'failed', completedAt: now },
        ...NOT_DUE,
        ...emitting(events),
      },
    );
  }

  /** Fails the connection's other unfinished scans: their workflow is gone. */
  async failOthers(
    connectionId: string,
    scanId: string,
    error: ScanFailure,
    now: Date,
    toEvent: (scan: ScanRecord) => ServiceEvent,
  ): Promise<void> {
    const others = { connectionId, _id: { $ne: scanId }, status: UNFINISHED };
    for await (const document of this.#scans.find(others, WITHOUT_BUCKET_LIST)) {
      const scan = toScan(document);
      if (!scan) continue;
      await this.#scans.updateOne(
        { _id: document._id, status: UNFINISHED },
        {
          $set: { status: 'failed', error, completedAt: now },
          ...NOT_DUE,
          ...emitting([toEvent(scan)]),
        },
      );
    }
  }
}

function toScan(document: WithId<ScanDocument> | null): ScanRecord | undefined {
  if (!document) return undefined;
  const stored = withoutOutbox(document);
  const { _id, bucketList: _list, nextAttemptAt: _at, attempts: _attempts, ...fields } = stored;
  return { scanId: _id, ...fields };
}
