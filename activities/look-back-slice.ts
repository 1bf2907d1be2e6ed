import type { BucketReader } from '../adapters/cloud-account/account-reader.ts';
import {
  createAdaptiveConcurrency,
  FIRST_LIMIT,
  type AdaptiveConcurrency,
} from '../adapters/object-store/adaptive-concurrency.ts';
import type { ListPage } from '../adapters/object-store/list-answers.ts';
import type { Manifests } from '../adapters/mongo/manifests.ts';
import type { LookBackWork } from '../adapters/mongo/scan-look-backs.ts';
import { StoreError } from '../adapters/object-store/errors.ts';
import {
  HeldGroups,
  isSame,
  KnownGaps,
  PageComparison,
  type SourceObject,
} from '../domain/migration/look-back.ts';
import type { AgeBandOf } from '../domain/scan/classify.ts';
import type { SliceDeps } from './bucket-slice.ts';
import type { CarriedSearch } from './carried-search.ts';

/** What there is to know of a migration before its source is listed. */
export interface LookBackTerms {
  readonly bucket: Pick<BucketReader, 'listObjects'>;
  readonly manifests: Pick<Manifests, 'carried'>;
  readonly pages: number;
  /** Earlier migrations that may have carried the same objects. */
  readonly earlier: readonly CarriedSearch[];
  /** The prefixes that the bucket's inventory tells apart; null: the scan has not read the bucket. */
  readonly kept: ReadonlySet<string> | null;
  readonly ageBandOf: AgeBandOf;
}

/** What a slice came to. */
export interface LookedBack {
  readonly work: LookBackWork;
  /** What may pass if it is tried again later; null: nothing is wrong. */
  readonly failure: StoreError | null;
}

/** How often a listing is asked for before its refusal counts as an answer. */
const MAX_ATTEMPTS = 8;

/**
 * Compares a migration's manifest with its source on, for a while: several pages side by side, each
 * by the range of keys that it spans. A bucket that is gone holds nothing; one that the scan has not
 * read is only asked whether it is gone.
 *
 * @throws RoleRefusedError, and whatever is not the store's doing.
 */
export async function lookBackOn(
  terms: LookBackTerms,
  before: LookBackWork,
  deps: SliceDeps,
): Promise<LookedBack> {
  const slice = new Slice(terms, before, deps);
  await slice.run();
  const { failure } = slice;
  if (slice.isGone) {
    const gone = { ...before, after: null, hasCarried: true, held: [], counted: [] };
    return { work: { ...gone, outcome: 'compared' }, failure: null };
  }
  if (failure && !(failure instanceof StoreError)) throw failure;
  const work = slice.fold();
  if (slice.isElsewhere || (failure && !failure.isTransient)) {
    return { work: { ...work, after: null, outcome: 'unknown' }, failure: null };
  }
  const isFurther = work.page > before.page || work.after !== before.after;
  return { work, failure: isFurther ? null : failure };
}

/** How far one page has come. */
interface PageLook {
  readonly held: HeldGroups;
  readonly counted: HeldGroups;
  readonly hasCarried: boolean;
  /** Null where nothing of it is compared. */
  after: string | null;
  isDone: boolean;
}

class Slice {
  failure: Error | null = null;
  isGone = false;
  isElsewhere = false;
  readonly #terms: LookBackTerms;
  readonly #before: LookBackWork;
  readonly #deps: SliceDeps;
  readonly #pace: AdaptiveConcurrency;
  readonly #gaps = new KnownGaps();
  readonly #looks = new Map<number, PageLook>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #endsAtMs: number;
  #nextPage: number;
  #steps = 0;

  constructor(terms: LookBackTerms, before: LookBackWork, deps: SliceDeps) {
    this.#terms = terms;
    this.#before = before;
    this.#deps = deps;
    this.#pace = createAdaptiveConcurrency(
      { now: () => performance.now(), random: Math.random },
      FIRST_LIMIT,
    );
    this.#nextPage = before.page;
    this.#endsAtMs = performance.now() + deps.maxMs;
  }

  async run(): Promise<void> {
    for (;;) {
      while (this.#mayBegin()) this.#begin(this.#nextPage++);
      if (this.#underWay.size === 0) return;
      await Promise.race(this.#underWay);
    }
  }

  /** All pages from the first one on that are compared, and as much of the one after them. */
  fold(): LookBackWork {
    const held = new HeldGroups(this.#before.held);
    const counted = new HeldGroups(this.#before.counted);
    let { page, after, hasCarried } = this.#before;
    for (;;) {
      const look = this.#looks.get(page);
      if (!look) break;
      held.add(look.held.list());
      counted.add(look.counted.list());
      hasCarried ||= look.hasCarried;
      ({ after } = look);
      if (!look.isDone) break;
      after = null;
      page += 1;
    }
    const outcome = page >= this.#terms.pages ? 'compared' : null;
    const groups = { held: held.list(), counted: counted.list() };
    return { ...this.#before, ...groups, page, after, hasCarried, outcome };
  }

  #mayBegin(): boolean {
    const isLeft = this.#nextPage < this.#terms.pages;
    return isLeft && this.#underWay.size < this.#pace.limit() && this.#mayGoOn();
  }

  /** One page at least is looked at, so that every slice comes further. */
  #mayGoOn(): boolean {
    if (this.failure !== null || this.isGone || this.isElsewhere) return false;
    if (this.#deps.signal().aborted) return false;
    return this.#steps === 0 || performance.now() < this.#endsAtMs;
  }

  #begin(page: number): void {
    const task: Promise<void> = this.#look(page)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => this.#underWay.delete(task));
    this.#underWay.add(task);
  }

  #fail(error: unknown): void {
    if (error instanceof StoreError && error.failure === 'bucket_missing') this.isGone = true;
    else this.failure ??= error instanceof Error ? error : new Error(String(error));
  }

  async #look(index: number): Promise<void> {
    const { manifests } = this.#terms;
    const { migrationId, page, after } = this.#before;
    const carried = await manifests.carried(migrationId, index);
    const entries = carried?.entries ?? [];
    const comparedTo = index === page ? after : null;
    const look: PageLook = {
      held: new HeldGroups(),
      counted: new HeldGroups(),
      hasCarried: entries.length > 0,
      after: comparedTo,
      isDone: false,
    };
    this.#looks.set(index, look);
    const from = comparedTo ?? carried?.after ?? null;
    await this.#compare(new PageComparison(entries, from), look);
    this.#steps += 1;
  }

  async #compare(comparison: PageComparison, look: PageLook): Promise<void> {
    for (;;) {
      const { listAfter, lastKey } = comparison;
      if (listAfter === undefined || lastKey === undefined) break;
      if (this.#gaps.covers(listAfter, lastKey)) break;
      if (!this.#mayGoOn()) return;
      const listed = await this.#list(listAfter);
      if (!listed) return;
      this.#steps += 1;
      this.#gaps.note(listAfter, listed);
      if (this.#terms.kept === null) {
        this.isElsewhere = true;
        return;
      }
      await this.#count(comparison.take(listed), look, this.#terms.kept);
      look.after = listed.next?.key ?? lastKey;
    }
    look.isDone = true;
  }

  async #count(
    held: readonly SourceObject[],
    look: PageLook,
    kept: ReadonlySet<string>,
  ): Promise<void> {
    const { earlier, ageBandOf } = this.#terms;
    for (const object of held) {
      look.held.count(object, kept, ageBandOf);
      let isNew = true;
      for (const search of earlier) isNew &&= !isSame(object, await search(object.key));
      if (isNew) look.counted.count(object, kept, ageBandOf);
    }
  }

  /** Undefined where the slice ends before there is an answer. */
  async #list(after: string | null): Promise<ListPage | undefined> {
    const marker = after === null ? null : { key: after, versionId: null };
    const request = { after: marker, workedBefore: this.#steps > 0 };
    for (let attempt = 1; ; attempt += 1) {
      const sentAtMs = performance.now();
      try {
        const page = await this.#terms.bucket.listObjects(request);
        this.#pace.succeeded();
        return page;
      } catch (error) {
        const isTransient = error instanceof StoreError && error.isTransient;
        if (!isTransient || attempt === MAX_ATTEMPTS) throw error;
        this.#pace.refused(sentAtMs, attempt);
      }
      await this.#deps.wait(this.#pace.pauseMs(), this.#deps.signal());
      if (!this.#mayGoOn()) return undefined;
    }
  }
}
