/**
 * Characters that end a line, move a cursor or reverse the writing direction: the C0 and C1
 * controls, DEL, the line and paragraph separators, and the bidirectional marks
 * (https://trojansource.codes).
 */
const UNSHOWABLE = String.raw`[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]`;
const EACH_UNSHOWABLE = new RegExp(UNSHOWABLE, 'gu');

/** Replaces each character that cannot be shown. */
export function replaceUnshowable(text: string, replace: (character: string) => string): string {
  return text.replaceAll(EACH_UNSHOWABLE, replace);
}

/** Foreign text on one line; characters that cannot be shown become `\u{1b}`. */
export function escapeText(text: string): string {
  return replaceUnshowable(text, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`);
}

/** A schedule, behind "every": `week at 03:00 UTC`. */
export function describeRule({ every, hourUtc }: { every: string; hourUtc: number }): string {
  return `${every} at ${String(hourUtc).padStart(2, '0')}:00 UTC`;
}

/** One word for bash, on one line; characters that cannot be shown are escapes that bash reads. */
export function quoteWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  const bytes = (character: string) =>
    [...new TextEncoder().encode(character)]
      .map((byte) => String.raw`\x${byte.toString(16).padStart(2, '0')}`)
      .join('');
  const escaped = word.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`);
  const shown = replaceUnshowable(escaped, bytes);
  return shown === escaped ? `'${word.replaceAll("'", String.raw`'\''`)}'` : `$'${shown}'`;
}
