import type { Quote } from '../decision/types.ts';
import { GroupSums } from '../inventory/group-sums.ts';
import type { Group } from '../inventory/inventory.ts';
import type { AgeBandOf } from '../inventory/classify.ts';
import type { ManifestEntry, ObjectFailure } from './object-ledger.ts';
import type { Manifest, MigrationError } from './migration.ts';

const MIN_SLICES = 4;
/** The slots of four workers, for one migration on all workers together. */
export const MAX_SLICES = 64;

/**
 * How many slices of a migration run in parallel: as many as its manifest has pages of 1,000 objects,
 * from 4 to 64. What one worker has no slot for waits for another worker.
 */
export function slicesFor(pages: number): number {
  return Math.min(MAX_SLICES, Math.max(MIN_SLICES, pages));
}

/** An object of the manifest; `blocked` says why it cannot be copied. */
export interface ManifestPageEntry extends ManifestEntry {
  readonly blocked?: ObjectFailure;
}

/** The progress of writing a manifest, and the objects that its quote covers. */
export interface ManifestProgress {
  readonly pages: number;
  /** The next page starts after this key; null: at the first key. */
  readonly after: string | null;
  readonly isWhole: boolean;
  /** The whole manifest, blocked objects included. */
  readonly objects: number;
  readonly bytes: number;
  /** Of the objects that can be copied. */
  readonly groups: readonly Group[];
}

export const EMPTY_MANIFEST: ManifestProgress = {
  pages: 0,
  after: null,
  isWhole: false,
  objects: 0,
  bytes: 0,
  groups: [],
};

/** One page of the manifest as stored; never changed after it is written. */
export interface ManifestPage {
  /** It starts after this key; null: at the first key. */
  readonly after: string | null;
  /** The next page starts after this key; null: this is the last page. */
  readonly next: string | null;
  readonly entries: readonly ManifestPageEntry[];
}

/** A quote depends on class and age alone. */
const NO_PREFIXES: ReadonlySet<string> = new Set();

export function addPage(
  progress: ManifestProgress,
  { next, entries }: ManifestPage,
  ageBandOf: AgeBandOf,
): ManifestProgress {
  const groups = new GroupSums(progress.groups);
  for (const entry of entries)
    if (entry.blocked === undefined) groups.count(entry, NO_PREFIXES, ageBandOf);
  return {
    pages: progress.pages + 1,
    after: next,
    isWhole: next === null,
    objects: progress.objects + entries.length,
    bytes: entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, progress.bytes),
    groups: groups.list(),
  };
}

export interface Approved {
  readonly objects: number;
  readonly bytes: number;
  readonly totalUsd: number;
}

/** How far a migration may exceed its approval, in per cent. */
const TOLERANCE_PERCENT = 10;

/**
 * Compares what would be copied now with the approval; null if it is covered.
 *
 * | now | approved | answer |
 * | --- | --- | --- |
 * | 110 objects | 100 | null |
 * | 111 objects | 100 | `quote_exceeded` |
 * | 1 object | 0 | `quote_exceeded` |
 * | the same with bytes, or with the quote's total | | |
 */
export function checkApproval(
  approved: Approved,
  { groups }: Pick<ManifestProgress, 'groups'>,
  quote: Pick<Quote, 'totalUsd'>,
): MigrationError | null {
  const objects = groups.reduce((sum, group) => sum + group.objects, 0);
  const bytes = groups.reduce((sum, group) => sum + group.bytes, 0);
  const exceeded = [
    excess('objects', objects, approved.objects),
    excess('bytes', bytes, approved.bytes),
    excess('USD', quote.totalUsd, approved.totalUsd),
  ].filter((line) => line !== undefined);
  if (exceeded.length === 0) return null;
  return {
    code: 'quote_exceeded',
    message:
      `What is there now is over ${TOLERANCE_PERCENT} % more than what was approved: ` +
      `${exceeded.join('; ')}. Nothing was copied; a new scan makes a new quote.`,
  };
}

/**
 * How many bytes an object may grow between the manifest and its copy. All objects of the manifest may
 * grow by as much, and together stay covered by the approval.
 *
 * | approved bytes | manifest                 | each object |
 * | -------------- | ------------------------ | ----------- |
 * | 1,000          | 10 objects, 1,000 bytes  | 10 bytes    |
 * | 1,000          | 10 objects, 600 bytes    | 50 bytes    |
 * | 1,000          | 10 objects, 1,100 bytes  | 0           |
 */
export function growthAllowance(
  approvedBytes: number,
  { objects, bytes }: Pick<Manifest, 'objects' | 'bytes'>,
): number {
  const covered = Math.floor((approvedBytes * (100 + TOLERANCE_PERCENT)) / 100);
  return Math.max(0, Math.floor((covered - bytes) / Math.max(1, objects)));
}

function excess(unit: string, now: number, approved: number): string | undefined {
  // USD amounts are binary fractions: ten per cent of one may be slightly too high.
  if (now * 100 <= approved * (100 + TOLERANCE_PERCENT) * (1 + Number.EPSILON)) return undefined;
  return `${now} ${unit} instead of ${approved}`;
}
