import { compareKeys } from '../inventory/key-order.ts';
import type { ListedObject } from '../inventory/segment.ts';
import type { ManifestEntry } from './object-ledger.ts';

/** An object as it was at the source when it was copied. */
export type CopiedObject = Pick<ManifestEntry, 'key' | 'etag' | 'sizeBytes'>;

/** An object of the source as it is listed now. */
export interface SourceObject extends ListedObject {
  readonly etag: string;
}

/** A contiguous run of the source's keys, in order. */
export interface SourceKeys {
  readonly entries: readonly SourceObject[];
  /** The last of them; null: no keys follow. */
  readonly next: { readonly key: string } | null;
}

/**
 * Compares one page of a manifest with the source, which may need several listing requests. Usually
 * one is enough; long runs of keys that the page does not hold are skipped.
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

  /** The source is listed after this key next; null: from the first key; undefined: all is compared. */
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

  /** Takes the keys listed after `listAfter`; returns the copied objects that are unchanged. */
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

/** Whether an object is the copied one; an object rewritten with other bytes is another one. */
export function isSame(object: SourceObject, copied: CopiedObject | undefined): boolean {
  return copied?.etag === object.etag && copied.sizeBytes === object.sizeBytes;
}

/** A key shortly before the given one in listing order. */
function withoutLastCharacter(key: string): string {
  const last = key.charCodeAt(key.length - 1);
  const isPair = last >= 0xdc00 && last <= 0xdfff;
  return key.slice(0, isPair ? -2 : -1);
}

/** Key ranges that the previous listing found empty and that need no further request. */
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

  /** Whether no key follows `after` up to and including `last`. */
  covers(after: string | null, last: string): boolean {
    return this.#gaps.some(
      (gap) =>
        (gap.after === null || (after !== null && compareKeys(gap.after, after) <= 0)) &&
        (gap.before === null || compareKeys(last, gap.before) < 0),
    );
  }
}
