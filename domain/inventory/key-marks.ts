import { KEY_MARKS, type KeyMark } from './inventory.ts';

/** The names of buckets and the patterns of keys by which something is left alone: `data/left-alone.json`. */
interface LeftAloneData extends Readonly<Record<KeyMark, KeyPatterns>> {
  readonly tool: {
    readonly bucketPrefixes: readonly string[];
    readonly bucketParts: readonly string[];
  };
}

/** A segment is a part of a key in front of a slash; what follows the last slash is the name. */
interface KeyPatterns {
  /** The key has one of these segments. */
  readonly segments?: readonly string[];
  /** The key ends so. */
  readonly suffixes?: readonly string[];
  /** The key ends with the suffix, and its last segment is `in`. */
  readonly lastSegment?: { readonly in: string; readonly suffix: string };
}

export interface LeftAlonePatterns {
  /** Whether a bucket of that name belongs to a tool. */
  toolOf(bucketName: string): boolean;
  /** The marks of a key as a set of bits, see `toKeyMarks`. Cheapest for keys in their order. */
  marksOf(key: string): number;
}

/** The bit of a mark is its index in `KEY_MARKS`. */
export function toKeyMarks(bits: number): KeyMark[] {
  return KEY_MARKS.filter((_mark, at) => (bits & (1 << at)) !== 0);
}

export function createLeftAlonePatterns(data: unknown): LeftAlonePatterns {
  const { tool, ...patterns } = data as LeftAloneData;
  return {
    toolOf: (name) =>
      tool.bucketPrefixes.some((prefix) => name.startsWith(prefix)) ||
      tool.bucketParts.some((part) => name.includes(part)),
    marksOf: createMarkTest(patterns),
  };
}

function createMarkTest(patterns: Readonly<Record<KeyMark, KeyPatterns>>): (key: string) => number {
  const bitOf = (mark: KeyMark) => 1 << KEY_MARKS.indexOf(mark);
  const segments = KEY_MARKS.flatMap((mark) =>
    (patterns[mark].segments ?? []).map((name) => ({ part: `/${name}/`, bit: bitOf(mark) })),
  );
  const suffixes = KEY_MARKS.flatMap((mark) => {
    const { suffixes: anywhere = [], lastSegment } = patterns[mark];
    const bit = bitOf(mark);
    const found = anywhere.map((suffix) => ({ suffix, folder: '', bit }));
    if (lastSegment) found.push({ suffix: lastSegment.suffix, folder: `/${lastSegment.in}/`, bit });
    return found;
  });
  // Neighbours in a listing mostly share their folder, whose segments are then compared once.
  let folder = '';
  let folderBits = 0;
  return (key) => {
    const end = key.lastIndexOf('/') + 1;
    if (end !== folder.length || !key.startsWith(folder)) {
      folder = key.slice(0, end);
      folderBits = 0;
      const path = `/${folder}`;
      for (const { part, bit } of segments) if (path.includes(part)) folderBits |= bit;
    }
    let bits = folderBits;
    for (const { suffix, folder: last, bit } of suffixes)
      if (key.endsWith(suffix) && `/${folder}`.endsWith(last)) bits |= bit;
    return bits;
  };
}
