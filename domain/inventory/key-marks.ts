import { KEY_MARKS, type KeyMark } from './inventory.ts';

/** The names of buckets and patterns of keys that are left alone: `data/left-alone.json`. */
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
  /** The marks of a key as a set of bits, see `toKeyMarks`. */
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
  const marks = KEY_MARKS.map((mark) => patterns[mark]);
  // One test is enough for most keys.
  const mayMatch = new RegExp(
    marks
      .flatMap(({ segments = [], suffixes = [], lastSegment }) => [
        ...segments.map((name) => `${escapePattern(name)}/`),
        ...[...suffixes, ...(lastSegment ? [lastSegment.suffix] : [])].map(
          (suffix) => `${escapePattern(suffix)}$`,
        ),
      ])
      .join('|'),
  );
  return (key) => {
    if (!mayMatch.test(key)) return 0;
    let bits = 0;
    for (const [at, mark] of marks.entries()) if (hasPattern(key, mark)) bits |= 1 << at;
    return bits;
  };
}

function hasPattern(key: string, { segments = [], suffixes = [], lastSegment }: KeyPatterns) {
  const folder = `/${key.slice(0, key.lastIndexOf('/') + 1)}`;
  return (
    segments.some((name) => folder.includes(`/${name}/`)) ||
    suffixes.some((suffix) => key.endsWith(suffix)) ||
    (lastSegment !== undefined &&
      key.endsWith(lastSegment.suffix) &&
      folder.endsWith(`/${lastSegment.in}/`))
  );
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
