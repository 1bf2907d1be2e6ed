import type { DrillStatus } from '../domain/drills/drill.ts';

export interface DrillInput {
  readonly drillId: string;
  readonly accountId: string;
}

/** How far a drill has come: numbers only. */
export interface DrillSlice {
  readonly status: DrillStatus;
  readonly files: number;
  readonly copied: number;
  readonly failed: number;
  /** Nothing is left to do. */
  readonly isSettled: boolean;
  /** A removal that has failed is tried again. */
  readonly waitMs: number;
}
