import type { Db } from 'mongodb';
import type { Group } from '../../domain/inventory/inventory.ts';
import type { ScanRequests } from '../../domain/scan/scan.ts';
import { insertIfNew } from './open.ts';

/** Which migration a scan looks back at, as it was when the scan began with it. */
export interface ReconciledMigration {
  readonly migrationId: string;
  readonly recommendationId: string;
  readonly bucket: string;
  readonly region: string;
  /** What the move's selector named; null: the whole bucket. */
  readonly prefix: string | null;
  /** It had completed, so that nothing can be copied after it was compared. */
  readonly isFinal: boolean;
}

/** How far a scan has come with comparing what a migration copied with what the source holds. */
export interface SourceReconciliation extends ReconciledMigration {
  /** Raised with every write; the guard against a second hand on the same migration. */
  readonly revision: number;
  /** The first page of the manifest that is not wholly compared. */
  readonly page: number;
  /** Up to which key that page is; it goes when all is compared. */
  readonly after: string | null;
  /** Whether the migration has copied anything, or found it there. */
  readonly hasMigrated: boolean;
  /** What the source still holds of it. */
  readonly held: readonly Group[];
  /** The same without what an earlier migration holds too. */
  readonly counted: readonly Group[];
  readonly requests: ScanRequests;
  /** Null: there is more to compare. `unknown`: the source could not be read to its end. */
  readonly outcome: 'compared' | 'unknown' | null;
}

interface ReconciliationDocument extends SourceReconciliation {
  readonly _id: string;
  readonly scanId: string;
}

/** What each scan finds of what migrations copied: one document per scan and migration. */
export interface SourceReconciliations {
  /** Begins with a migration; where that was done, it goes on as it stands. */
  open(scanId: string, migration: ReconciledMigration): Promise<SourceReconciliation>;
  /** False where somebody else has written since. */
  save(scanId: string, work: SourceReconciliation): Promise<boolean>;
  /** All that a scan has begun with, in no order. */
  ofScan(scanId: string): Promise<SourceReconciliation[]>;
}

export function createSourceReconciliations(db: Db): SourceReconciliations {
  const lookBacks = db.collection<ReconciliationDocument>('sourceReconciliations');
  const idOf = (scanId: string, migrationId: string) => `${scanId}/${migrationId}`;

  return {
    async open(scanId, migration) {
      const _id = idOf(scanId, migration.migrationId);
      const fresh: SourceReconciliation = {
        ...migration,
        revision: 0,
        page: 0,
        after: null,
        hasMigrated: false,
        held: [],
        counted: [],
        requests: { list: 0, other: 0, costUsd: 0 },
        outcome: null,
      };
      await insertIfNew(() => lookBacks.insertOne({ _id, scanId, ...fresh }));
      const document = await lookBacks.findOne({ _id });
      return document ? toWork(document) : fresh;
    },

    async save(scanId, { revision, ...work }) {
      const { matchedCount } = await lookBacks.updateOne(
        { _id: idOf(scanId, work.migrationId), revision },
        { $set: { ...work, revision: revision + 1 } },
      );
      return matchedCount === 1;
    },

    async ofScan(scanId) {
      return (await lookBacks.find({ scanId }).toArray()).map(toWork);
    },
  };
}

function toWork({ _id, scanId: _scanId, ...work }: ReconciliationDocument): SourceReconciliation {
  return work;
}
