import { NOT_CARRIED, OBJECT_OUTCOMES, type LedgerLine, type NotCarried } from './object-ledger.ts';

export const COUNT_NAMES = [
  ...OBJECT_OUTCOMES,
  ...NOT_CARRIED,
  /** Objects of which a copy was tried at least once. */
  'tried',
  /** The tried objects that failed. */
  'triedAndFailed',
  'bytesCopied',
  /** Bytes of the objects at the target, copied or skipped. */
  'bytesMigrated',
  /** Bytes of all objects whose outcome is known. */
  'bytesSettled',
] as const;

/** Objects and bytes by outcome: of one object, a page, a slice of work, or a whole migration. */
export type MigrationCounts = Readonly<Record<(typeof COUNT_NAMES)[number], number>>;

export const NO_COUNTS = mapCounts(() => 0);

export function addCounts(a: MigrationCounts, b: MigrationCounts): MigrationCounts {
  return mapCounts((name) => a[name] + b[name]);
}

export function subtractCounts(a: MigrationCounts, b: MigrationCounts): MigrationCounts {
  return mapCounts((name) => a[name] - b[name]);
}

/** The counts of one object. */
export function countLine({ outcome, bytes, attempts, notCarried }: LedgerLine): MigrationCounts {
  const isTried = attempts > 0;
  return {
    ...NO_COUNTS,
    ...Object.fromEntries(notCarried.map((what) => [what, 1])),
    [outcome]: 1,
    tried: isTried ? 1 : 0,
    triedAndFailed: isTried && outcome === 'failed' ? 1 : 0,
    bytesCopied: outcome === 'copied' ? bytes : 0,
    bytesMigrated: outcome === 'failed' ? 0 : bytes,
    bytesSettled: bytes,
  };
}

/** How many objects have an outcome. */
export function settledObjects(counts: MigrationCounts): number {
  return OBJECT_OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
}

/** The metadata that the target cannot hold, by number of objects. */
export function notCarriedCounts(counts: MigrationCounts): { what: NotCarried; objects: number }[] {
  return NOT_CARRIED.map((what) => ({ what, objects: counts[what] })).filter(
    ({ objects }) => objects > 0,
  );
}

export function mapCounts(toValue: (name: keyof MigrationCounts) => number): MigrationCounts {
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, toValue(name)])) as {
    [Name in keyof MigrationCounts]: number;
  };
}
