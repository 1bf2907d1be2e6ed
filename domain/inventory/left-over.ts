import { DAY_MS } from '../common/time.ts';

/** Whether no rule cleans up what a key left over since a time in the form of `toISOString()`. */
export type IsLeftOver = (key: string, since: string | null) => boolean;

/**
 * Tests what is left over since at least so many days before `asOf`.
 *
 * @param cleaned the prefixes of the keys that a rule of the bucket cleans up; null: the rules are
 * not known, so nothing   counts as left over
 */
export function createLeftOverTest(
  asOf: Date,
  days: number,
  cleaned: readonly string[] | null,
): IsLeftOver {
  if (cleaned === null) return () => false;
  const latest = new Date(asOf.getTime() - days * DAY_MS).toISOString();
  const isCleaned = createPrefixTest(cleaned);
  return (key, since) => since !== null && since <= latest && since > UNKNOWN && !isCleaned(key);
}

/** The time of what a store lists without a readable one. */
const UNKNOWN = new Date(0).toISOString();

/** Tests whether a key begins with one of the prefixes; a bucket's rules may have a thousand. */
export function createPrefixTest(prefixes: readonly string[]): (key: string) => boolean {
  const outermost: string[] = [];
  for (const prefix of prefixes.toSorted()) {
    const previous = outermost.at(-1);
    if (previous === undefined || !prefix.startsWith(previous)) outermost.push(prefix);
  }
  // No outermost prefix begins with another: only the last one not above the key can be its prefix.
  return (key) => {
    let low = 0;
    let high = outermost.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((outermost[middle] ?? '') <= key) low = middle + 1;
      else high = middle;
    }
    const last = outermost[low - 1];
    return last !== undefined && key.startsWith(last);
  };
}
