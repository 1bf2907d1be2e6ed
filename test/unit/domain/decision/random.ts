import { AGE_BANDS } from '../../../../domain/inventory/bands.ts';
import type { BucketInventory, Group } from '../../../../domain/inventory/inventory.ts';
import { KIB, MIB, bucket, group, oldVersions } from './inventories.ts';

const CLASSES = [
  'STANDARD',
  'STANDARD',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER_IR',
  'GLACIER',
  'DEEP_ARCHIVE',
  'EXPRESS_ONEZONE',
];
const REGIONS = ['us-east-1', 'eu-central-1', 'eu-west-2', 'xx-nowhere-1'];
const PREFIXES = ['*', 'a/', 'b/', '\uffff/', '\u{1f600}/'];
const SIZES = [0, 1, 4 * KIB, 128 * KIB - 1, 128 * KIB, MIB, 10 * MIB, 64 * MIB + 1, 8192 * MIB];

/** A source of whole numbers below a bound. */
export type Chance = (bound: number) => number;

export function randomBuckets(chance: Chance): readonly BucketInventory[] {
  const pick = <T>(items: readonly T[]): T => items[chance(items.length)] as T;
  return Array.from({ length: chance(4) }, (_, index) => {
    const groups = new Map<string, Group>();
    const groupCount = chance(9);
    for (let made = 0; made < groupCount; made += 1) {
      const [prefix, storageClass, band] = [
        pick(PREFIXES),
        pick(CLASSES),
        chance(AGE_BANDS.length),
      ];
      groups.set(`${prefix} ${storageClass} ${band}`, mixed(prefix, storageClass, band));
    }
    const isSome = chance(4) === 0;
    return bucket([...groups.values()], {
      copied: isSome ? [...groups.values()].filter(() => chance(3) === 0) : [],
      name: `bucket-${index}`,
      region: pick(REGIONS),
      oldVersions:
        chance(3) === 0 ? [oldVersions(pick(CLASSES), 1 + chance(1e4), pick(SIZES))] : [],
      incompleteUploads: { uploads: chance(2), bytes: chance(2) * chance(1e12), oldestAt: null },
      error: chance(9) === 0 ? { code: 'access_denied', message: 'no' } : null,
    });
  });

  function mixed(prefix: string, storageClass: string, band: number): Group {
    const first = group(prefix, storageClass, band, 1 + chance(10 ** (1 + chance(6))), pick(SIZES));
    const second = group(prefix, storageClass, band, chance(10 ** (1 + chance(6))), pick(SIZES));
    return {
      ...first,
      objects: first.objects + second.objects,
      bytes: first.bytes + second.bytes,
      smallObjects: first.smallObjects + second.smallObjects,
      smallBytes: first.smallBytes + second.smallBytes,
      partRequests: first.partRequests + second.partRequests,
    };
  }
}

/** The same buckets and groups in another order. */
export function shuffled(
  buckets: readonly BucketInventory[],
  chance: Chance,
): readonly BucketInventory[] {
  return shuffle(
    buckets.map((one) => ({
      ...one,
      groups: shuffle(one.groups, chance),
      copied: shuffle(one.copied, chance),
    })),
    chance,
  );
}

function shuffle<T>(items: readonly T[], chance: Chance): readonly T[] {
  return items
    .map((item) => ({ item, rank: chance(2 ** 30) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** The same numbers for the same seed (mulberry32). */
export function seededChance(seed: number): Chance {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}
