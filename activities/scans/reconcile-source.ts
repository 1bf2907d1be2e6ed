import type { BucketReader } from '../../adapters/cloud-account/account-reader.ts';
import {
  createAdaptiveConcurrency,
  FIRST_LIMIT,
  runConcurrently,
  type AdaptiveConcurrency,
} from '../../adapters/object-store/adaptive-concurrency.ts';
import type { ListPage } from '../../adapters/object-store/list-answers.ts';
import type { Manifests, MigratedPage } from '../../adapters/mongo/migrations/manifests.ts';
import type { SourceReconciliation } from '../../adapters/mongo/scans/source-reconciliations.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { GroupSums } from '../../domain/inventory/group-sums.ts';
import {
  isSame,
  KnownGaps,
  type SourceMarker,
  PageComparison,
  type SourceObject,
} from '../../domain/migrations/source-reconciliation.ts';
import { roundId } from '../../domain/migrations/rounds.ts';
import type { AgeBandOf } from '../../domain/inventory/classify.ts';
import type { Slicing } from '../../adapters/cloud-account/bucket-slice.ts';
import type { MigratedObjectSearch } from './migrated-object-search.ts';

/** What a reconciliation needs before it lists the source. */
export interface ReconciliationContext {
  readonly bucket: Pick<BucketReader, 'listObjects' | 'listVersions'>;
  readonly manifests: Pick<Manifests, 'migrated'>;
  readonly pages: number;
  /** Earlier migrations that may have copied the same objects. */
  readonly earlier: readonly MigratedObjectSearch[];
  /** What the scan has read of the bucket; null: the scan does not cover it. */
  readonly seen: SeenBucket | null;
  readonly ageBandOf: AgeBandOf;
  /** The minimum billable sizes below which objects are counted, in bytes, smallest first. */
  readonly minSizes?: readonly number[];
}

export interface SeenBucket {
  readonly prefixes: ReadonlySet<string>;
  /** Null: the role may not read it. */
  readonly keepsVersions: boolean | null;
}

export interface ReconciledSlice {
  readonly work: SourceReconciliation;
  /** A transient failure without progress; null: the slice made progress. */
  readonly failure: StoreError | null;
}

/**
 * Compares a migration's manifest with its source for one slice: several pages in parallel, each by
 * the range of its keys. A missing bucket holds nothing; a bucket that the scan does not cover is
 * only checked for existence.
 *
 * @throws RoleRefusedError, and every error that is no store's.
 */
export async function reconcileSlice(
  context: ReconciliationContext,
  stored: SourceReconciliation,
  slicing: Slicing,
): Promise<ReconciledSlice> {
  const slice = new ReconcilingSlice(context, stored, slicing);
  await slice.run();
  const { failure } = slice;
  if (slice.isMissing) {
    const empty = { ...stored, after: null, hasMigrated: true, holdsKeys: false, counted: [] };
    return { work: { ...empty, outcome: 'compared' }, failure: null };
  }
  if (failure && !(failure instanceof StoreError)) throw failure;
  const work = slice.fold();
  if (slice.isElsewhere || (failure && !failure.isTransient)) {
    return { work: { ...work, after: null, outcome: 'unknown' }, failure: null };
  }
  const isFurther =
    work.page > stored.page ||
    work.after?.key !== stored.after?.key ||
    work.after?.versionId !== stored.after?.versionId;
  return { work, failure: isFurther ? null : failure };
}

interface ReconciledPage {
  readonly counted: GroupSums;
  readonly hasMigrated: boolean;
  holdsKeys: boolean;
  /** The last compared version; null if none is. */
  after: SourceMarker | null;
  isDone: boolean;
}

class ReconcilingSlice {
  failure: Error | null = null;
  isMissing = false;
  isElsewhere = false;
  readonly #context: ReconciliationContext;
  readonly #stored: SourceReconciliation;
  readonly #slicing: Slicing;
  readonly #concurrency: AdaptiveConcurrency;
  readonly #gaps = new KnownGaps();
  readonly #pages = new Map<number, ReconciledPage>();
  readonly #endsAtMs: number;
  #nextPage: number;
  #steps = 0;

  constructor(context: ReconciliationContext, stored: SourceReconciliation, slicing: Slicing) {
    this.#context = context;
    this.#stored = stored;
    this.#slicing = slicing;
    this.#concurrency = createAdaptiveConcurrency(
      {
        now: () => performance.now(),
        random: Math.random,
        wait: slicing.wait,
        signal: slicing.signal(),
      },
      FIRST_LIMIT,
    );
    this.#nextPage = stored.page;
    this.#endsAtMs = performance.now() + slicing.maxMs;
  }

  run(): Promise<void> {
    return runConcurrently(this.#concurrency, () => {
      if (this.#nextPage >= this.#context.pages || !this.#mayContinue()) return undefined;
      const page = this.#nextPage;
      this.#nextPage += 1;
      return () => this.#comparePage(page).catch((error: unknown) => this.#fail(error));
    });
  }

  /** The state after the compared pages, and after the compared part of the page behind them. */
  fold(): SourceReconciliation {
    const counted = new GroupSums(this.#stored.counted);
    const isKnown = this.#context.seen?.keepsVersions !== null;
    let { page, after, hasMigrated, holdsKeys } = this.#stored;
    let progress = this.#pages.get(page);
    while (progress) {
      counted.add(progress.counted.list());
      hasMigrated ||= progress.hasMigrated;
      holdsKeys ||= progress.holdsKeys;
      ({ after } = progress);
      if (!progress.isDone) break;
      after = null;
      page += 1;
      progress = this.#pages.get(page);
    }
    const outcome = page >= this.#context.pages ? 'compared' : null;
    holdsKeys ||= isKnown ? false : null;
    const compared = { counted: counted.list(), holdsKeys, hasMigrated };
    return { ...this.#stored, ...compared, page, after, outcome };
  }

  /** At least one page is compared, so that every slice makes progress. */
  #mayContinue(): boolean {
    if (this.failure !== null || this.isMissing || this.isElsewhere) return false;
    if (this.#slicing.signal().aborted) return false;
    return this.#steps === 0 || performance.now() < this.#endsAtMs;
  }

  #fail(error: unknown): void {
    if (error instanceof StoreError && error.failure === 'bucket_missing') this.isMissing = true;
    else this.failure ??= error instanceof Error ? error : new Error(String(error));
  }

  async #comparePage(index: number): Promise<void> {
    const { manifests } = this.#context;
    const { page, after } = this.#stored;
    const migrated = await manifests.migrated(roundId(this.#stored), index);
    const entries = migrated?.entries ?? [];
    const comparedTo = index === page ? after : null;
    const progress: ReconciledPage = {
      counted: new GroupSums([], this.#context.minSizes),
      hasMigrated: entries.length > 0,
      holdsKeys: false,
      after: comparedTo,
      isDone: false,
    };
    this.#pages.set(index, progress);
    const from = comparedTo ?? startOf(migrated);
    await this.#compare(new PageComparison(entries, from), progress);
    this.#steps += 1;
  }

  async #compare(comparison: PageComparison, progress: ReconciledPage): Promise<void> {
    for (;;) {
      const { listAfter, lastKey } = comparison;
      if (listAfter === undefined || lastKey === undefined) break;
      if (this.#gaps.covers(listAfter, lastKey)) break;
      if (!this.#mayContinue()) return;
      const listed = await this.#list(listAfter);
      if (!listed) return;
      this.#steps += 1;
      this.#gaps.note(listAfter, listed);
      const { seen } = this.#context;
      if (seen === null) {
        this.isElsewhere = true;
        return;
      }
      const { unchanged, isAny } = comparison.take(listed);
      progress.holdsKeys ||= isAny;
      await this.#count(unchanged, progress, seen.prefixes);
      progress.after = listed.next ?? { key: lastKey, versionId: null };
    }
    progress.isDone = true;
  }

  async #count(
    unchanged: readonly SourceObject[],
    progress: ReconciledPage,
    prefixes: ReadonlySet<string>,
  ): Promise<void> {
    const { earlier, ageBandOf } = this.#context;
    for (const object of unchanged) {
      let isNew = true;
      for (const search of earlier) isNew &&= !isSame(object, await search(object.key));
      if (isNew) progress.counted.count(object, prefixes, ageBandOf);
    }
  }

  /** Undefined if the slice ends before the store answers. */
  #list(after: SourceMarker | null): Promise<ListPage | undefined> {
    const { bucket, seen } = this.#context;
    const request = { after, workedBefore: this.#steps > 0 };
    return this.#concurrency.request(
      () => (seen?.keepsVersions ? bucket.listVersions(request) : bucket.listObjects(request)),
      () => this.#mayContinue(),
    );
  }
}

function startOf(page: MigratedPage | undefined): SourceMarker | null {
  return page?.after ? { key: page.after, versionId: null } : null;
}
