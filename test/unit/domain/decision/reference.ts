import assert from 'node:assert/strict';
import type { Decision, Recommendation } from '../../../../domain/decision/types.ts';
import type {
  BucketInventory,
  Group,
  ObjectStatistics,
} from '../../../../domain/inventory/inventory.ts';
import { priceBookData } from '../../price-book.ts';

/**
 * The cost of a recommendation, computed a second time from the listed figures and without any code
 * of `decide()`.
 */

type Value = number | { uptoGb: number | null; usd: number }[];
interface Region {
  classes: Record<string, Record<string, { value: Value }>>;
  egressPerGb?: { value: Value };
}

const ARCHIVED = new Set(['GLACIER', 'DEEP_ARCHIVE']);
const PRICED = new Set([
  'STANDARD',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER_IR',
]);
const READS = [
  [0, 0, 0, 0],
  [0.5, 0.1, 0.03, 0.01],
  [5, 1, 0.3, 0.1],
];
const DAYS = [0, 30, 90, 365];

function listed(provider: string, region: string, read: (data: Region) => Value | undefined) {
  const regions = priceBookData.providers[provider]?.regions as Record<string, Region>;
  const fallback = regions['us-east-1'] ?? regions['*'];
  const own = regions[region];
  return (own && read(own)) ?? (fallback && read(fallback)) ?? 0;
}

function amount(provider: string, region: string, storageClass: string, name: string): number {
  const value = listed(provider, region, (data) => data.classes[storageClass]?.[name]?.value);
  return typeof value === 'number' ? value : (value[0]?.usd ?? 0);
}

function banded(value: Value, gb: number): number {
  if (typeof value === 'number') return gb * value;
  let [usd, from] = [0, 0];
  value.forEach((band, index) => {
    const end = index === value.length - 1 ? gb : Math.min(gb, band.uptoGb ?? gb);
    usd += Math.max(0, end - from) * band.usd;
    from = Math.max(from, end);
  });
  return usd;
}

const egressOf = (region: string) => listed('aws', region, ({ egressPerGb }) => egressPerGb?.value);

interface Held extends ObjectStatistics {
  readonly region: string;
  readonly storageClass: string;
  readonly ageBand: number;
}

/** USD per GB and month, blended over all that the scan found. */
type Blend = (region: string, storageClass: string) => number;

function blendOf(buckets: readonly BucketInventory[]): Blend {
  return (region, storageClass) => {
    let bytes = 0;
    for (const bucket of buckets.filter((other) => other.region === region)) {
      for (const held of [...bucket.groups, ...bucket.oldVersions])
        if (held.storageClass === storageClass) bytes += held.bytes;
      if (storageClass === 'STANDARD') bytes += bucket.incompleteUploads.bytes;
    }
    const value = listed(
      'aws',
      region,
      (d) => d.classes[storageClass]?.['storagePerGbMonth']?.value,
    );
    const gb = bytes / 2 ** 30;
    return gb === 0 ? banded(value, 1) : banded(value, gb) / gb;
  };
}

function atAws(
  held: Held,
  perGb: number,
): { storage: number; reads: (perMonth: number) => number } {
  const { region, storageClass, ageBand } = held;
  const figure = (name: string) => amount('aws', region, storageClass, name);
  const [n, gb] = [held.objects, held.bytes / 2 ** 30];
  const smallGb = held.smallBytes / 2 ** 30;
  let storage = gb * perGb;
  if (figure('minBillableKiB') > 0)
    storage = (gb - smallGb + (held.smallObjects * 128) / 2 ** 20) * perGb;
  if (storageClass === 'INTELLIGENT_TIERING') {
    const tiers = ['frequent', 'infrequent', 'archiveInstant', 'archiveInstant'];
    storage =
      smallGb * figure('frequentPerGbMonth') +
      (gb - smallGb) * figure(`${tiers[ageBand]}PerGbMonth`) +
      ((n - held.smallObjects) * figure('monitoringPer1000ObjectsMonth')) / 1000;
  }
  const egress = banded(egressOf(region), 1e-9) * 1e9;
  const perRead = (n * figure('getPer1000')) / 1000 + gb * (figure('retrievalPerGb') + egress);
  return { storage, reads: (perMonth) => perMonth * perRead };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The objects of a group that are selected: a change of class leaves out the small ones. */
function heldBy(group: Group, region: string, isChange: boolean): Held {
  if (!isChange) return { ...group, region };
  const objects = group.objects - group.smallObjects;
  const bytes = group.bytes - group.smallBytes;
  return { ...group, region, objects, bytes, smallObjects: 0, smallBytes: 0 };
}

/** Totals over 12 months of staying and of the placement, for none, expected and heavy reads. */
function totals(
  buckets: readonly BucketInventory[],
  blend: Blend,
  recommendation: Recommendation,
): { stay: number[]; placed: number[]; objects: number } {
  const { selector, region, kind } = recommendation;
  const isChange = kind === 'change_class';
  const held = (buckets.find(({ name }) => name === recommendation.bucket)?.groups ?? [])
    .filter(
      ({ prefix, storageClass, ageBand }) =>
        (selector.prefix ?? prefix) === prefix &&
        (selector.storageClass ?? storageClass) === storageClass &&
        (DAYS[ageBand] ?? 0) >= (selector.minAgeDays ?? 0) &&
        (DAYS[ageBand] ?? 0) < (selector.maxAgeDays ?? Infinity) &&
        PRICED.has(storageClass),
    )
    .map((group) => heldBy(group, region, isChange));
  const stay = READS.map((reads) =>
    sum(
      held.map((group) => {
        const costs = atAws(group, blend(region, group.storageClass));
        return 12 * (costs.storage + costs.reads(reads[group.ageBand] ?? 0));
      }),
    ),
  );
  const to = recommendation.recommendedStorageClass ?? '';
  const objects = sum(held.map((group) => group.objects));
  if (isChange) {
    const once = (objects * amount('aws', region, to, 'transitionPer1000')) / 1000;
    const rate = amount('aws', region, to, 'storagePerGbMonth');
    const placed = READS.map((reads) =>
      sum(
        held.map((group) => {
          const costs = atAws({ ...group, storageClass: to }, rate);
          return 12 * (costs.storage + costs.reads(reads[group.ageBand] ?? 0));
        }),
      ),
    );
    return { stay, placed: placed.map((usd) => usd + once), objects };
  }
  return { stay, placed: elsewhere(held, region, recommendation, blend), objects };
}

function elsewhere(
  held: readonly Held[],
  region: string,
  { recommendedProvider }: Recommendation,
  blend: Blend,
): number[] {
  const provider = recommendedProvider ?? '';
  const there = (name: string) => amount(provider, '*', 'STANDARD', name);
  const here = ({ storageClass }: Held, name: string) => amount('aws', region, storageClass, name);
  const objects = sum(held.map((group) => group.objects));
  const bytes = sum(held.map((group) => group.bytes));
  const early = (group: Held) =>
    (atAws(group, blend(region, group.storageClass)).storage *
      Math.max(0, here(group, 'minDays') - (DAYS[group.ageBand] ?? 0))) /
    30;
  const once =
    banded(egressOf(region), bytes / 2 ** 30) +
    sum(held.map((group) => (group.objects * here(group, 'getPer1000')) / 1000)) +
    (Math.ceil(objects / 1000) * amount('aws', region, 'STANDARD', 'putPer1000')) / 1000 +
    sum(held.map((group) => (group.bytes / 2 ** 30) * here(group, 'retrievalPerGb'))) +
    sum(held.map(early)) +
    ((objects + sum(held.map((group) => group.partRequests))) * there('putPer1000')) / 1000;
  return READS.map((reads) => {
    const monthly = held.map((group) => {
      const r = reads[group.ageBand] ?? 0;
      const egress = provider === 'b2' ? Math.max(0, r - 3) * 0.01 : 0;
      const perGb = there('storagePerGbMonth') + egress;
      return (group.bytes / 1e9) * perGb + (group.objects * r * there('getPer1000')) / 1000;
    });
    return 12 * sum(monthly) + once;
  });
}

/** Whether a selector holds any group that a migration has copied. */
function holdsCopied({ copied }: BucketInventory, { selector, kind }: Recommendation): boolean {
  return copied.some(
    ({ prefix, storageClass, ageBand }) =>
      (kind === 'move' || kind === 'change_class') &&
      (selector.prefix ?? prefix) === prefix &&
      (selector.storageClass ?? storageClass) === storageClass &&
      (DAYS[ageBand] ?? 0) >= (selector.minAgeDays ?? 0) &&
      (DAYS[ageBand] ?? 0) < (selector.maxAgeDays ?? Infinity),
  );
}

/**
 * No recommendation costs more than staying in any read scenario, none touches an archived class or
 * what a migration has copied, and each shows what it costs.
 */
export function assertInvariants(buckets: readonly BucketInventory[], decision: Decision): void {
  const blend = blendOf(buckets);
  for (const recommendation of decision.recommendations) {
    const { kind, selector, recommendedStorageClass } = recommendation;
    assert.ok(recommendation.monthlySavingsUsd >= 0);
    const bucket = buckets.find(({ name }) => name === recommendation.bucket);
    assert.ok(bucket && !holdsCopied(bucket, recommendation), 'it was copied already');
    if (kind !== 'move' && kind !== 'change_class') continue;
    for (const storageClass of [selector.storageClass, recommendedStorageClass])
      assert.ok(!ARCHIVED.has(storageClass ?? ''), storageClass ?? '');
    const { stay, placed, objects } = totals(buckets, blend, recommendation);
    assert.equal(recommendation.objects, objects);
    const option = recommendation.options.find(
      ({ provider }) => provider === recommendation.recommendedProvider,
    );
    const onceUsd = option?.quote.totalUsd ?? 0;
    assertClose(12 * recommendation.currentMonthlyCostUsd, stay[0]);
    assertClose(12 * (option?.monthlyCostUsd ?? 0) + onceUsd, placed[0]);
    const [unread = 0, expected = 0] = stay.map((usd, index) => usd - (placed[index] ?? 0));
    assertClose(12 * recommendation.monthlySavingsUsd, Math.min(unread, expected) + onceUsd);
    placed.forEach((usd, index) =>
      assert.ok(usd < (stay[index] ?? 0) * (1 + 1e-12), JSON.stringify(recommendation)),
    );
  }
}

/** Equal but for the rounding of what is shown. */
function assertClose(shownUsd: number, usd = 0): void {
  assert.ok(Math.abs(shownUsd - usd) <= 1e-5 + Math.abs(usd) * 1e-12, `${shownUsd} for ${usd}`);
}
