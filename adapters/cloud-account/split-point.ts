import { compareKeys } from '../../domain/inventory/key-order.ts';
import type { KeyRange } from './key-ranges.ts';
import { commonLength, wholeCharacters, type KeyShape } from './key-shape.ts';

/** Where a range may be split, and how many entries it may still contain. */
export interface SplitPoint {
  /** Above the range's cursor and below its end. */
  readonly splitKey: string;
  /** Estimated entries that are not listed yet. */
  readonly remaining: number;
}

/** Sorts after every key with the same prefix. */
const HIGHEST = '\u{10FFFF}';
/** The maximum of S3, for `start-after` too. */
const MAX_KEY_BYTES = 1024;
/** The estimate if nothing is known: enough for a request, less than a known range. */
const UNKNOWN_REMAINDER = 50_000;
const BEYOND_CLASS_REMAINDER = 20_000;
/** A range with fewer entries is not split. */
const MIN_ENTRIES = 4000;
/** The characters of a key that count for its relative position. */
const POSITION_CHARACTERS = 16;

/**
 * Estimates the middle of the rest of a range from the keys seen so far.
 *
 * All remaining keys begin with the common prefix of the cursor and the range's end. Between that
 * length and the length at which the latest page's keys differ, the split point is at the first
 * known place (where keys of other ranges differ): in the middle of the remaining characters, or
 * after their class (digits, capitals, small letters) if none remain. Without a known place it is
 * after the cursor's own prefix, halving the lengths: if no key follows, the end moves down and all
 * shorter prefixes are decided; if one does, a place is known. The last range has no known end, so
 * this search also covers the lengths below the known places.
 *
 * @returns undefined if a split is not worth a request, or is impossible
 */
export function findSplitPoint(
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
  const forked = levels[0] ?? differing;
  const unknown = wholeCharacters(key, Math.floor((settled + forked) / 2));
  if ((levels.length === 0 || isLast) && unknown < forked)
    return pointWithin(range, abovePrefix(key, unknown), UNKNOWN_REMAINDER);
  for (const level of [...levels, differing]) {
    const point = middleAt(range, level, shape);
    if (point) return point;
  }
  return undefined;
}

function pointWithin(range: KeyRange, splitKey: string, remaining: number): SplitPoint | undefined {
  const { cursor, upTo } = range;
  if (remaining < MIN_ENTRIES || Buffer.byteLength(splitKey) > MAX_KEY_BYTES) return undefined;
  if (cursor !== null && compareKeys(splitKey, cursor.key) <= 0) return undefined;
  if (upTo !== null && compareKeys(splitKey, upTo) >= 0) return undefined;
  return { splitKey, remaining };
}

function middleAt(range: KeyRange, level: number, shape: KeyShape): SplitPoint | undefined {
  const key = range.cursor?.key ?? '';
  const prefix = key.slice(0, level);
  const end = knownEnd(range, level);
  const above = end === undefined ? shape.highestAbove(key, level) : undefined;
  const samples = [key, range.pageFirst, range.first, end, above && prefix + above].filter(
    (sample): sample is string => sample?.startsWith(prefix) === true,
  );
  const alphabets = Array.from({ length: POSITION_CHARACTERS }, (_unused, at) =>
    knownAlphabet(samples, level + at),
  );
  const share = (text: string): number => keyShare(text, level, alphabets);
  const here = share(key);
  const endShare = shareAtEnd(prefix, end, above, share);
  const first = range.pageFirst?.startsWith(prefix) ? share(range.pageFirst) : 0;
  const remaining = ((endShare - here) * range.pageEntries) / Math.max(here - first, 1e-9);
  const highest = alphabets[0]?.at(-1);
  if (end === undefined && remaining < MIN_ENTRIES && highest !== undefined)
    return pointWithin(
      range,
      prefix + highest + HIGHEST,
      BEYOND_CLASS_REMAINDER / 4 ** range.misses,
    );
  const middle = textAtShare((here + endShare) / 2, (endShare - here) / 8, alphabets);
  return pointWithin(range, prefix + middle, remaining);
}

/** The range's end, if it bounds the characters at this place. */
function knownEnd({ cursor, upTo }: KeyRange, level: number): string | undefined {
  const key = cursor?.key ?? '';
  if (upTo === null || upTo.length <= level || upTo.startsWith(HIGHEST, level)) return undefined;
  return upTo.startsWith(key.slice(0, level)) ? upTo : undefined;
}

function shareAtEnd(
  prefix: string,
  end: string | undefined,
  above: string | undefined,
  share: (text: string) => number,
): number {
  if (end !== undefined) return share(end);
  return above === undefined ? 1 : share(prefix + above + HIGHEST);
}

function abovePrefix(key: string, level: number): string {
  const character = String.fromCodePoint(key.codePointAt(level) ?? 0);
  return key.slice(0, level) + character + HIGHEST;
}

/** The characters that keys may have at one position, in order. */
type Alphabet = readonly string[];

const CLASSES = ['0123456789', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'];

/**
 * The characters at one position of the keys. A digit or an ASCII letter brings its whole class.
 */
function knownAlphabet(keys: readonly string[], at: number): Alphabet {
  const characters = new Set<string>();
  for (const key of keys) {
    const code = key.codePointAt(at);
    if (code === undefined || (code >= 0xd800 && code < 0xe000)) continue;
    const character = String.fromCodePoint(code);
    for (const other of CLASSES.find((members) => members.includes(character)) ?? character)
      characters.add(other);
  }
  return [...characters].sort((a, b) => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0));
}

/**
 * The relative position of a key among all strings over the alphabets, from 0 to 1: its characters
 * from `from` on are the digits of a fraction.
 */
function keyShare(key: string, from: number, alphabets: readonly Alphabet[]): number {
  let share = 0;
  let width = 1;
  let at = from;
  for (const alphabet of alphabets) {
    const code = key.codePointAt(at);
    if (code === undefined || alphabet.length === 0) break;
    const below = alphabet.findIndex((character) => (character.codePointAt(0) ?? 0) >= code);
    const isMember = below >= 0 && alphabet[below]?.codePointAt(0) === code;
    width /= alphabet.length;
    share += (below < 0 ? alphabet.length : below) * width;
    if (!isMember) break;
    at += code > 0xffff ? 2 : 1;
  }
  return Math.min(share, 1);
}

/** The shortest text at the position `share`, within the tolerance; inverts `keyShare`. */
function textAtShare(share: number, tolerance: number, alphabets: readonly Alphabet[]): string {
  let text = '';
  let left = share;
  let width = 1;
  for (const alphabet of alphabets) {
    if (alphabet.length === 0) break;
    width /= alphabet.length;
    const at = Math.min(alphabet.length - 1, Math.floor(left / width + 1e-9));
    text += alphabet[at] ?? '';
    left -= at * width;
    if (left <= tolerance) break;
  }
  return text;
}
