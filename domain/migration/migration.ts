import type { ProviderName, StoreLocation } from '../provider/catalogue.ts';
import type { Quote } from '../decision/types.ts';
import type { MigrationCounts } from './counts.ts';

export const MIGRATION_STATUSES = [
  'queued',
  'planning',
  'copying',
  'verifying',
  'cancelling',
  'completed',
  'completed_with_failures',
  'failed',
  'cancelled',
] as const;
export type MigrationStatus = (typeof MIGRATION_STATUSES)[number];

/** The approval of one quote: source, target, cost and approver. */
export interface Approval {
  readonly targetProvider: ProviderName;
  readonly quote: Quote;
  /** The `sub` of the person. */
  readonly approvedBy: string;
  readonly approvedByName: string;
  readonly approvedAt: Date;
  /** The id of the approving request. */
  readonly requestId: string;
  /** Both locations as configured at the approval; a migration uses no others. */
  readonly source: StoreLocation;
  readonly target: StoreLocation;
  /** A key at the target is this and the key at the source. */
  readonly keyPrefix: string;
  /** The target was the provider's bucket below the name of the source's, when it was approved. */
  readonly isDefaultPlace: boolean;
  /** When a person first asked for the migration to be cancelled. */
  readonly cancelRequestedAt?: Date;
}

/** How much of the manifest has an outcome. */
export interface MigrationProgress {
  readonly objectsTotal: number;
  readonly bytesTotal: number;
  readonly counts: MigrationCounts;
}

/** The progress of a migration that the target has confirmed. */
export interface Confirmed {
  /** Of the objects with an outcome. */
  readonly counts: MigrationCounts;
  /** The parts of objects without an outcome. */
  readonly bytesInFlight: number;
}

/** Whether the source's bucket allows ACLs of single objects, which are never copied. */
export type Acls = 'none' | 'not_carried' | 'unknown';

export interface MigrationError {
  readonly code: string;
  readonly message: string;
}

/** Why a migration ends. Neither cancelled nor with an error: its work is done. */
export interface EndReason {
  readonly isCancelled: boolean;
  readonly error: MigrationError | null;
}

/** The realised savings of a migration, as a later scan of the same cloud account found them. */
export interface Realised {
  /** Whether the source still holds any copied key, in any version or with any content. */
  readonly state: 'copied_not_yet_saved' | 'saved';
  /** The start of the scan that found it; for `saved` of the first such scan in sequence. */
  readonly asOf: Date;
  /** What the copied bytes save a month once the source holds none of them, in USD. */
  readonly monthlyUsd: number;
}

/** The state of an approved migration. Its workflow writes it; scans write `realised`. */
export interface MigrationRecord {
  /** The id of the recommendation that it carries out: a recommendation is migrated at most once. */
  readonly migrationId: string;
  readonly accountId: string;
  /** The source's cloud account, 12 digits. */
  readonly cloudAccountId: string;
  readonly status: Exclude<MigrationStatus, 'queued'>;
  /** Objects modified later are not in the manifest. */
  readonly asOf: Date;
  /** Null until the manifest is complete. */
  readonly manifest: Manifest | null;
  readonly acls: Acls;
  readonly approvedAt: Date;
  readonly startedAt: Date;
  readonly updatedAt: Date;
  readonly completedAt: Date | null;
  readonly error: MigrationError | null;
  /** The totals of the object ledger. Null until the end. */
  readonly finalCounts: MigrationCounts | null;
  readonly realised: Realised | null;
}

/** Everything that the approved selector matches. */
export interface Manifest {
  readonly pages: number;
  readonly objects: number;
  readonly bytes: number;
}

export function isEnded(status: MigrationStatus): boolean {
  switch (status) {
    case 'queued':
    case 'planning':
    case 'copying':
    case 'verifying':
    case 'cancelling':
      return false;
    case 'completed':
    case 'completed_with_failures':
    case 'failed':
    case 'cancelled':
      return true;
  }
}
