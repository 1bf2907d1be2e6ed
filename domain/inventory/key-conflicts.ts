/**
 * Stores on file systems cannot hold an object and others below its key, `p/1` and `p/1/x`. In a
 * listing, in key order, the keys that begin with another one follow it without a gap, but not at
 * once: `p/1`, `p/1-a`, `p/1/x`.
 */

/** The keys listed so far that later ones may begin with, each the beginning of the next: 1,024. */
export type OpenKeys = readonly string[];

/** The open keys that this one begins with: no later key begins with another one. */
export function openAt(open: OpenKeys, key: string): OpenKeys {
  return open.filter((earlier) => key.startsWith(earlier));
}

/** The first key of which this one is below; undefined if there is none. */
export function keyAbove(open: OpenKeys, key: string): string | undefined {
  return open.find((earlier) => key.startsWith(`${earlier}/`));
}

/** The keys that a key is below, whether such objects exist or not: `a` and `a/b` for `a/b/c`. */
export function keysAbove(key: string): readonly string[] {
  return [...key.matchAll(/\//g)].map(({ index }) => key.slice(0, index));
}
