import { AGE_BANDS } from '../inventory/bands.ts';
import { compareGroups, type BucketInventory, type Group, type Tally } from '../inventory/inventory.ts';
import { compareKeys } from '../inventory/key-order.ts';
import { add, emptySum, type Sum } from './tally.ts';

export const BAND_COUNT = AGE_BANDS.length;

/** What some objects of a bucket are, by class and age band: `[class × BAND_COUNT + band]`. */
export type Cells = readonly (Tally | undefined)[];

/**
 * A bucket's groups in one order, whatever order they came in: whoever adds them up by it gets the
 * same sums to the last bit.
 */
export interface BucketTable {
  readonly bucket: BucketInventory;
  /** In UTF-8 order. */
  readonly prefixes: readonly string[];
  /** In UTF-8 order. */
  readonly classes: readonly string[];
  /** Of one prefix after the other, `stride` each. */
  readonly cells: Cells;
  readonly stride: number;
  /** Of the whole bucket. */
  readonly whole: Cells;
  /** Of the current objects, those that a migration has copied. */
  readonly copied: readonly Group[];
  /**
   * The prefixes that hold objects which a migration has copied. A selector has nothing but the
   * prefix, so it could not leave those out: nothing is recommended there.
   */
  readonly occupied: ReadonlySet<string>;
}

/** @throws Error where a bucket names a combination twice: a defect of the inventory. */
export function tableOf(bucket: BucketInventory): BucketTable {
  const { groups } = bucket;
  const copied = bucket.copied.toSorted(compareGroups);
  const prefixes = new Ranks();
  const classes = new Ranks();
  for (const { prefix, storageClass, objects } of groups) {
    if (objects === 0) continue;
    prefixes.add(prefix);
    classes.add(storageClass);
  }
  prefixes.sort();
  classes.sort();

  const stride = classes.sorted.length * BAND_COUNT;
  const cells: (Tally | undefined)[] = blank(prefixes.sorted.length * stride);
  for (const group of groups) {
    if (group.objects === 0) continue;
    const inPrefix = classes.of(group.storageClass) * BAND_COUNT + group.ageBand;
    const at = prefixes.of(group.prefix) * stride + inPrefix;
    if (cells[at]) throw new Error(`${bucket.name} has two groups of ${group.storageClass}`);
    cells[at] = group;
  }
  return {
    bucket,
    prefixes: prefixes.sorted,
    classes: classes.sorted,
    cells,
    stride,
    whole: sumOver(cells, stride),
    copied,
    occupied: new Set(copied.map(({ prefix }) => prefix)),
  };
}

function sumOver(cells: Cells, stride: number): Cells {
  const whole: (Sum | undefined)[] = blank(stride);
  for (let from = 0; from < cells.length; from += stride) {
    for (let at = 0; at < stride; at += 1) {
      const tally = cells[from + at];
      if (!tally) continue;
      const sum = whole[at] ?? emptySum();
      whole[at] = sum;
      add(sum, tally);
    }
  }
  return whole;
}

function blank(length: number): undefined[] {
  const cells: undefined[] = [];
  for (let at = 0; at < length; at += 1) cells.push(undefined);
  return cells;
}

/** The distinct names of a bucket with their places in UTF-8 order. */
class Ranks {
  readonly #ranks = new Map<string, number>();
  sorted: readonly string[] = [];

  add(name: string): void {
    if (!this.#ranks.has(name)) this.#ranks.set(name, 0);
  }

  sort(): void {
    this.sorted = [...this.#ranks.keys()].sort(compareKeys);
    for (const [rank, name] of this.sorted.entries()) this.#ranks.set(name, rank);
  }

  of(name: string): number {
    return this.#ranks.get(name) ?? 0;
  }
}
