import type { AgeBandIndex } from '../inventory/bands.ts';
import { BYTES_PER_BILLED_GB } from '../../shared/units.ts';
import type { ObjectStatistics } from '../inventory/inventory.ts';
import type { Scenarios } from './scenarios.ts';

export const READ_SOURCES = ['measured', 'apportioned', 'assumed'] as const;
export type ReadSource = (typeof READ_SOURCES)[number];

/**
 * Who reads a bucket, how often, and from where: what a bill and metrics show, or what is assumed
 * by age. In four scenarios (`docs/pricing.md`).
 */
export interface BucketReads {
  readonly source: ReadSource;
  /** By storage class. No entry: nothing of the class is read, or all of it by assumption. */
  readonly classes: ReadonlyMap<string, ClassReads>;
  /** The share of the read bytes that leaves to the internet. */
  readonly internet: Scenarios;
  /** The share that is read by machines in the source's cloud. */
  readonly inside: Scenarios;
  /** The share of what arrives that machines in the source's cloud write. */
  readonly written: Scenarios;
  /** Bytes a month that such machines may read, as far as the bill shows them; 0: it shows none. */
  readonly insideBytes: number;
  /** Reads of other buckets may be among these. */
  readonly isShared: boolean;
}

/** The reads of one storage class. */
export interface ClassReads {
  /** Multiples of the reads that are assumed by age: of requests, and of bytes. */
  readonly gets: number;
  readonly bytes: number;
  /** All known reads that may be in one prefix of the bucket: requests and GB a month. */
  readonly known: { readonly gets: number; readonly gb: number };
}

/** How objects of one class are read in one scenario. */
export interface ReadRate {
  /** Requests a month for each object. */
  readonly requests: number;
  /** How often their bytes are read a month. */
  readonly bytes: number;
}

/** Full reads per month by age band: LastModified is not access. */
export const ASSUMED_READS = [0.5, 0.1, 0.03, 0.01] as const;
const KNOWN_TIMES = { none: 0.5, expected: 1 } as const;
const ASSUMED_TIMES = { none: 0, expected: 1 } as const;
/** Full reads a month where nothing is known, and by how much what is known is multiplied. */
const HEAVY_TIMES = 2;
export const NEVER: Scenarios = { none: 0, expected: 0, heavy: 0, inside: 0 };
export const ONLY_INSIDE: Scenarios = { ...NEVER, inside: 1 };
const ASSUMED_INTERNET: Scenarios = { ...NEVER, heavy: 1 };
const ALWAYS: Scenarios = { none: 1, expected: 1, heavy: 1, inside: 1 };

export const ASSUMED: BucketReads = {
  source: 'assumed',
  classes: new Map(),
  internet: ASSUMED_INTERNET,
  inside: ONLY_INSIDE,
  written: ONLY_INSIDE,
  insideBytes: 0,
  isShared: false,
};
/** For a source without a cloud around it: every read leaves. */
export const ASSUMED_OUTSIDE: BucketReads = {
  ...ASSUMED,
  internet: ALWAYS,
  inside: NEVER,
  written: NEVER,
};

/** How the objects of a class are read, by age band, where they are not asked about as a whole. */
export function rateByAge(
  reads: BucketReads,
  scenario: 'none' | 'expected',
  storageClass: string,
  ageBand: AgeBandIndex,
): ReadRate {
  const assumed = ASSUMED_READS[ageBand];
  if (reads.source === 'assumed') {
    const times = assumed * ASSUMED_TIMES[scenario];
    return { requests: times, bytes: times };
  }
  const { gets, bytes } = reads.classes.get(storageClass) ?? UNREAD;
  const times = assumed * KNOWN_TIMES[scenario];
  return { requests: times * gets, bytes: times * bytes };
}

/**
 * How the objects of a class are read where all reads are theirs, twice.
 *
 * @param of all objects of the class that are decided about together
 */
export function rateIfHeavy(
  reads: BucketReads,
  storageClass: string,
  of: Pick<ObjectStatistics, 'objects' | 'bytes'>,
): ReadRate {
  if (reads.source === 'assumed') return { requests: HEAVY_TIMES, bytes: HEAVY_TIMES };
  const { known } = reads.classes.get(storageClass) ?? UNREAD;
  return {
    requests: share(HEAVY_TIMES * known.gets, of.objects),
    bytes: share(HEAVY_TIMES * known.gb, of.bytes / BYTES_PER_BILLED_GB),
  };
}

export const UNREAD: ClassReads = { gets: 0, bytes: 0, known: { gets: 0, gb: 0 } };

/** 0 where nothing is to be shared by. */
export function share(amount: number, by: number): number {
  return by > 0 ? amount / by : 0;
}
