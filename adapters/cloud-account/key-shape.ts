/** More than any naming scheme has; a bound for buckets without one. */
const MAX_PLACES = 256;

/**
 * The places at which the keys of a bucket differ. A place is a path segment and a position in it,
 * because the directories of a bucket mostly have the same form: where one has `2024/07/` and
 * `2024/12/`, another year has too.
 */
export class KeyShape {
  /** The highest code point seen at each place. */
  readonly #highest = new Map<string, number>();

  /** Records the place at which two keys begin to differ. */
  learnFork(a: string, b: string): void {
    const level = commonLength(a, b);
    if (level >= a.length || level >= b.length || this.#highest.size >= MAX_PLACES) return;
    const place = characterRank(a, level);
    if (!this.#highest.has(place)) this.#highest.set(place, 0);
    this.learnKey(a);
    this.learnKey(b);
  }

  /** Records the characters of a key at the known places. */
  learnKey(key: string): void {
    for (const { level, place } of this.#placesIn(key, 0, key.length)) {
      const code = key.codePointAt(level) ?? 0;
      if (code > (this.#highest.get(place) ?? 0)) this.#highest.set(place, code);
    }
  }

  /** The positions of a key, from one length to another, at known places. */
  levelsIn(key: string, from: number, to: number): number[] {
    return this.#placesIn(key, from, to).map(({ level }) => level);
  }

  /** The highest character seen at this place, if it is above the key's own. */
  highestAbove(key: string, level: number): string | undefined {
    const code = this.#highest.get(characterRank(key, level)) ?? 0;
    return code > (key.codePointAt(level) ?? 0) ? String.fromCodePoint(code) : undefined;
  }

  #placesIn(key: string, from: number, to: number): { level: number; place: string }[] {
    const places: { level: number; place: string }[] = [];
    if (this.#highest.size === 0) return places;
    for (let level = wholeCharacters(key, from); level <= to && level < key.length; level += 1) {
      const place = characterRank(key, level);
      if (this.#highest.has(place)) places.push({ level, place });
    }
    return places;
  }
}

/** The length of the common prefix of two keys, without half a surrogate pair. */
export function commonLength(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return wholeCharacters(a, at);
}

/** The same position, or the one before it if it would split a surrogate pair. */
export function wholeCharacters(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}

function characterRank(key: string, level: number): string {
  let segment = 0;
  let start = 0;
  for (let at = key.indexOf('/'); at >= 0 && at < level; at = key.indexOf('/', at + 1)) {
    segment += 1;
    start = at + 1;
  }
  return `${segment}:${level - start}`;
}
