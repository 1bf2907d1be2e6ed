import { compareKeys } from '../../domain/inventory/key-order.ts';
import { alphabetOf, shareOf, spell } from './alphabet.ts';
import type { KeyRange } from './key-ranges.ts';
import { commonLength, wholeCharacters, type KeyShape } from './key-shape.ts';

/** Where a range may be cut, and how much may lie in it. */
export interface SplitPoint {
  /** Above the range's cursor and below its end. */
  readonly behind: string;
  /** A guess of the entries that are not listed yet. */
  readonly remaining: number;
}

/** Behind every key that begins with what stands before it. */
const HIGHEST = '\u{10FFFF}';
/** S3 takes no longer ones, as a place to begin neither. */
const MAX_KEY_BYTES = 1024;
/** What is taken to lie where nothing is known: enough to look, less than what is known to be there. */
const UNKNOWN_REMAINDER = 50_000;
const BEYOND_CLASS_REMAINDER = 20_000;
/** Below this a range is not worth cutting. */
const WORTHWHILE_ENTRIES = 4000;
/** Characters of a key that tell how far along it stands. */
const WEIGHED_CHARACTERS = 16;

/**
 * Guesses the middle of what is left of a range, from the keys that were seen.
 *
 * All keys to come begin with what the cursor and the range's end have in common. From that length
 * up to the one where the latest page's keys differ, the cut goes to the first place where keys of
 * other ranges were seen to differ, in the middle of the characters that are left there, or behind
 * their class (digits, capitals, small letters) where these are used up. Where no place is known,
 * it goes behind the cursor's own prefix, half of these lengths at a time: if nothing lies behind
 * it, the end comes down and all shorter prefixes are settled; if something does, a place is known.
 * The last range, behind which nobody has looked, is searched so below the known places too.
 *
 * @returns undefined where cutting is not worth a request, or cannot be done
 */
export function splitPointOf(
  range: KeyRange,
  shape: KeyShape,
  isLast: boolean,
): SplitPoint | undefined {
  const { cursor, upTo, pageFirst } = range;
  if (cursor === null || pageFirst === null) return undefined;
  const { key } = cursor;
  const settled = upTo === null ? 0 : commonLength(key, upTo);
  const differing = Math.max(settled, commonLength(pageFirst, key));
  const levels = shape.levelsIn(key, settled, differing);
  const known = levels[0] ?? differing;
  const untold = wholeCharacters(key, Math.floor((settled + known) / 2));
  if ((levels.length === 0 || isLast) && untold < known)
    return pointWithin(range, behindPrefix(key, untold), UNKNOWN_REMAINDER);
  for (const level of [...levels, differing]) {
    const point = middleAt(range, level, shape);
    if (point) return point;
  }
  return undefined;
}

function pointWithin(range: KeyRange, behind: string, remaining: number): SplitPoint | undefined {
  const { cursor, upTo } = range;
  if (remaining < WORTHWHILE_ENTRIES || Buffer.byteLength(behind) > MAX_KEY_BYTES) return undefined;
  if (cursor !== null && compareKeys(behind, cursor.key) <= 0) return undefined;
  if (upTo !== null && compareKeys(behind, upTo) >= 0) return undefined;
  return { behind, remaining };
}

function middleAt(range: KeyRange, level: number, shape: KeyShape): SplitPoint | undefined {
  const key = range.cursor?.key ?? '';
  const prefix = key.slice(0, level);
  const end = knownEnd(range, level);
  const above = end === undefined ? shape.highestAbove(key, level) : undefined;
  const samples = [key, range.pageFirst, range.first, end, above && prefix + above].filter(
    (sample): sample is string => sample?.startsWith(prefix) === true,
  );
  const alphabets = Array.from({ length: WEIGHED_CHARACTERS }, (_unused, at) =>
    alphabetOf(samples, level + at),
  );
  const share = (text: string): number => shareOf(text, level, alphabets);
  const here = share(key);
  const endShare = endShareOf(prefix, end, above, share);
  const first = range.pageFirst?.startsWith(prefix) ? share(range.pageFirst) : 0;
  const remaining = ((endShare - here) * range.pageEntries) / Math.max(here - first, 1e-9);
  const highest = alphabets[0]?.at(-1);
  if (end === undefined && remaining < WORTHWHILE_ENTRIES && highest !== undefined)
    return pointWithin(
      range,
      prefix + highest + HIGHEST,
      BEYOND_CLASS_REMAINDER / 4 ** range.misses,
    );
  const middle = spell((here + endShare) / 2, (endShare - here) / 8, alphabets);
  return pointWithin(range, prefix + middle, remaining);
}

/** The range's end where it says something about the characters at this place. */
function knownEnd({ cursor, upTo }: KeyRange, level: number): string | undefined {
  const key = cursor?.key ?? '';
  if (upTo === null || upTo.length <= level || upTo.startsWith(HIGHEST, level)) return undefined;
  return upTo.startsWith(key.slice(0, level)) ? upTo : undefined;
}

function endShareOf(
  prefix: string,
  end: string | undefined,
  above: string | undefined,
  share: (text: string) => number,
): number {
  if (end !== undefined) return share(end);
  return above === undefined ? 1 : share(prefix + above + HIGHEST);
}

function behindPrefix(key: string, level: number): string {
  const character = String.fromCodePoint(key.codePointAt(level) ?? 0);
  return key.slice(0, level) + character + HIGHEST;
}
