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

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** The first position in `[0, count)` for which a monotone test holds; `count` where it never does. */
export function firstPosition(count: number, holds: (position: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
