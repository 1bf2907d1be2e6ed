import { compareKeys } from '../inventory/key-order.ts';
import type { ListedObject } from '../inventory/segment.ts';
import type { ManifestEntry } from './object-ledger.ts';

/** An object as it was at the source when it was copied. */
export type CopiedSource = Pick<ManifestEntry, 'key' | 'etag' | 'sizeBytes'>;

/** A version of an object, or a delete marker, of the source as it is listed now. */
export interface SourceObject extends ListedObject {
  readonly etag: string;
  readonly kind: 'current' | 'old_version' | 'delete_marker';
}

/** Where a listing continues: after that version of the key, or after all of them. */
export interface SourceMarker {
  readonly key: string;
  readonly versionId: string | null;
}

/** A contiguous run of the source's keys, in order. */
export interface SourceKeys {
  readonly entries: readonly SourceObject[];
  /** The last of them; null: no keys follow. */
  readonly next: SourceMarker | null;
}

/** What a listing still has of the copied keys. */
export interface HeldKeys {
  /** The copied objects that are unchanged. */
  readonly unchanged: readonly SourceObject[];
  /** Whether a copied key is there, in any version or with any content. */
  readonly isAny: boolean;
}

/**
 * Compares one page of a manifest with the source, which may need several listing requests. Usually
 * one is enough; long runs of keys that the page does not hold are skipped.
 */
export class PageComparison {
  readonly #copied: ReadonlyMap<string, CopiedSource>;
  readonly #keys: readonly string[];
  #next = 0;
  #listedTo: SourceMarker | null;

  /** `entries` in the order of their keys; those up to `after` are compared already. */
  constructor(entries: readonly CopiedSource[], after: SourceMarker | null) {
    const left = entries.filter(({ key }) => after === null || !isPastMarker(key, after));
    this.#copied = new Map(left.map((entry) => [entry.key, entry]));
    this.#keys = left.map(({ key }) => key);
    this.#listedTo = after;
  }

  /** The source is listed after it next; null: from the first key; undefined: all is compared. */
  get listAfter(): SourceMarker | null | undefined {
    const key = this.#keys[this.#next];
    if (key === undefined) return undefined;
    const marker = { key: withoutLastCharacter(key), versionId: null };
    if (this.#listedTo === null) return marker.key === '' ? null : marker;
    return compareKeys(marker.key, this.#listedTo.key) > 0 ? marker : this.#listedTo;
  }

  get lastKey(): string | undefined {
    return this.#keys.at(-1);
  }

  /** Takes the keys listed after `listAfter`. */
  take({ entries, next }: SourceKeys): HeldKeys {
    if (next === null) this.#next = this.#keys.length;
    else {
      this.#listedTo = next;
      for (;;) {
        const key = this.#keys[this.#next];
        if (key === undefined || !isPastMarker(key, next)) break;
        this.#next += 1;
      }
    }
    const held = entries.filter(
      ({ key, kind }) => kind !== 'delete_marker' && this.#copied.has(key),
    );
    const unchanged = held.filter(
      (object) => object.kind === 'current' && isSame(object, this.#copied.get(object.key)),
    );
    return { unchanged, isAny: held.length > 0 };
  }
}

/** Whether a listing has passed all versions of the key. */
function isPastMarker(key: string, { key: last, versionId }: SourceMarker): boolean {
  const order = compareKeys(key, last);
  return order < 0 || (order === 0 && versionId === null);
}

/** Whether an object is the copied one; an object rewritten with other bytes is another one. */
export function isSame(object: SourceObject, copied: CopiedSource | undefined): boolean {
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

  note(after: SourceMarker | null, { entries, next }: SourceKeys): void {
    const first = entries[0]?.key ?? null;
    const last = entries.at(-1)?.key ?? null;
    this.#gaps = [
      { after: after?.key ?? null, before: first },
      ...(next === null && last !== null ? [{ after: last, before: null }] : []),
    ];
  }

  /** Whether no key follows `after` up to and including `last`. */
  covers(after: SourceMarker | null, last: string): boolean {
    // Versions of the key itself may follow.
    if (after !== null && after.versionId !== null) return false;
    return this.#gaps.some(
      (gap) =>
        (gap.after === null || (after !== null && compareKeys(gap.after, after.key) <= 0)) &&
        (gap.before === null || compareKeys(last, gap.before) < 0),
    );
  }
}
