import type { ConnectionKey } from '../../adapters/mongo/connections/connections.ts';
import { currentRevision, type ScanRecord } from '../../domain/scans/scan.ts';
import { sweepDue, takeFirst, type Swept } from '../common/sweep.ts';
import type { ScanContext } from '../contexts.ts';
import { describeDecision } from '../../domain/scans/decided-scan.ts';
import { sourceAccount } from '../../domain/connections/connection.ts';
import {
  adviceEvents,
  decideScan,
  readDecision,
  storeDecision,
  updateMigrationWorkflows,
} from './decision.ts';

export type RevisionActivities = ReturnType<typeof createRevisionActivities>;

const OUTCOMES = ['revised', 'checked', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];
/** For each account at once: a decision takes up to seconds. */
const PORTION = 5;

/** The sweep that decides scans again by a new price book, without a call to the cloud. */
export function createRevisionActivities(context: ScanContext) {
  const { connections, priceBook, priceBooks, progress, now } = context;
  return {
    /**
     * Looks at every connection whose newest completed scan was decided by another price book.
     * Several processes may run with several books meanwhile; only one with the last does anything.
     */
    async sweepPrices(): Promise<Swept<Outcome>> {
      const startedAt = now();
      if (!(await priceBooks.isInForce(priceBook.id, startedAt)))
        return { revised: 0, checked: 0, failed: 0 };
      const edition = priceBook.editionAt(startedAt);
      return await sweepDue({
        now,
        outcomes: OUTCOMES,
        // What fails is looked at again by the next sweep.
        due: connections.undecided(edition, startedAt),
        choose: (_accountId, keys) => Promise.resolve(takeFirst(keys, PORTION)),
        concurrency: 1,
        continueWork: (key) =>
          bringUpToDate(context, key, edition).catch(async () => {
            await connections.noteUndecided(key.connectionId, now());
            return 'failed' as const;
          }),
        progress,
      });
    },
  };
}

/** A scan that completes meanwhile is newer, and its recommendations stay. */
async function bringUpToDate(
  context: ScanContext,
  { connectionId }: ConnectionKey,
  edition: string,
): Promise<'revised' | 'checked'> {
  const newest = await context.scans.findNewest(connectionId);
  const isRevised = newest !== undefined && (await reviseScan(context, newest));
  const present = await context.scans.findNewest(connectionId);
  if (newest && present && present.scanId !== newest.scanId) await supersedeOlder(context, present);
  const decided = {
    edition: present?.edition ?? edition,
    at: present?.completedAt ?? context.now(),
  };
  await context.connections.markDecided(connectionId, decided);
  if (decided.edition !== edition) throw new Error('another edition has decided it meanwhile');
  return isRevised ? 'revised' : 'checked';
}

/** Decides a completed scan again, unless the present price book has decided it. */
export async function reviseScan(context: ScanContext, scan: ScanRecord): Promise<boolean> {
  const decidedAt = context.now();
  if (isDecided(context, scan, decidedAt)) return false;
  const key = { scanId: scan.scanId, revision: currentRevision(scan) + 1 };
  const previous = await readDecision(context, scan);
  const decided = await decideScan(context, scan, key, decidedAt);
  await storeDecision(context, decided);
  const { outcome, standing } = describeDecision(context, scan, decided, previous);
  const events = adviceEvents(context, scan, decided, previous?.standing, standing);
  return await context.scans.revise(scan.scanId, outcome, events);
}

/** An edition was not stored always: then the version decides. */
function isDecided(
  { priceBook }: ScanContext,
  { edition, revisions }: ScanRecord,
  now: Date,
): boolean {
  if (edition === undefined) return revisions.at(-1)?.priceBook === priceBook.version;
  return edition === priceBook.editionAt(now);
}

async function supersedeOlder(context: ScanContext, scan: ScanRecord): Promise<void> {
  const { scanId, accountId, connectionId } = scan;
  const connection = await context.connections.findConnection(scan);
  if (!connection) return;
  const { cloudAccountId } = sourceAccount(connection);
  const key = { scanId, revision: currentRevision(scan), accountId, connectionId, cloudAccountId };
  await updateMigrationWorkflows(context, { ...key, buckets: [] }, context.now());
}
