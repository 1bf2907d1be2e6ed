/** The characters that keys may have at one position, in order. */
export type Alphabet = readonly string[];

const CLASSES = ['0123456789', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'];

/**
 * The characters at one position of the keys. A digit or an ASCII letter brings its whole class.
 */
export function alphabetOf(keys: readonly string[], at: number): Alphabet {
  const found = new Set<string>();
  for (const key of keys) {
    const code = key.codePointAt(at);
    if (code === undefined || (code >= 0xd800 && code < 0xe000)) continue;
    const character = String.fromCodePoint(code);
    for (const other of CLASSES.find((members) => members.includes(character)) ?? character)
      found.add(other);
  }
  return [...found].sort((a, b) => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0));
}

/**
 * The relative position of a key among all strings over the alphabets, from 0 to 1: its characters
 * from `from` on are the digits of a fraction.
 */
export function shareOf(key: string, from: number, alphabets: readonly Alphabet[]): number {
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

/** The shortest text whose relative position is `share`, within the tolerance: the inverse of `shareOf`. */
export function spell(share: number, tolerance: number, alphabets: readonly Alphabet[]): string {
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
