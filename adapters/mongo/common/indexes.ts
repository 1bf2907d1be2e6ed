import type { Db, IndexDescription } from 'mongodb';
import { ACTIVITY_DAYS } from '../../../domain/accounts/activity.ts';
import { RELEASE_HOURS } from '../../../domain/migrations/release.ts';
import { EVENT_DAYS } from '../../../domain/webhooks/event.ts';
import { ACCOUNT_ORDER, DUE_ORDER } from './due.ts';

/** The list of a release holds for a day from the end of its check, which may take days. */
const KEPT_RELEASE_HOURS = 7 * RELEASE_HOURS;

/** The documents with an outbox, in order of time and account by account. */
const OUTBOX: IndexDescription[] = [
  { key: { outboxAt: 1 }, sparse: true },
  { key: { outboxOf: 1 }, sparse: true },
];

/** The documents on which work is left, in order of time and account by account. */
const DUE: IndexDescription[] = [{ key: DUE_ORDER, sparse: true }, { key: ACCOUNT_ORDER }];

/** One per account and place at a time. */
const RUNS_AT_PLACES: IndexDescription[] = [
  { key: { runs: 1 }, unique: true, sparse: true },
  { key: { accountId: 1, startedAt: -1, _id: 1 } },
  ...DUE,
  ...OUTBOX,
];

/** The indexes. Unique ones enforce rules, the others are for speed. */
const INDEXES: Readonly<Record<string, IndexDescription[]>> = {
  accounts: [
    { key: { 'apiKey.hash': 1 }, unique: true, sparse: true },
    { key: { 'billing.customerId': 1 }, unique: true, sparse: true },
    ...OUTBOX,
  ],
  activities: [
    { key: { accountId: 1, at: -1, _id: 1 } },
    { key: { at: 1 }, expireAfterSeconds: ACTIVITY_DAYS * 86_400 },
  ],
  files: [
    { key: { accountId: 1, month: 1, _id: 1, tombstone: 1, sizeBytes: 1 } },
    { key: { accountId: 1, 'location.provider': 1, status: 1, deleteStoppedAt: 1 } },
    {
      key: {
        accountId: 1,
        'location.provider': 1,
        'location.bucketName': 1,
        status: 1,
        'location.region': 1,
        'location.accountId': 1,
        'location.jurisdiction': 1,
        _id: 1,
        sizeBytes: 1,
      },
    },
    { key: { accountId: 1, createdAt: -1, _id: 1 } },
    {
      key: {
        'location.bucketName': 1,
        'location.provider': 1,
        status: 1,
        'location.accountId': 1,
        'location.jurisdiction': 1,
        objectKey: 1,
      },
    },
    { key: { pendingOf: 1 }, sparse: true },
    { key: { attempts: 1 }, sparse: true },
    { key: { 'held.accountId': 1 }, sparse: true },
    ...DUE,
    ...OUTBOX,
  ],
  quota: [{ key: { month: 1, accountId: 1 } }],
  usage: [{ key: { accountId: 1, month: 1 } }],
  connections: [
    { key: { subject: 1 }, unique: true },
    { key: { 'decided.edition': 1 } },
    ...DUE,
    ...OUTBOX,
  ],
  scans: [
    { key: { accountId: 1, startedAt: -1 } },
    { key: { connectionId: 1, status: 1, startedAt: -1 } },
    ...DUE,
    ...OUTBOX,
  ],
  scanBuckets: [{ key: { scanId: 1 } }],
  sourceReconciliations: [{ key: { scanId: 1 } }],
  recommendations: [
    { key: { scanId: 1, rank: 1 } },
    { key: { subject: 1, expiresAt: -1 } },
    { key: { connectionId: 1, status: 1 } },
    { key: { status: 1, hasWorkflow: 1, accountId: 1 } },
    {
      key: {
        accountId: 1,
        status: 1,
        monthlySavingsUsd: -1,
        _id: 1,
        connectionId: 1,
        expiresAt: 1,
      },
    },
    {
      key: {
        accountId: 1,
        status: 1,
        'approval.approvedAt': -1,
        _id: 1,
      },
    },
    ...DUE,
    ...OUTBOX,
  ],
  dismissals: OUTBOX,
  formerPlaces: [{ key: DUE_ORDER, sparse: true }],
  webhooks: [{ key: { 'items.disabledAt': 1 } }, ...OUTBOX],
  webhookDeliveries: [
    { key: { webhookId: 1, createdAt: -1 } },
    { key: { createdAt: 1 }, expireAfterSeconds: EVENT_DAYS * 86_400 },
    { key: { failedAt: 1 }, sparse: true },
    { key: { takenOf: 1 }, sparse: true },
    ...DUE,
  ],
  migrations: [
    { key: { accountId: 1, cloudAccountId: 1, status: 1 } },
    { key: { accountId: 1, status: 1, approvedAt: -1, _id: 1 } },
    ...OUTBOX,
  ],
  manifestPages: [{ key: { migrationId: 1, after: 1 } }],
  manifestCounts: [
    { key: { migrationId: 1, at: -1 } },
    { key: { unsummedOf: 1 }, sparse: true },
    { key: { openOf: 1 }, sparse: true },
    { key: { failedIn: 1 }, sparse: true },
  ],
  releases: [{ key: { releaseId: 1 } }, ...DUE, ...OUTBOX],
  relocations: RUNS_AT_PLACES,
  drills: RUNS_AT_PLACES,
  drillSchedules: [...DUE, ...OUTBOX],
  releasePages: [
    { key: { releaseId: 1, page: 1 } },
    { key: { releaseId: 1, last: 1 } },
    { key: { releaseId: 1, differs: 1, page: 1 } },
    { key: { at: 1 }, expireAfterSeconds: KEPT_RELEASE_HOURS * 3_600 },
  ],
  migrationUploads: [{ key: { migrationId: 1 } }],
  billingEvents: [{ key: { receivedAt: 1 } }],
  rateWindows: [{ key: { startsAt: 1 } }],
  roleAttempts: [{ key: { nextAt: 1 } }],
};

export type IndexKind = 'rule' | 'speed';

/**
 * Creates missing indexes; several processes may run it at once. A rule's index is needed before
 * the first write; one for speed may take long on a large collection, and nothing waits for it.
 */
export async function ensureIndexes(db: Db, wanted: IndexKind): Promise<void> {
  await Promise.all(
    Object.entries(INDEXES).map(async ([name, indexes]) => {
      const ofKind = indexes.filter(({ unique = false }) => unique === (wanted === 'rule'));
      if (ofKind.length > 0) await db.collection(name).createIndexes(ofKind);
    }),
  );
}
