/** More than any bucket's naming has; a bound for one that has none. */
const MAX_PLACES = 256;

/**
 * Where the keys of a bucket were seen to differ. A place is told by its segment and how far into
 * that it is, for the directories of a bucket are mostly built alike: where one has `2024/07/` and
 * `2024/12/`, another year has too.
 */
export class KeyShape {
  /** The highest character that was seen at each place, as a code point. */
  readonly #highest = new Map<string, number>();

  /** Learns the place where two keys part. */
  learnFork(a: string, b: string): void {
    const level = commonLength(a, b);
    if (level >= a.length || level >= b.length || this.#highest.size >= MAX_PLACES) return;
    const place = placeOf(a, level);
    if (!this.#highest.has(place)) this.#highest.set(place, 0);
    this.learnKey(a);
    this.learnKey(b);
  }

  /** Learns the characters of a key at the places that are known. */
  learnKey(key: string): void {
    for (const { level, place } of this.#placesIn(key, 0, key.length)) {
      const code = key.codePointAt(level) ?? 0;
      if (code > (this.#highest.get(place) ?? 0)) this.#highest.set(place, code);
    }
  }

  /** The places of a key from one length to another at which other keys were seen to differ. */
  levelsIn(key: string, from: number, to: number): number[] {
    return this.#placesIn(key, from, to).map(({ level }) => level);
  }

  /** The highest character that was seen where this one stands, above it; undefined: none was. */
  highestAbove(key: string, level: number): string | undefined {
    const code = this.#highest.get(placeOf(key, level)) ?? 0;
    return code > (key.codePointAt(level) ?? 0) ? String.fromCodePoint(code) : undefined;
  }

  #placesIn(key: string, from: number, to: number): { level: number; place: string }[] {
    const found: { level: number; place: string }[] = [];
    if (this.#highest.size === 0) return found;
    for (let level = wholeCharacters(key, from); level <= to && level < key.length; level += 1) {
      const place = placeOf(key, level);
      if (this.#highest.has(place)) found.push({ level, place });
    }
    return found;
  }
}

/** How many units two keys have in common, surrogate pairs not cut. */
export function commonLength(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return wholeCharacters(a, at);
}

/** The same place, or the one before it where it would cut a surrogate pair. */
export function wholeCharacters(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}

function placeOf(key: string, level: number): string {
  let segment = 0;
  let start = 0;
  for (let at = key.indexOf('/'); at >= 0 && at < level; at = key.indexOf('/', at + 1)) {
    segment += 1;
    start = at + 1;
  }
  return `${segment}:${level - start}`;
}
