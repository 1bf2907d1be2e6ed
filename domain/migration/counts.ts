import {
  NOT_CARRIED,
  OBJECT_OUTCOMES,
  type LedgerLine,
  type NotCarried,
  type ObjectOutcome,
} from './object-ledger.ts';

/** Objects and bytes by outcome: of one object, a page, a slice of work, or a whole migration. */
export interface MigrationCounts extends Readonly<Record<ObjectOutcome | NotCarried, number>> {
  /** Objects of which a copy was tried at least once. */
  readonly tried: number;
  /** The tried objects that failed. */
  readonly triedAndFailed: number;
  readonly bytesCopied: number;
  /** Bytes of all objects whose outcome is known. */
  readonly bytesSettled: number;
}

export const NO_COUNTS: MigrationCounts = {
  copied: 0,
  skipped: 0,
  failed: 0,
  tags: 0,
  lock: 0,
  tried: 0,
  triedAndFailed: 0,
  bytesCopied: 0,
  bytesSettled: 0,
};

export const COUNT_NAMES = Object.keys(NO_COUNTS) as (keyof MigrationCounts)[];

export function addCounts(a: MigrationCounts, b: MigrationCounts): MigrationCounts {
  return mapCounts((name) => a[name] + b[name]);
}

export function subtractCounts(a: MigrationCounts, b: MigrationCounts): MigrationCounts {
  return mapCounts((name) => a[name] - b[name]);
}

/** What one object adds to the counts. */
export function countLine({ outcome, bytes, attempts, notCarried }: LedgerLine): MigrationCounts {
  const isTried = attempts > 0;
  return {
    ...NO_COUNTS,
    ...Object.fromEntries(notCarried.map((what) => [what, 1])),
    [outcome]: 1,
    tried: isTried ? 1 : 0,
    triedAndFailed: isTried && outcome === 'failed' ? 1 : 0,
    bytesCopied: outcome === 'copied' ? bytes : 0,
    bytesSettled: bytes,
  };
}

/** How many objects have an outcome. */
export function settledObjects(counts: MigrationCounts): number {
  return OBJECT_OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
}

/** What the source holds beside the bytes and the target does not, by number of objects. */
export function notCarriedCounts(counts: MigrationCounts): { what: NotCarried; objects: number }[] {
  return NOT_CARRIED.map((what) => ({ what, objects: counts[what] })).filter(
    ({ objects }) => objects > 0,
  );
}

/** Builds counts from a value for each name. */
export function mapCounts(valueOf: (name: keyof MigrationCounts) => number): MigrationCounts {
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, valueOf(name)])) as {
    [Name in keyof MigrationCounts]: number;
  };
}
