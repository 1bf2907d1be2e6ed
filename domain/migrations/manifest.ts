import type { Quote } from '../decision/types.ts';
import { GroupSums } from '../inventory/group-sums.ts';
import type { Group } from '../inventory/inventory.ts';
import type { AgeBandOf } from '../inventory/classify.ts';
import type { ManifestEntry, ObjectFailure } from './object-ledger.ts';
import type { OpenKeys } from '../inventory/key-conflicts.ts';
import type { Manifest } from './migration.ts';
import type { StopError } from './stop.ts';

const MIN_SLICES = 4;
/** The slots of four workers, for one migration on all workers together. */
export const MAX_SLICES = 64;

/**
 * How many slices of a migration run in parallel: as many as its manifest has pages, from 4 to 64.
 * What one worker has no slot for waits for another worker.
 */
export function slicesFor(pages: number): number {
  return Math.min(MAX_SLICES, Math.max(MIN_SLICES, pages));
}

/** Opening a smaller page, for a slice, would cost a tenth of copying it and more. */
const MIN_PAGE_BYTES = 2 ** 28;
const MAX_PAGE_BYTES = 2 ** 36;

/**
 * The bytes of a page's objects, at most, but for its last object: large objects make as many pages
 * as there are slices, so that all workers share them.
 */
export function pageBytesFor(totalBytes: number): number {
  return Math.min(MAX_PAGE_BYTES, Math.max(MIN_PAGE_BYTES, totalBytes / MAX_SLICES));
}

/** An object of the manifest; `blocked` says why it cannot be copied. */
export interface ManifestPageEntry extends ManifestEntry {
  readonly blocked?: ObjectFailure;
  /** In a drill: its key at the source, where `key` is a number. */
  readonly sourceKey?: string;
  /** The size in bytes of the object that an earlier round wrote at the target. */
  readonly replacesBytes?: number;
}

/** An object that an earlier round of this migration wrote, and that the source no longer has. */
export interface GoneObject {
  readonly key: string;
  readonly bytes: number;
  readonly sourceEtag: string;
  readonly targetEtag: string;
}

/** The progress of writing a manifest, and the objects that its quote covers. */
export interface ManifestProgress {
  readonly pages: number;
  /** How often it was added to; a run of keys without an object to copy adds no page. */
  readonly steps: number;
  /** The next page starts after this key; null: at the first key. */
  readonly after: string | null;
  readonly isWhole: boolean;
  /** The whole manifest, blocked objects included. */
  readonly objects: number;
  readonly bytes: number;
  /** The objects that earlier rounds have copied. */
  readonly unchanged: number;
  readonly gone: number;
  /** Objects deleted at the source that a release gave up there: they are never removed. */
  readonly released: number;
  /** The objects that can be copied. */
  readonly groups: readonly Group[];
  /**
   * What is or will be there, where the target cannot hold an object below another. Absent: none.
   */
  readonly openKeys?: OpenKeys;
}

export const EMPTY_MANIFEST: ManifestProgress = {
  pages: 0,
  steps: 0,
  after: null,
  isWhole: false,
  objects: 0,
  bytes: 0,
  unchanged: 0,
  gone: 0,
  released: 0,
  groups: [],
};

/** One page of the manifest as stored; never changed after it is written. */
export interface ManifestPage {
  /** It starts after this key; null: at the first key. */
  readonly after: string | null;
  /** The next page starts after this key; null: this is the last page. */
  readonly next: string | null;
  readonly entries: readonly ManifestPageEntry[];
  /**
   * Objects of these keys that earlier rounds copied: those that are unchanged, and those deleted.
   */
  readonly unchanged?: number;
  readonly gone?: number;
  readonly released?: number;
  /**
   * Objects deleted at the source that are removed at the target if there are no more than allowed.
   */
  readonly removable?: readonly GoneObject[];
  /** At its end. */
  readonly openKeys?: OpenKeys;
}

/** A quote depends on class and age alone. */
const NO_PREFIXES: ReadonlySet<string> = new Set();

/** Adds a stored page; the listing has passed its keys if another worker stored it meanwhile. */
export function addPage(
  progress: ManifestProgress,
  page: ManifestPage,
  ageBandOf: AgeBandOf,
  minSizes: readonly number[] = [],
): ManifestProgress {
  const groups = new GroupSums(progress.groups, minSizes);
  for (const entry of page.entries)
    if (entry.blocked === undefined) groups.count(entry, NO_PREFIXES, ageBandOf);
  return {
    ...(page.after === progress.after ? passKeys(progress, page) : progress),
    pages: progress.pages + 1,
    steps: progress.steps + 1,
    objects: progress.objects + page.entries.length,
    bytes: page.entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, progress.bytes),
    groups: groups.list(),
  };
}

/** The listing has passed the keys of a page without work: it is not stored. */
export function passKeys(
  progress: ManifestProgress,
  { next, unchanged = 0, gone = 0, released = 0, openKeys = [] }: ManifestPage,
): ManifestProgress {
  const { openKeys: _passed, ...before } = progress;
  return {
    ...before,
    ...(openKeys.length > 0 ? { openKeys } : {}),
    steps: progress.steps + 1,
    after: next,
    isWhole: next === null,
    unchanged: progress.unchanged + unchanged,
    gone: progress.gone + gone,
    released: progress.released + released,
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
): StopError | null {
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
 * How many bytes an object may grow between the manifest and its copy. All objects of the manifest
 * may grow by as much, and together stay covered by the approval.
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

/** Bytes that a round may read beyond its tolerance, so that a small one survives a bad hour. */
const READ_MARGIN_BYTES = 2 ** 30;

/**
 * How many bytes a round may read from its source, repeats and comparisons included.
 *
 * | manifest | may read      |
 * | -------- | ------------- |
 * | 0 bytes  | 1 GiB         |
 * | 100 GiB  | 111 GiB       |
 */
export function readAllowance({ bytes }: Pick<Manifest, 'bytes'>): number {
  return Math.floor((bytes * (100 + TOLERANCE_PERCENT)) / 100) + READ_MARGIN_BYTES;
}

/** The same for a round: all of them together stay covered by what the round may cost. */
export function roundGrowthAllowance(
  { objects, bytes, costUsd = 0 }: Manifest,
  maxTotalUsd: number,
): number {
  const headroom = costUsd === 0 ? 1 : maxTotalUsd / costUsd - 1;
  const share = Math.min(TOLERANCE_PERCENT / 100, headroom);
  return Math.max(0, Math.floor((bytes * share) / Math.max(1, objects)));
}

function excess(unit: string, now: number, approved: number): string | undefined {
  // USD amounts are binary fractions: ten per cent of one may be slightly too high.
  if (now * 100 <= approved * (100 + TOLERANCE_PERCENT) * (1 + Number.EPSILON)) return undefined;
  return `${now} ${unit} instead of ${approved}`;
}
