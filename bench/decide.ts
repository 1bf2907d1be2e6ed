import process from 'node:process';
import { decide } from '../domain/decision/decide.ts';
import { AGE_BAND_INDEXES } from '../domain/inventory/bands.ts';
import type { BucketInventory, Group } from '../domain/inventory/inventory.ts';
import { leftAlonePatterns, priceBook } from '../test/unit/price-book.ts';
import { bucket, group } from '../test/unit/domain/decision/inventories.ts';
/**
 * `npm run bench:decide`: the CPU time of `decide()` per group on large inventories, next to a plain sum over the same
 * groups in the same run.
 */
const TIMED_RUNS = 9;
const BUCKETS = 400;
const PREFIXES = 50;

/** The same whole numbers below a bound for the same seed (mulberry32). */
function seededChance(seed: number): Chance {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

type Chance = (bound: number) => number;

/** Buckets as a scan finds them: 50 prefixes × 4 age bands × 2 or 3 classes each. */
function largeInventory(
  allClasses: readonly string[],
  sizeOf: (chance: Chance) => number,
): readonly BucketInventory[] {
  const chance = seededChance(7);
  const regions = ['us-east-1', 'eu-central-1', 'ap-southeast-1'];
  return Array.from({ length: BUCKETS }, (_, index) => {
    const groups: Group[] = [];
    const classes = allClasses.slice(0, 2 + (index % 2));
    for (let prefix = 0; prefix < PREFIXES; prefix += 1)
      for (const storageClass of classes)
        for (const band of AGE_BAND_INDEXES)
          groups.push(
            group(
              prefix === 0 ? '*' : `prefix-${prefix}/`,
              storageClass,
              band,
              1 + chance(1e4),
              sizeOf(chance),
            ),
          );
    return bucket(groups, { name: `bucket-${index}`, region: regions[index % 3] ?? '' });
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Milliseconds of CPU time of this process. */
function timed(run: () => number): number {
  const startedAt = process.cpuUsage();
  if (Number.isNaN(run())) throw new Error('not a number');
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1000;
}

function plainSum(buckets: readonly BucketInventory[]): number {
  let sum = 0;
  for (const { groups } of buckets)
    for (const { objects, bytes, smallObjects, smallBytes, partRequests } of groups)
      sum += objects + bytes + smallObjects + smallBytes + partRequests;
  return sum;
}

function timeGroups(what: string, buckets: readonly BucketInventory[]): void {
  const groups = buckets.reduce((sum, one) => sum + one.groups.length, 0);
  const request = {
    startedAt: new Date('2026-11-20T12:00:00Z'),
    buckets,
    source: 'aws',
    configured: [{ provider: 'aws', region: 'us-east-1' }],
    priceBook,
    horizonMonths: 12,
    minMonthlySavingsUsd: 1,
    minMoveMonthlySavingsUsd: 10,
    patterns: leftAlonePatterns,
  } as const;
  const ours: number[] = [];
  const plain: number[] = [];
  for (let run = 0; run < TIMED_RUNS; run += 1) {
    ours.push(timed(() => decide(request).monthlySavingsUsd));
    plain.push(timed(() => plainSum(buckets)));
  }
  const perGroup = (ms: number) => `${((ms * 1000) / groups).toFixed(3)} µs`;
  const [our, sum] = [median(ours), median(plain)];
  process.stdout.write(
    `${what}, ${groups} groups: ${perGroup(our)} per group (least ${perGroup(Math.min(...ours))}), ` +
      `limit 20 µs; a plain sum: ${perGroup(sum)}; ratio ${(our / sum).toFixed(0)}\n`,
  );
}

const CLASSES = ['STANDARD', 'STANDARD_IA', 'GLACIER'];
timeGroups(
  'random sizes',
  largeInventory(CLASSES, (chance) => 2 ** (10 + chance(20))),
);
timeGroups(
  'like sizes',
  largeInventory(CLASSES, () => 2 ** 24),
);
timeGroups(
  'nothing to recommend',
  largeInventory(['GLACIER_IR', 'GLACIER', 'DEEP_ARCHIVE'], () => 2 ** 24),
);
