import type { RelocationStatus } from '../domain/relocations/relocation.ts';

export interface RelocationInput {
  readonly relocationId: string;
  readonly accountId: string;
}

/** How far a relocation has come: numbers only. */
export interface RelocationSlice {
  readonly status: RelocationStatus;
  readonly files: number;
  readonly moved: number;
  readonly failed: number;
  /** Nothing is left to do. */
  readonly isSettled: boolean;
  /** Old objects wait for their URLs: nothing is due before. */
  readonly waitMs: number;
}
