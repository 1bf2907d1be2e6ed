import type { ProviderName, StoreLocation } from '../catalogue.ts';
import type { Quote } from '../decision/types.ts';

export const MIGRATION_STATUSES = [
  'queued',
  'planning',
  'copying',
  'verifying',
  'completed',
  'completed_with_failures',
  'failed',
  'cancelled',
] as const;
export type MigrationStatus = (typeof MIGRATION_STATUSES)[number];

/** A person's yes to one quote: what is to be copied where, by whose word, for how much. */
export interface Approval {
  readonly migrationId: string;
  readonly targetProvider: ProviderName;
  readonly quote: Quote;
  readonly approvedBy: string;
  readonly approvedAt: Date;
  /** Of the call that approved it. */
  readonly requestId: string;
  /** As they were configured then; a migration goes nowhere else. */
  readonly source: StoreLocation;
  readonly target: StoreLocation;
}

/** Objects and bytes of a migration by what became of them. */
export interface MigrationProgress {
  readonly objectsTotal: number;
  readonly objectsCopied: number;
  readonly objectsSkipped: number;
  readonly objectsFailed: number;
  readonly bytesTotal: number;
  readonly bytesCopied: number;
  /** Of the objects of which the outcome is known, whatever it is. */
  readonly bytesSettled: number;
}

/** Whether the source's bucket lets objects have access rules of their own, which are never copied. */
export type Acls = 'none' | 'not_carried' | 'unknown';

export interface MigrationError {
  readonly code: string;
  readonly message: string;
}

/** What a later scan of the same connection found of what a migration copied. */
export interface Realised {
  /** Whether the source still holds any of it. */
  readonly state: 'copied_not_yet_saved' | 'saved';
  /** The scan that found it so; for `saved` the first one that did. */
  readonly asOf: Date;
  /** What the source still costs per month, or what is saved. */
  readonly monthlyUsd: number;
}

/** How the run of an approved migration stands. Its workflow writes it; `realised` is the scans'. */
export interface MigrationRecord {
  readonly migrationId: string;
  readonly recommendationId: string;
  readonly accountId: string;
  readonly connectionId: string;
  readonly status: Exclude<MigrationStatus, 'queued'>;
  /** What was modified later does not enter the manifest. */
  readonly asOf: Date;
  /** Null until the manifest is whole. */
  readonly manifest: Manifest | null;
  readonly acls: Acls;
  readonly startedAt: Date;
  readonly updatedAt: Date;
  readonly completedAt: Date | null;
  readonly error: MigrationError | null;
  readonly realised: Realised | null;
}

/** What is to be copied: everything that the approved selector holds. */
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
      return false;
    case 'completed':
    case 'completed_with_failures':
    case 'failed':
    case 'cancelled':
      return true;
  }
}
