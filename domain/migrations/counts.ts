import {
  isMigrated,
  NOT_CARRIED,
  OBJECT_OUTCOMES,
  type LedgerLine,
  type NotCarried,
} from './object-ledger.ts';

export const COUNT_NAMES = [
  ...OBJECT_OUTCOMES,
  ...NOT_CARRIED,
  /** Objects that a copy was tried for, except those that were deleted at the source. */
  'tried',
  /** The tried objects that failed. */
  'triedAndFailed',
  'bytesCopied',
  /** Bytes at the target, copied or skipped; in a later round, what it adds to earlier ones. */
  'bytesMigrated',
  /** Bytes of all objects whose outcome is known. */
  'bytesSettled',
] as const;

/** Objects and bytes by outcome: of one object, a page, a slice of work, or a whole migration. */
export type MigrationCounts = Readonly<Record<(typeof COUNT_NAMES)[number], number>>;

export const NO_COUNTS = mapCounts(() => 0);

export function addCounts(a: MigrationCounts, b: MigrationCounts): MigrationCounts {
  return mapCounts((name) => countOf(a, name) + countOf(b, name));
}

export function subtractCounts(a: MigrationCounts, b: MigrationCounts): MigrationCounts {
  return mapCounts((name) => countOf(a, name) - countOf(b, name));
}

/** Counts of an earlier version of the service lack the later names. */
function countOf(counts: Partial<MigrationCounts>, name: keyof MigrationCounts): number {
  return counts[name] ?? 0;
}

/** The counts of one object. */
export function countLine(line: LedgerLine): MigrationCounts {
  const { outcome, bytes, attempts, notCarried, replacesBytes = 0 } = line;
  // That it was deleted at the source is no failure of the stores.
  const isTried = attempts > 0 && line.code !== 'source_missing';
  return {
    ...NO_COUNTS,
    ...Object.fromEntries(notCarried.map((what) => [what, 1])),
    [outcome]: 1,
    tried: isTried ? 1 : 0,
    triedAndFailed: isTried && outcome === 'failed' ? 1 : 0,
    bytesCopied: outcome === 'copied' ? bytes : 0,
    bytesMigrated: isMigrated(line) ? bytes - replacesBytes : outcome === 'removed' ? -bytes : 0,
    bytesSettled: outcome === 'removed' ? 0 : bytes,
  };
}

/** How many objects of the manifest have an outcome. */
export function settledObjects({ copied, skipped, failed }: MigrationCounts): number {
  return copied + skipped + failed;
}

/** The metadata that the target cannot hold, by number of objects. */
export function notCarriedCounts(counts: MigrationCounts): { what: NotCarried; objects: number }[] {
  return NOT_CARRIED.map((what) => ({ what, objects: counts[what] })).filter(
    ({ objects }) => objects > 0,
  );
}

export function mapCounts(toValue: (name: keyof MigrationCounts) => number): MigrationCounts {
  const counts: Partial<Record<keyof MigrationCounts, number>> = {};
  for (const name of COUNT_NAMES) counts[name] = toValue(name);
  return counts as MigrationCounts;
}
