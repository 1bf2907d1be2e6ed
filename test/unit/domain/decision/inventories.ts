import type { AgeBandIndex } from '../../../../domain/inventory/bands.ts';
import { decide } from '../../../../domain/decision/decide.ts';
import type { Decision, DecisionRequest } from '../../../../domain/decision/types.ts';
import type { Finding } from '../../../../domain/inventory/finding.ts';
import {
  NO_USE,
  type BucketInventory,
  type Group,
  type ObjectStatistics,
  type OldVersions,
} from '../../../../domain/inventory/inventory.ts';
import type { AccountUsage } from '../../../../domain/bill/bill.ts';
import { createPriceBook, type PriceBook } from '../../../../domain/pricing/price-book.ts';
import { leftAlonePatterns, priceBook, priceBookData, stores } from '../../price-book.ts';

const KIB = 2 ** 10;
export const MIB = 2 ** 20;
export const GIB = 2 ** 30;

const SMALL_BYTES = 128 * KIB;
const PART_BYTES = 64 * MIB;
/** The least that Wasabi bills an object for. */
const WASABI_BYTES = 4 * KIB;
/** The most that the stores take in one object, from AWS as the source. */
const LIMITS = [5_492_189_429_760, 5_497_558_138_880, 10_000_000_000_000];

/** What a listing counts of `objects` of `size` bytes each. */
function statisticsOf(size: number, objects: number): ObjectStatistics {
  const bytes = size * objects;
  const isSmall = size < SMALL_BYTES;
  const exceeded = LIMITS.filter((limitBytes) => size > limitBytes).map((limitBytes) => ({
    limitBytes,
    objects,
  }));
  const parts = size > PART_BYTES ? Math.ceil(size / PART_BYTES) + 1 : 0;
  return {
    objects,
    bytes,
    smallObjects: isSmall ? objects : 0,
    smallBytes: isSmall ? bytes : 0,
    partRequests: parts * objects,
    ...(exceeded.length > 0 ? { oversized: exceeded } : {}),
    ...(size < WASABI_BYTES ? { undersized: [{ minBytes: WASABI_BYTES, objects, bytes }] } : {}),
  };
}

/** `objects` of `size` bytes each. */
export const group = (
  prefix: string,
  storageClass: string,
  ageBand: AgeBandIndex,
  objects = 10_000,
  size = 10 * MIB,
): Group => ({ prefix, storageClass, ageBand, ...statisticsOf(size, objects) });

export const oldVersions = (storageClass: string, objects: number, size: number): OldVersions => ({
  storageClass,
  ageBand: 1,
  isDeletable: true,
  ...statisticsOf(size, objects),
});

export function bucket(
  groups: readonly Group[],
  more: Partial<BucketInventory> = {},
): BucketInventory {
  return {
    name: 'bucket',
    region: 'us-east-1',
    groups,
    keepsVersions: false,
    copied: [],
    bySize: [],
    byContent: [],
    oldVersions: [],
    deleteMarkers: 0,
    incompleteUploads: {
      uploads: 0,
      bytes: 0,
      oldestAt: null,
      abortable: { uploads: 0, bytes: 0 },
    },
    createdAt: new Date('2024-11-20T12:00:00Z'),
    oldestAt: null,
    use: NO_USE,
    marks: [],
    expirations: [],
    lifecycle: 'with_abort',
    coverage: [],
    error: null,
    ...more,
  };
}

export function decideOn(
  buckets: readonly BucketInventory[],
  more: Partial<DecisionRequest> = {},
): Decision {
  return decide({
    startedAt: new Date('2026-11-20T12:00:00Z'),
    buckets,
    source: 'aws',
    configured: [
      { provider: 'aws', region: 'us-east-1' },
      { provider: 'b2', region: 'us-west-004' },
    ],
    priceBook,
    horizonMonths: 12,
    minMonthlySavingsUsd: 0,
    minMoveMonthlySavingsUsd: 0,
    patterns: leftAlonePatterns,
    ...more,
  });
}

export function decideGroups(...groups: readonly Group[]): Decision {
  return decideOn([bucket(groups)]);
}

/** The usage types of a region begin with it. */
const PREFIXES: Readonly<Record<string, string>> = {
  'us-east-1': '',
  'eu-central-1': 'EUC1-',
  'eu-west-2': 'EUW2-',
  'ap-south-1': 'APS3-',
};

/** A bill by which everything that is read leaves to the internet: without one, next to nothing moves out of AWS. */
export function publicUsage(gb = 5_000, region = 'us-east-1'): AccountUsage {
  const row = (usageType: string, operation: string, quantity: number, listUsd: number) => ({
    usageType: `${PREFIXES[region] ?? ''}${usageType}`,
    operation,
    quantity,
    unit: 'GB',
    listUsd,
    netUsd: listUsd,
  });
  const rows = [
    row('DataTransfer-Out-Bytes', 'GetObject', gb, gb * 0.09),
    row('Requests-Tier2', 'GetObject', 1, 0.0000004),
  ];
  return { bill: { period: '2026-11', estimated: false, rows }, metrics: new Map() };
}

/** The recommendations in short form. */
export const brief = ({ recommendations }: Decision): readonly string[] =>
  recommendations.map(
    ({ kind, selector, recommendedProvider }) =>
      `${kind} ${selector.prefix ?? 'all'} to ${recommendedProvider}`,
  );

export function findingOf(decision: Decision, code: Finding['code']): Finding | undefined {
  const all = [...decision.findings, ...decision.buckets.flatMap(({ findings }) => findings)];
  return all.find((finding) => finding.code === code);
}

interface Prices {
  aws: { regions: { 'us-east-1': { classes: Record<string, object> } } };
  r2: object;
  b2: object;
}

/** The project's price book with changed prices. */
export function otherPrices(change: (providers: Prices) => void): PriceBook {
  const data = structuredClone(priceBookData);
  change(data.providers as unknown as Prices);
  return createPriceBook(data, stores);
}
