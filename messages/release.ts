import type { ReleaseStatus } from '../domain/migrations/release.ts';

/** A release check: whether the source of a migration can be given up. */
export interface ReleaseKey {
  readonly releaseId: string;
  readonly migrationId: string;
  readonly accountId: string;
}

/** How far a check has come: numbers only. */
export interface ReleaseSlice {
  /** `checking`: there is more to compare. */
  readonly status: ReleaseStatus;
  readonly objects: number;
  readonly differences: number;
}

export interface ReleaseOutcome {
  readonly status: ReleaseStatus;
}
