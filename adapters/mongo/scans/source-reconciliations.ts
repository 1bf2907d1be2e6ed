import type { Collection, Db } from 'mongodb';
import type { SourceMarker } from '../../../domain/migrations/source-reconciliation.ts';
import { roundId, type RoundKey } from '../../../domain/migrations/rounds.ts';
import type { Group } from '../../../domain/inventory/inventory.ts';
import type { ScanRequests } from '../../../domain/scans/scan.ts';
import { insertIfNew, matches } from '../common/open.ts';

/** A round of a migration that a scan reconciles, as it was when the scan started with it. */
export interface ReconciledMigration extends RoundKey {
  readonly bucket: string;
  readonly region: string;
  /** The prefix of the move's selector; null: the whole bucket. */
  readonly prefix: string | null;
  /** The round had completed, so nothing is copied after the comparison. */
  readonly isFinal: boolean;
  /** Bytes of the objects at the target; of a later round, what they add to the earlier ones. */
  readonly bytesMigrated: number;
}

/** The progress of comparing a migration's copied objects with its source. */
export interface SourceReconciliation extends ReconciledMigration {
  /** Incremented by every write; guards against two workers on one migration. */
  readonly revision: number;
  /** The first page of the manifest that is not completely compared. */
  readonly page: number;
  /** The last compared version of that page's keys; null at the beginning of a page. */
  readonly after: SourceMarker | null;
  /** Whether the migration has copied or skipped any object. */
  readonly hasMigrated: boolean;
  /** Whether the source holds a copied key in any version or content; null: not known. */
  readonly holdsKeys: boolean | null;
  /** The copied objects that the source still holds unchanged and no earlier migration counts. */
  readonly counted: readonly Group[];
  readonly requests: ScanRequests;
  /** Null: there is more to compare. `unknown`: the source could not be read to its end. */
  readonly outcome: 'compared' | 'unknown' | null;
}

interface ReconciliationDocument extends SourceReconciliation {
  readonly _id: string;
  readonly scanId: string;
}

const toId = (scanId: string, round: RoundKey) => `${scanId}/${roundId(round)}`;

/** The source reconciliations of scans: one document per scan and round of a migration. */
export class SourceReconciliations {
  readonly #reconciliations: Collection<ReconciliationDocument>;

  constructor(db: Db) {
    this.#reconciliations = db.collection('sourceReconciliations');
  }

  /** Returns the stored reconciliation, or a new one. */
  async open(scanId: string, migration: ReconciledMigration): Promise<SourceReconciliation> {
    const _id = toId(scanId, migration);
    const fresh: SourceReconciliation = {
      ...migration,
      revision: 0,
      page: 0,
      after: null,
      hasMigrated: false,
      holdsKeys: false,
      counted: [],
      requests: { list: 0, other: 0, costUsd: 0 },
      outcome: null,
    };
    await insertIfNew(() => this.#reconciliations.insertOne({ _id, scanId, ...fresh }));
    const document = await this.#reconciliations.findOne({ _id });
    return document ? toWork(document) : fresh;
  }

  /** False on a revision conflict. */
  async save(scanId: string, { revision, ...work }: SourceReconciliation): Promise<boolean> {
    return await matches(
      this.#reconciliations.updateOne(
        { _id: toId(scanId, work), revision },
        { $set: { ...work, revision: revision + 1 } },
      ),
    );
  }

  /** A scan's reconciliations, in no order. */
  async ofScan(scanId: string): Promise<SourceReconciliation[]> {
    return (await this.#reconciliations.find({ scanId }).toArray()).map(toWork);
  }
}

function toWork({ _id, scanId: _scanId, ...work }: ReconciliationDocument): SourceReconciliation {
  return work;
}
