/**
 * Orders keys by their UTF-8 bytes, which is how S3 lists. JavaScript's own order differs where a
 * surrogate pair meets a character from U+E000 to U+FFFF: the pair's units are smaller, its bytes
 * larger.
 */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const unitA = a.charCodeAt(at);
    const unitB = b.charCodeAt(at);
    if (unitA !== unitB) return rank(unitA) - rank(unitB);
  }
  return a.length - b.length;
}

/** The same order, with what has no key first. */
export function compareNullable(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return compareKeys(a, b);
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Whether a key comes after another one; null: every key does. */
export function isBehind(key: string, after: string | null): boolean {
  return after === null || compareKeys(key, after) > 0;
}
