import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { ProviderName } from '../domain/providers/catalogue.ts';
import type { MigrationCounts } from '../domain/migrations/counts.ts';
import type {
  EndReason,
  MigrationProgress,
  MigrationStatus,
} from '../domain/migrations/migration.ts';
import type { RoundKey } from '../domain/migrations/rounds.ts';
import type { RecommendationStatus } from '../domain/recommendations/recommendation.ts';

/** A recommended move and a round of its migration, which have one id. */
export interface MigrationRoundKey extends RoundKey {
  readonly accountId: string;
}

export interface MigrationInput extends MigrationRoundKey {
  /** Set if an earlier run continued as new. */
  readonly resume?: MigrationResume;
}

/** A migration as operators may see it: no object key. */
export interface OpenedMigration {
  /** Bucket and prefix of the source. */
  readonly from: string;
  readonly provider: ProviderName;
  readonly to: string;
  /** Who has approved it, or started the round. */
  readonly approvedBy: string;
  /** The total of the quote, or what the round may cost. */
  readonly quotedUsd: number;
  readonly round: number;
  /** The id of the request that approved it, or started the round. */
  readonly requestId: string;
}

/** A migration that an earlier run began: the run was lost, or a signal came after its end. */
export interface BegunMigration {
  /** As stored. */
  readonly status: MigrationStatus;
  /** The end that the earlier run was about to write. */
  readonly endReason?: EndReason;
  /** The position to continue from; left out before the manifest is whole. */
  readonly resume?: MigrationResume;
}

export interface MigrationOpening extends OpenedMigration {
  /** A user has asked for the end before this run. */
  readonly isCancelled?: true;
  /** Left out in a migration's first run. */
  readonly begun?: BegunMigration;
}

export interface ManifestSlice {
  readonly isWhole: boolean;
  readonly pages: number;
  readonly objects: number;
  readonly bytes: number;
}

/** A page after a slice: totals while it is copied, changes of the totals while it is verified. */
export interface PageSlice {
  readonly page: number;
  readonly isDone: boolean;
  readonly counts: MigrationCounts;
}

export interface CopySlice {
  readonly pages: readonly PageSlice[];
  /** The code of the latest failure; null if no object failed. */
  readonly lastFailure: string | null;
}

/** The state that a migration's run passes to its next run: numbers only. */
export interface MigrationResume {
  readonly opened: OpenedMigration;
  readonly phase: 'planning' | 'copying' | 'verifying';
  readonly manifest: ManifestSlice;
  /** The first page that is not started in this phase. */
  readonly nextPage: number;
  /** Pages that are started and not done. */
  readonly waiting: readonly number[];
  /** The sum over the pages that are not in `open`. */
  readonly settled: MigrationCounts;
  readonly open: readonly { readonly page: number; readonly counts: MigrationCounts }[];
  /** When the phase began, in milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly lastFailure: string | null;
}

export interface MigrationView {
  readonly status: Exclude<MigrationStatus, 'queued'>;
  readonly progress: MigrationProgress;
}

/** Null before the workflow has opened the migration. */
export const migrationProgress = defineQuery<MigrationView | null>('progress');

/** The recommendation has changed: it is approved, or superseded. */
export const approveMigration = defineSignal('approve');

/** Stop after the objects in flight. */
export const cancelMigration = defineSignal('cancel');

/** A recommendation while its workflow waits for the approval. */
export interface PendingApproval {
  readonly status: RecommendationStatus | 'missing';
}

/** How the workflow ended: the recommendation's status, or the migration's if it was approved. */
export interface MigrationOutcome {
  readonly status: PendingApproval['status'] | MigrationStatus;
}
