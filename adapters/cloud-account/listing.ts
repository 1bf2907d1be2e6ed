import type { UploadKeys } from '../../domain/common/file-keys.ts';
import { DELETABLE_AFTER_DAYS } from '../../domain/inventory/bands.ts';
import { createAgeBands } from '../../domain/inventory/classify.ts';
import type { Count } from '../../domain/inventory/inventory.ts';
import {
  countCurrentObjects,
  toInventory,
  type ListedInventory,
} from '../../domain/inventory/bucket-inventory.ts';
import type { LeftAlonePatterns } from '../../domain/inventory/key-marks.ts';
import { createLeftOverTest } from '../../domain/inventory/left-over.ts';
import {
  appendSegment,
  emptySegment,
  foldSmallPrefixes,
  type Classification,
} from '../../domain/inventory/segment.ts';
import type { BucketReader } from './account-reader.ts';
import { mergeDoneRanges, openRange, splitRange, takePage, type KeyRange } from './key-ranges.ts';
import { KeyShape } from './key-shape.ts';
import type { ListPage } from '../object-store/list-answers.ts';
import {
  createAdaptiveConcurrency,
  FIRST_LIMIT,
  runConcurrently,
  type AdaptiveConcurrency,
  type AdaptiveConcurrencyDeps,
} from '../object-store/adaptive-concurrency.ts';
import type { Versioning } from './bucket-settings.ts';
import { findSplitPoint } from './split-point.ts';

/**
 * The state of listing a bucket: plain data, stored between slices. Its size does not grow with the
 * number of objects: at most a few megabytes.
 */
export interface ListingState extends Omit<ListingBasis, 'asOf'> {
  /** A bucket that keeps versions is listed by versions, which include the current objects. */
  readonly versioning: Versioning;
  readonly asOf: string;
  readonly ranges: KeyRange[];
  /** The limit of concurrent requests. */
  limit: number;
  /** Pages received, and the entries counted. */
  pages: number;
  entries: number;
}

/** Ends a slice. Requests in flight are finished. At least one page is requested. */
export interface SliceLimits {
  readonly maxEntries: number;
  readonly maxMs: number;
  /** Ends it early, even before the first page. */
  readonly signal?: AbortSignal | undefined;
}

export interface ListingDeps
  extends Omit<AdaptiveConcurrencyDeps, 'signal'>, Pick<LeftAlonePatterns, 'marksOf'> {
  readonly bucket: Pick<BucketReader, 'listObjects' | 'listVersions'>;
  readonly limits: SliceLimits;
  /** The longest key that fits at the target, in bytes; objects with longer ones are counted. */
  readonly maxKeyBytes: number;
}

/** The result of a slice. After a failure the state holds all that was read before. */
export interface ListedSlice {
  readonly state: ListingState;
  /** A lasting error, or a transient one after all attempts; null: none. */
  readonly failure: Error | null;
}

/** What a listing's objects are classified by. */
export interface ListingBasis {
  /** Ages are computed as of this time. */
  readonly asOf: Date;
  /** The sizes above which objects are counted, in bytes, smallest first. */
  readonly sizeLimits: readonly number[];
  /** The minimum billable sizes below which objects are counted, in bytes, smallest first. */
  readonly minSizes?: readonly number[];
  /** Prefixes of the keys whose old versions a rule of the bucket expires; null: not known. */
  readonly cleanedVersions?: readonly string[] | null;
}

export function startListing(
  versioning: Versioning,
  { asOf, sizeLimits, minSizes = [], cleanedVersions = null }: ListingBasis,
): ListingState {
  return {
    versioning,
    asOf: asOf.toISOString(),
    sizeLimits,
    minSizes,
    cleanedVersions,
    ranges: [openRange(null, null)],
    limit: FIRST_LIMIT,
    pages: 0,
    entries: 0,
  };
}

export function isListed({ ranges }: ListingState): boolean {
  return ranges.every(({ isDone }) => isDone);
}

/** The number and size of the current objects listed so far. */
export function listedTotals({ ranges }: ListingState): Count {
  let objects = 0;
  let bytes = 0;
  for (const { segment } of ranges) {
    const count = countCurrentObjects(segment);
    objects += count.objects;
    bytes += count.bytes;
  }
  return { objects, bytes };
}

/** The inventory of the objects listed so far; `incomplete` are the keys of the uploads. */
export function listedInventory(
  { ranges }: ListingState,
  incomplete?: UploadKeys,
): ListedInventory {
  const whole = emptySegment();
  for (const { segment } of ranges) appendSegment(whole, segment);
  return toInventory(whole, incomplete);
}

const PAGE_ENTRIES = 1000;

/**
 * Continues to list a bucket, many key ranges concurrently, until all is listed or a limit is
 * reached. Never rejects: a failure is part of the result, besides what was read.
 */
export async function continueListing(
  deps: ListingDeps,
  given: ListingState,
): Promise<ListedSlice> {
  const state = structuredClone(given);
  const { signal } = deps.limits;
  const concurrency = createAdaptiveConcurrency({ ...deps, signal }, state.limit);
  let failure: Error | null = null;
  try {
    await new ListingSlice(deps, state, concurrency).run();
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  state.limit = concurrency.limit();
  foldSmallPrefixes(state.ranges.map(({ segment }) => segment));
  return { state, failure };
}

class ListingSlice {
  readonly #deps: ListingDeps;
  readonly #state: ListingState;
  readonly #concurrency: AdaptiveConcurrency;
  readonly #classification: Classification;
  readonly #shape = new KeyShape();
  readonly #inFlight = new Set<KeyRange>();
  readonly #endsAtMs: number;
  readonly #firstEntry: number;
  #sent = 0;

  constructor(deps: ListingDeps, state: ListingState, concurrency: AdaptiveConcurrency) {
    this.#deps = deps;
    this.#state = state;
    this.#concurrency = concurrency;
    const asOf = new Date(state.asOf);
    const { cleanedVersions = null } = state;
    this.#classification = {
      ageBandOf: createAgeBands(asOf),
      sizeLimits: state.sizeLimits,
      minSizes: state.minSizes ?? [],
      maxKeyBytes: deps.maxKeyBytes,
      marksOf: deps.marksOf,
      isLeftOver: createLeftOverTest(asOf, DELETABLE_AFTER_DAYS, cleanedVersions),
    };
    this.#endsAtMs = deps.now() + deps.limits.maxMs;
    this.#firstEntry = state.entries;
    for (const at of state.ranges.keys()) this.#learn(at);
  }

  run(): Promise<void> {
    return runConcurrently(this.#concurrency, () => {
      const range = this.#mayContinue() ? this.#nextRange() : undefined;
      if (!range) return undefined;
      this.#sent += 1;
      this.#inFlight.add(range);
      return () => this.#read(range).finally(() => this.#inFlight.delete(range));
    });
  }

  #mayContinue(): boolean {
    const { limits, now } = this.#deps;
    if (limits.signal?.aborted || isListed(this.#state)) return false;
    if (this.#sent === 0) return true;
    const expected = this.#inFlight.size * PAGE_ENTRIES;
    const entries = this.#state.entries - this.#firstEntry + expected;
    return entries < limits.maxEntries && now() < this.#endsAtMs;
  }

  /** An idle range, or else the upper half of the range with the most keys left. */
  #nextRange(): KeyRange | undefined {
    const waiting = this.#state.ranges.find((range) => !range.isDone && !this.#inFlight.has(range));
    return waiting ?? (this.#maySplit() ? this.#split() : undefined);
  }

  #split(): KeyRange | undefined {
    const { ranges } = this.#state;
    let best: { range: KeyRange; splitKey: string; remaining: number } | undefined;
    // The more is listed, the less a small remaining range matters.
    const minimum = this.#state.entries / 80;
    for (const [at, range] of ranges.entries()) {
      const right = ranges[at + 1];
      // The response for its previous upper half is outstanding.
      if (range.isDone || (right && !right.isDone && right.first === null)) continue;
      const point = findSplitPoint(range, this.#shape, right === undefined);
      if (point && point.remaining > (best?.remaining ?? minimum)) best = { range, ...point };
    }
    return best && splitRange(ranges, best.range, best.splitKey);
  }

  /**
   * A split costs up to one request: the upper half may be empty, or both halves end with half a
   * page. Such requests are limited to a few at first and to a share of all requests later.
   */
  #maySplit(): boolean {
    const { pages, entries } = this.#state;
    const full = entries / PAGE_ENTRIES;
    const wasted = pages - full + this.#inFlight.size / 2;
    return wasted < Math.min(34, 4 + 4 * full) + 0.08 * full;
  }

  async #read(range: KeyRange): Promise<void> {
    const after = range.cursor;
    const page = await this.#concurrency.request(
      () => this.#page(range),
      () => this.#deps.now() < this.#endsAtMs,
    );
    if (!page) return;
    this.#state.pages += 1;
    this.#state.entries += takePage(range, after, page, this.#classification);
    this.#learn(this.#state.ranges.indexOf(range));
    if (range.isDone) mergeDoneRanges(this.#state.ranges);
  }

  /** Records where the keys of a range differ from those of its neighbours. */
  #learn(at: number): void {
    const { ranges } = this.#state;
    const range = ranges[at];
    if (!range || range.first === null) return;
    const below = ranges[at - 1]?.cursor?.key;
    const above = ranges[at + 1]?.first;
    if (below !== undefined && ranges[at - 1]?.first !== null)
      this.#shape.learnFork(below, range.first);
    if (range.cursor && typeof above === 'string') this.#shape.learnFork(range.cursor.key, above);
    if (range.cursor) this.#shape.learnKey(range.cursor.key);
  }

  #page({ cursor }: KeyRange): Promise<ListPage> {
    const { bucket } = this.#deps;
    const request = { after: cursor, workedBefore: this.#state.pages > 0 };
    return this.#state.versioning === 'kept'
      ? bucket.listVersions(request)
      : bucket.listObjects(request);
  }
}
