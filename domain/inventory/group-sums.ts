import { REST_PREFIX } from './bands.ts';
import type { AgeBandOf } from './classify.ts';
import type { Group } from './inventory.ts';
import type { ListedObject } from './segment.ts';
import { addStatistics, countObject, emptyStatistics, type Mutable } from './statistics.ts';

/** Sums objects into groups, in the order of their first object. */
export class GroupSums {
  readonly #groups = new Map<string, Mutable<Group>>();
  readonly #minSizes: readonly number[];

  /** `minSizes`: the minimum billable sizes below which objects are counted, smallest first. */
  constructor(groups: readonly Group[] = [], minSizes: readonly number[] = []) {
    this.#minSizes = minSizes;
    this.add(groups);
  }

  /** `kept`: the prefixes with groups of their own in the inventory of the bucket. */
  count(object: ListedObject, kept: ReadonlySet<string>, ageBandOf: AgeBandOf): void {
    const { key, sizeBytes, storageClass, lastModified } = object;
    const segment = key.slice(0, key.indexOf('/') + 1);
    const prefix = kept.has(segment) ? segment : REST_PREFIX;
    const group = this.#find({ prefix, storageClass, ageBand: ageBandOf(lastModified) });
    countObject(group, sizeBytes, [], this.#minSizes);
  }

  add(groups: readonly Group[]): void {
    for (const group of groups) addStatistics(this.#find(group), group);
  }

  list(): readonly Group[] {
    return [...this.#groups.values()];
  }

  #find({ prefix, storageClass, ageBand }: Pick<Group, 'prefix' | 'storageClass' | 'ageBand'>) {
    const name = `${ageBand} ${storageClass} ${prefix}`;
    const stored = this.#groups.get(name);
    if (stored) return stored;
    const group = { prefix, storageClass, ageBand, ...emptyStatistics() };
    this.#groups.set(name, group);
    return group;
  }
}
