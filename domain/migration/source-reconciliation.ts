import { REST_PREFIX } from '../inventory/bands.ts';
import type { AgeBandOf } from '../inventory/classify.ts';
import type { Group } from '../inventory/inventory.ts';
import { compareKeys } from '../inventory/key-order.ts';
import type { ListedObject } from '../inventory/segment.ts';
import {
  addStatistics,
  countObject,
  emptyStatistics,
  type Mutable,
} from '../inventory/statistics.ts';
import type { ManifestEntry } from './object-ledger.ts';

/** What a migration has copied, held against what the source lists by now. */

/** An object as it was at the source when it was copied. */
export type CopiedObject = Pick<ManifestEntry, 'key' | 'etag' | 'sizeBytes'>;

/** An object of the source as it is listed now. */
export interface SourceObject extends ListedObject {
  readonly etag: string;
}

/** Some keys of the source in their order, without a gap between them. */
export interface SourceKeys {
  readonly entries: readonly SourceObject[];
  /** The last of them; null: there are no keys behind them. */
  readonly next: { readonly key: string } | null;
}

/**
 * One page of a manifest on its way through the source. Mostly one request is enough; long stretches
 * of other keys that came to lie between the page's own are stepped over.
 */
export class PageComparison {
  readonly #copied: ReadonlyMap<string, CopiedObject>;
  readonly #keys: readonly string[];
  #next = 0;
  #listedTo: string | null;

  /** `entries` in the order of their keys; those up to `after` are compared already. */
  constructor(entries: readonly CopiedObject[], after: string | null) {
    const left = entries.filter(({ key }) => after === null || compareKeys(key, after) > 0);
    this.#copied = new Map(left.map((entry) => [entry.key, entry]));
    this.#keys = left.map(({ key }) => key);
    this.#listedTo = after;
  }

  /** Behind which key the source is to be listed, null: from the first; undefined: all is compared. */
  get listAfter(): string | null | undefined {
    const key = this.#keys[this.#next];
    if (key === undefined) return undefined;
    const before = withoutLastCharacter(key);
    if (this.#listedTo === null) return before === '' ? null : before;
    return compareKeys(before, this.#listedTo) > 0 ? before : this.#listedTo;
  }

  get lastKey(): string | undefined {
    return this.#keys.at(-1);
  }

  /** Takes what was listed behind `listAfter`; returns what of it was copied and is the same still. */
  take({ entries, next }: SourceKeys): readonly SourceObject[] {
    if (next === null) this.#next = this.#keys.length;
    else {
      this.#listedTo = next.key;
      for (;;) {
        const key = this.#keys[this.#next];
        if (key === undefined || compareKeys(key, next.key) > 0) break;
        this.#next += 1;
      }
    }
    return entries.filter((object) => isSame(object, this.#copied.get(object.key)));
  }
}

/** Whether an object is the one that was copied: written again with other bytes, it is another. */
export function isSame(object: SourceObject, copied: CopiedObject | undefined): boolean {
  return copied?.etag === object.etag && copied.sizeBytes === object.sizeBytes;
}

/** A key that stands before the given one with next to nothing between them. */
function withoutLastCharacter(key: string): string {
  const last = key.charCodeAt(key.length - 1);
  const isPair = last >= 0xdc00 && last <= 0xdfff;
  return key.slice(0, isPair ? -2 : -1);
}

/** Stretches of a bucket in which the listing before found nothing: nobody needs to ask there again. */
export class KnownGaps {
  #gaps: readonly { readonly after: string | null; readonly before: string | null }[] = [];

  note(after: string | null, { entries, next }: SourceKeys): void {
    const first = entries[0]?.key ?? null;
    const last = entries.at(-1)?.key ?? null;
    this.#gaps = [
      { after, before: first },
      ...(next === null && last !== null ? [{ after: last, before: null }] : []),
    ];
  }

  /** Whether there is nothing behind `after` up to and with `last`. */
  covers(after: string | null, last: string): boolean {
    return this.#gaps.some(
      (gap) =>
        (gap.after === null || (after !== null && compareKeys(gap.after, after) <= 0)) &&
        (gap.before === null || compareKeys(last, gap.before) < 0),
    );
  }
}

/** Objects that are added up as the inventory of their bucket does. */
export class HeldGroups {
  readonly #groups = new Map<string, Mutable<Group>>();

  constructor(groups: readonly Group[] = []) {
    this.add(groups);
  }

  /** `kept`: the prefixes that the inventory tells apart. */
  count(object: SourceObject, kept: ReadonlySet<string>, ageBandOf: AgeBandOf): void {
    const { key, sizeBytes, storageClass, lastModified } = object;
    const segment = key.slice(0, key.indexOf('/') + 1);
    const prefix = kept.has(segment) ? segment : REST_PREFIX;
    countObject(this.#find({ prefix, storageClass, ageBand: ageBandOf(lastModified) }), sizeBytes);
  }

  add(groups: readonly Group[]): void {
    for (const group of groups) addStatistics(this.#find(group), group);
  }

  list(): readonly Group[] {
    return [...this.#groups.values()];
  }

  #find({ prefix, storageClass, ageBand }: Omit<Group, keyof ReturnType<typeof emptyStatistics>>) {
    const name = `${ageBand} ${storageClass} ${prefix}`;
    const known = this.#groups.get(name);
    if (known) return known;
    const group = { prefix, storageClass, ageBand, ...emptyStatistics() };
    this.#groups.set(name, group);
    return group;
  }
}
