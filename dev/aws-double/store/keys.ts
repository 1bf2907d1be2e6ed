import { createHash } from 'node:crypto';

/**
 * Orders strings by their UTF-8 bytes, which is how S3 lists. JavaScript's own order differs where a
 * surrogate pair (beyond the BMP) meets a character from U+E000 to U+FFFF: the pair's code units are
 * smaller, its bytes larger.
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const unitA = a.charCodeAt(at);
    const unitB = b.charCodeAt(at);
    if (unitA !== unitB) return rank(unitA) - rank(unitB);
  }
  return a.length - b.length;
}

/** An order of listings. */
export interface KeyOrder {
  compare(a: string, b: string): number;
  /** Sorts keys that are in UTF-8 order. */
  arrange(keys: readonly string[]): readonly string[];
}

/** S3's order. */
export const UTF8_ORDER: KeyOrder = { compare: compareUtf8, arrange: (keys) => keys };

/**
 * The order of keys that are encrypted folder by folder, with a hash for the cipher: what a folder
 * holds stays together, and a folder precedes what it holds.
 */
export const CIPHERTEXT_ORDER: KeyOrder = {
  compare: (a, b) => compareUtf8(encrypt(a), encrypt(b)),
  arrange: (keys) =>
    keys
      .map((key) => ({ key, text: encrypt(key) }))
      .sort((a, b) => compareUtf8(a.text, b.text))
      .map(({ key }) => key),
};

/** The slash sorts below all digits of a hash. */
function encrypt(key: string): string {
  return key
    .split('/')
    .map((name) => (name === '' ? '' : createHash('sha256').update(name).digest('hex')))
    .join('/');
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** The first position from `start` on for which a monotone test holds; `count` if it never does. */
export function firstPosition(
  start: number,
  count: number,
  holds: (position: number) => boolean,
): number {
  let low = start;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * A map that knows the order of its keys. New keys are collected and merged when the order is next
 * asked for, so that many writes followed by a listing cost one sort of the new keys.
 */
export function createSortedMap<T>() {
  const values = new Map<string, T>();
  let sorted: readonly string[] = [];
  let added: string[] = [];
  return {
    get: (key: string): T | undefined => values.get(key),
    delete: (key: string): boolean => values.delete(key),
    set(key: string, value: T): void {
      if (!values.has(key)) added.push(key);
      values.set(key, value);
    },
    /** In UTF-8 order, including some that were deleted. */
    keys(): readonly string[] {
      if (added.length > 0) {
        const kept = sorted.filter((key) => values.has(key));
        sorted = merge(kept, isSorted(added) ? added : added.sort(compareUtf8));
      }
      added = [];
      return sorted;
    },
  };
}

function isSorted(keys: readonly string[]): boolean {
  return keys.every((key, at) => at === 0 || compareUtf8(keys[at - 1] ?? '', key) < 0);
}

/** Merges two sorted lists; a key that was deleted and set again is in both. */
function merge(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.length === 0) return [...new Set(b)];
  const merged: string[] = [];
  let atB = 0;
  for (const key of a) {
    for (let next = b[atB]; next !== undefined && compareUtf8(next, key) <= 0; next = b[atB]) {
      if (next !== key && next !== merged.at(-1)) merged.push(next);
      atB += 1;
    }
    merged.push(key);
  }
  return [...merged, ...new Set(b.slice(atB))];
}
