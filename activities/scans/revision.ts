import type { Connections, ConnectionKey } from '../../adapters/mongo/connections/connections.ts';
import type { PriceBooks } from '../../adapters/mongo/pricing/price-books.ts';
import type { Scans } from '../../adapters/mongo/scans/scans.ts';
import { currentRevision, type ScanRecord } from '../../domain/scans/scan.ts';
import { sweepDue, takeFirst, type Swept } from '../common/sweep.ts';
import { sourceAccount } from '../../domain/connections/connection.ts';
import {
  adviceEvents,
  decideScan,
  describeDecision,
  readBefore,
  storeDecision,
  updateMigrationWorkflows,
  type DecisionDeps,
} from './decision.ts';

export interface RevisionDeps extends DecisionDeps {
  readonly connections: Pick<
    Connections,
    'findConnection' | 'undecided' | 'noteUndecided' | 'markDecided'
  >;
  readonly scans: Pick<Scans, 'findScan' | 'findNewest' | 'revise'>;
  readonly priceBooks: Pick<PriceBooks, 'isInForce'>;
  readonly now: () => Date;
}

export type RevisionActivities = ReturnType<typeof createRevisionActivities>;

const OUTCOMES = ['revised', 'checked', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];
/** Of an account at once: a decision takes up to seconds. */
const PORTION = 5;

/** The sweep that decides scans again by a new price book, without a call to the cloud. */
export function createRevisionActivities(deps: RevisionDeps) {
  const { connections, priceBook, priceBooks, progress, now } = deps;
  return {
    /**
     * Looks at every connection whose newest completed scan was decided by another price book. Several processes may
     * run with several books meanwhile; only one with the last does anything.
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
        continueWork: (key) => decideAgain(deps, key, edition),
        progress,
      });
    },
  };
}

async function decideAgain(
  deps: RevisionDeps,
  key: ConnectionKey,
  edition: string,
): Promise<Outcome> {
  try {
    return await bringUpToDate(deps, key, edition);
  } catch {
    await deps.connections.noteUndecided(key.connectionId, deps.now());
    return 'failed';
  }
}

/** A scan that completes meanwhile is newer, and its recommendations stay. */
async function bringUpToDate(
  deps: RevisionDeps,
  { connectionId }: ConnectionKey,
  edition: string,
): Promise<'revised' | 'checked'> {
  const newest = await deps.scans.findNewest(connectionId);
  const isRevised = newest !== undefined && (await reviseScan(deps, newest));
  const present = await deps.scans.findNewest(connectionId);
  if (newest && present && present.scanId !== newest.scanId) await supersedeOlder(deps, present);
  const decided = { edition: present?.edition ?? edition, at: present?.completedAt ?? deps.now() };
  await deps.connections.markDecided(connectionId, decided);
  if (decided.edition !== edition) throw new Error('another edition has decided it meanwhile');
  return isRevised ? 'revised' : 'checked';
}

/** Decides a completed scan again, unless the present price book has decided it. */
export async function reviseScan(deps: RevisionDeps, scan: ScanRecord): Promise<boolean> {
  const decidedAt = deps.now();
  if (isDecided(deps, scan, decidedAt)) return false;
  const key = { scanId: scan.scanId, revision: currentRevision(scan) + 1 };
  const before = await readBefore(deps, scan);
  const decided = await decideScan(deps, scan, key, decidedAt);
  await storeDecision(deps, scan, decided);
  const { outcome, standing } = describeDecision(deps, scan, decided, before);
  const standings = { before: before?.standing, after: standing };
  const events = adviceEvents(deps, scan, decided, standings);
  return await deps.scans.revise(scan.scanId, outcome, events);
}

/** An edition was not stored always: then the version decides. */
function isDecided(
  { priceBook }: RevisionDeps,
  { edition, revisions }: ScanRecord,
  now: Date,
): boolean {
  if (edition === undefined) return revisions.at(-1)?.priceBook === priceBook.version;
  return edition === priceBook.editionAt(now);
}

async function supersedeOlder(deps: RevisionDeps, scan: ScanRecord): Promise<void> {
  const { scanId, accountId, connectionId } = scan;
  const connection = await deps.connections.findConnection(scan);
  if (!connection) return;
  const { cloudAccountId } = sourceAccount(connection);
  const key = { scanId, revision: currentRevision(scan), accountId, connectionId, cloudAccountId };
  await updateMigrationWorkflows(deps, { ...key, buckets: [] }, deps.now());
}
