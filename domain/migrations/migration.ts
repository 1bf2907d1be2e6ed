import type { TargetCapabilities } from '../providers/capabilities.ts';
import type { ProviderName, StoreLocation } from '../providers/catalogue.ts';
import type { Account } from '../accounts/account.ts';
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
  readonly source: StoreLocation;
  readonly target: StoreLocation;
  /** Whose credentials are used at either. Absent: approved by an earlier release. */
  readonly places?: { readonly source: StoreLocation; readonly target: StoreLocation };
  /** A key at the target is this and the key at the source. */
  readonly keyPrefix: string;
  /** The target was the provider's bucket below the name of the source's, when it was approved. */
  readonly isDefaultPlace: boolean;
  /** When a person first asked for the latest round to be cancelled. */
  readonly cancelRequestedAt?: Date;
  /** The rounds that follow the approval's copy, from the second. */
  readonly rounds?: readonly RoundRequest[];
}

/** Whose credentials a migration uses; one of an earlier release, those of the current places. */
export function placesOf(
  { providers }: Pick<Account, 'providers'>,
  { source, target, places }: Pick<Approval, 'source' | 'target' | 'places'>,
): Required<Approval>['places'] {
  const current = (location: StoreLocation) => providers[location.provider]?.location ?? location;
  return places ?? { source: current(source), target: current(target) };
}

/** A round as a person asked for it. */
export interface RoundRequest {
  /** From 2. */
  readonly number: number;
  /** The round ends before its first copy if it would cost more. */
  readonly maxTotalUsd: number;
  /** What this deployment moves at once. Absent: any number. */
  readonly maxBytes?: number;
  /** Copied objects deleted at the source are removed at the target if at most as many. 0: none. */
  readonly removeAtMost: number;
  /** The `sub` of the person. */
  readonly startedBy: string;
  readonly startedByName: string;
  readonly requestedAt: Date;
  readonly requestId: string;
}

/** A round that has ended, and that a later one follows. */
export interface EndedRound {
  readonly number: number;
  readonly status: MigrationRecord['status'];
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly error: MigrationError | null;
  readonly manifest: Manifest | null;
  readonly counts: MigrationCounts;
}

/** How much of the manifest has an outcome. */
export interface MigrationProgress {
  readonly objectsTotal: number;
  readonly bytesTotal: number;
  readonly counts: MigrationCounts;
}

/** The progress of a migration that the target has confirmed. */
export interface Confirmed {
  /** Sums over the objects with an outcome. */
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
  readonly state: 'copied_not_yet_released' | 'released';
  /** The start of the scan that found it; for `saved` of the first such scan in sequence. */
  readonly asOf: Date;
  /** What the copied bytes save a month once the source holds none of them, in USD. */
  readonly monthlyUsd: number;
}

/** The state of a migration's latest round. Its workflow writes it; scans write `realised`. */
export interface MigrationRecord {
  /** The id of the recommendation that it carries out: each is migrated at most once. */
  readonly migrationId: string;
  readonly accountId: string;
  /** The source's cloud account, 12 digits. */
  readonly cloudAccountId: string;
  readonly round: number;
  readonly earlierRounds: readonly EndedRound[];
  readonly status: Exclude<MigrationStatus, 'queued'>;
  /** Objects modified later are not in the manifest. Ages count from then. */
  readonly asOf: Date;
  /** Null until the manifest is complete. */
  readonly manifest: Manifest | null;
  readonly acls: Acls;
  /** What the latest round's canary has found the target to do. Absent: not tried. */
  readonly targetCapabilities?: Partial<TargetCapabilities>;
  readonly approvedAt: Date;
  readonly startedAt: Date;
  readonly roundStartedAt: Date;
  readonly updatedAt: Date;
  readonly completedAt: Date | null;
  readonly error: MigrationError | null;
  /** The totals of the object ledger. Null until the end. */
  readonly finalCounts: MigrationCounts | null;
  readonly realised: Realised | null;
  /** The latest round in which a release check began that ended as ready. Absent: none. */
  readonly releasedRound?: number;
}

/** What a round copies: all that the selector matches, or what earlier rounds have not. */
export interface Manifest {
  readonly pages: number;
  readonly objects: number;
  readonly bytes: number;
  /** Objects that earlier rounds copied and that are unchanged. Absent in the first round. */
  readonly unchanged?: number;
  /** Objects that earlier rounds have copied and that the source no longer has. */
  readonly gone?: number;
  /** The same of objects that a release gave up at the source. */
  readonly released?: number;
  /** By the rules of the quote. */
  readonly costUsd?: number;
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
