import { isWithout, StoreError } from '../object-store/errors.ts';
import {
  NO_USE,
  type BucketError,
  type BucketInventory,
  type BucketUse,
  type CoverageGap,
  type Expiration,
  type Lifecycle,
} from '../../domain/inventory/inventory.ts';
import type { LeftAlonePatterns } from '../../domain/inventory/key-marks.ts';
import type { BucketLifecycle } from '../../domain/inventory/lifecycle.ts';
import {
  classifyLifecycle,
  cleanedPrefixes,
  expirationsOf,
} from '../../domain/inventory/lifecycle-rules.ts';
import { maxSourceKeyBytes } from '../../domain/migrations/copying.ts';
import { NOTHING_YET, type BucketProgress, type ListedBucket } from '../../domain/scans/scan.ts';
import type { BucketReader } from './account-reader.ts';
import type { UseSetting } from './bucket-settings.ts';
import {
  continueListing,
  isListed,
  listedInventory,
  listedTotals,
  startListing,
  type ListedSlice,
  type ListingBasis,
  type ListingState,
} from './listing.ts';
import { SCAN_PERMISSIONS } from './permissions.ts';
import {
  continueUploads,
  countedUploads,
  startUploads,
  type UploadsSlice,
  type UploadsState,
} from './uploads.ts';

/** The bounds of a slice of work at a store. */
export interface Slicing {
  readonly maxMs: number;
  /** Aborted when the worker shuts down or the work is cancelled. */
  readonly signal: () => AbortSignal;
  /** Resolves early if the signal is aborted. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** The progress of reading a bucket. It holds keys, so it is removed when the bucket is done. */
export interface BucketReading {
  readonly lifecycle: Lifecycle;
  readonly rules?: BucketLifecycle;
  readonly expirations: readonly Expiration[];
  readonly use: BucketUse;
  readonly coverage: readonly CoverageGap[];
  readonly listing: ListingState;
  readonly uploads: UploadsState;
}

/** The state of a bucket in a scan. */
export interface BucketWork {
  /** Incremented by every write; guards against two workers on one bucket. */
  readonly revision: number;
  readonly progress: BucketProgress;
  /** Null before the first request and after the last. */
  readonly reading: BucketReading | null;
  /** Set once the bucket is done. */
  readonly inventory: BucketInventory | null;
}

/** A bucket before its first slice. */
export const NOT_READ: BucketWork = {
  revision: 0,
  progress: NOTHING_YET,
  reading: null,
  inventory: null,
};

/** A bucket that makes no progress in this many attempts is given up. */
export const MAX_ATTEMPTS = 4;

type BucketSlicing = Slicing & Pick<LeftAlonePatterns, 'marksOf'>;

export interface ReadSlice {
  readonly work: BucketWork;
  /** A transient failure without progress; null: the slice made progress. */
  readonly failure: StoreError | null;
}

export interface PlannedBucket extends ListedBucket {
  readonly title: string;
}

type Permission = keyof typeof SCAN_PERMISSIONS;

/** Time bounds a slice, not the number of entries. */
const ANY_NUMBER = Number.MAX_SAFE_INTEGER;

/**
 * Continues reading a bucket for one slice. A call that may not be made, or that the store does not
 * have, becomes a line of the coverage; a permanent failure becomes the bucket's error.
 *
 * @throws RoleRefusedError, and every error that is no store's.
 */
export async function readSlice(
  bucket: BucketReader,
  planned: PlannedBucket,
  stored: BucketWork,
  basis: ListingBasis,
  slicing: BucketSlicing,
): Promise<ReadSlice> {
  try {
    const reading = isCurrent(stored.reading) ? stored.reading : await begin(bucket, basis);
    return await continueReading(bucket, planned, { ...stored, reading }, slicing);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.isTransient) return { work: stored, failure: error };
    return { work: giveUpBucket(planned, stored, error), failure: null };
  }
}

/** The bucket as far as it was read, with the failure as the reason. */
export function giveUpBucket(
  planned: PlannedBucket,
  work: BucketWork,
  failure: StoreError,
): BucketWork {
  const code = failure.failure === 'unsorted' ? 'listing_unsorted' : 'provider_error';
  return endBucket(planned, work, { code, message: `${planned.title}: ${failure.message}.` });
}

/** The bucket as far as it was read, with the reason why no further. */
export function endBucket(planned: ListedBucket, work: BucketWork, error: BucketError): BucketWork {
  return { ...work, reading: null, inventory: toInventory(planned, work.reading, error) };
}

/** False for what an earlier version has begun: the bucket is then read from its first key. */
function isCurrent(reading: BucketReading | null): reading is BucketReading {
  return reading !== null && 'use' in reading;
}

/** The rules decide what nobody cleans up, so they are read before the listing begins. */
async function begin(bucket: BucketReader, basis: ListingBasis): Promise<BucketReading> {
  const [versioning, lifecycle, use] = await Promise.all([
    unless(isWithout, bucket.versioning(), 'off', 'getVersioning'),
    unless<BucketLifecycle | null>(isWithout, bucket.lifecycle(), null, 'getLifecycle'),
    readUse(bucket),
  ]);
  const { value: rules } = lifecycle;
  const cleaned = rules && cleanedPrefixes(rules.rules);
  return {
    lifecycle: rules ? classifyLifecycle(rules.rules) : 'unknown',
    ...(rules && rules.rules.length <= MOST_KEPT_RULES ? { rules } : {}),
    expirations: rules ? expirationsOf(rules.rules, basis.asOf) : [],
    use: use.value,
    coverage: [...versioning.gaps, ...lifecycle.gaps, ...use.gaps],
    listing: startListing(versioning.value, {
      ...basis,
      cleanedVersions: cleaned && cleaned.versions,
    }),
    uploads: startUploads({
      asOf: basis.asOf.toISOString(),
      cleaned: cleaned && cleaned.uploads,
    }),
  };
}

/** S3 takes up to 1,000. */
const MOST_KEPT_RULES = 200;

const USE_PERMISSIONS: readonly (readonly [UseSetting, Permission])[] = [
  ['isKept', 'getTagging'],
  ['isLocked', 'getObjectLock'],
  ['isReplicated', 'getReplication'],
  ['hasEvents', 'getNotification'],
  ['hasWebsite', 'getWebsite'],
];

/** A store that is not S3 may refuse these with any code. */
async function readUse(bucket: BucketReader): Promise<WithGaps<BucketUse>> {
  const read = await Promise.all(
    USE_PERMISSIONS.map(async ([setting, permission]) => {
      const { value, gaps } = await unless(isLasting, bucket.use(setting), false, permission);
      return { use: { [setting]: value }, gaps };
    }),
  );
  return {
    value: Object.assign({}, NO_USE, ...read.map(({ use }) => use)) as BucketUse,
    gaps: read.flatMap(({ gaps }) => gaps),
  };
}

function isLasting(error: unknown): boolean {
  return error instanceof StoreError && !error.isTransient;
}

interface WithGaps<T> {
  readonly value: T;
  readonly gaps: readonly CoverageGap[];
}

/** What a call answers, or else a value and a line of the coverage if its failure is a miss. */
async function unless<T>(
  isMiss: (error: unknown) => boolean,
  call: Promise<T>,
  otherwise: T,
  permission: Permission,
): Promise<WithGaps<T>> {
  try {
    return { value: await call, gaps: [] };
  } catch (error) {
    if (!isMiss(error)) throw error;
    return { value: otherwise, gaps: [toCoverageGap(permission)] };
  }
}

async function continueReading(
  bucket: BucketReader,
  planned: PlannedBucket,
  stored: BucketWork & { reading: BucketReading },
  { maxMs, signal, wait, marksOf }: BucketSlicing,
): Promise<ReadSlice> {
  const { reading } = stored;
  const limits = { maxEntries: ANY_NUMBER, maxMs, signal: signal() };
  const engine = { bucket, limits, now: () => performance.now(), random: Math.random, wait };
  const maxKeyBytes = maxSourceKeyBytes(planned.name);
  const [listed, summed] = await Promise.all([
    continueListing({ ...engine, maxKeyBytes, marksOf }, reading.listing),
    continueUploads(engine, reading.uploads),
  ]);
  const after = takeUploads(takeListing(reading, listed), summed);
  const work = {
    ...stored,
    reading: after,
    progress: { ...stored.progress, ...listedTotals(after.listing) },
  };
  const failure = findFailure(listed, summed);
  if (failure && !failure.isTransient) {
    const missed = isWithout(failure) ? [toCoverageGap('listObjects')] : [];
    const covered = { ...after, coverage: [...after.coverage, ...missed] };
    return { work: giveUpBucket(planned, { ...work, reading: covered }, failure), failure: null };
  }
  if (isListed(after.listing) && after.uploads.isDone) {
    return {
      work: { ...work, reading: null, inventory: toInventory(planned, after, null) },
      failure: null,
    };
  }
  return { work, failure: hasProgressed(reading, after) ? null : failure };
}

/** If versions may not be listed, the current objects are. */
function takeListing(reading: BucketReading, { state, failure }: ListedSlice): BucketReading {
  if (!isWithout(failure) || state.versioning !== 'kept') return { ...reading, listing: state };
  return {
    ...reading,
    coverage: [...reading.coverage, toCoverageGap('listVersions')],
    listing: startListing('off', { ...state, asOf: new Date(state.asOf) }),
  };
}

/** If parts may not be listed, uploads are counted without bytes; without uploads nothing is. */
function takeUploads(reading: BucketReading, { state, failure }: UploadsSlice): BucketReading {
  const missed = [
    ...(reading.uploads.hasBytes && !state.hasBytes ? [toCoverageGap('listParts')] : []),
    ...(isWithout(failure) ? [toCoverageGap('listUploads')] : []),
  ];
  return {
    ...reading,
    coverage: [...reading.coverage, ...missed],
    uploads: { ...state, isDone: state.isDone || isWithout(failure) },
  };
}

/** The failure of the slice, apart from refusals that only reduce the coverage. */
function findFailure(listed: ListedSlice, summed: UploadsSlice): StoreError | null {
  const isListingMissed = !(isWithout(listed.failure) && listed.state.versioning === 'kept');
  for (const failure of [
    isListingMissed ? listed.failure : null,
    isWithout(summed.failure) ? null : summed.failure,
  ]) {
    if (failure instanceof StoreError) return failure;
    if (failure !== null) throw failure;
  }
  return null;
}

function hasProgressed(stored: BucketReading, after: BucketReading): boolean {
  return (
    after.listing.pages > stored.listing.pages ||
    after.uploads.uploads > stored.uploads.uploads ||
    after.coverage.length > stored.coverage.length
  );
}

function toInventory(
  { name, region, createdAt }: ListedBucket,
  reading: BucketReading | null,
  error: BucketError | null,
): BucketInventory {
  const listing = reading?.listing ?? startListing('off', { asOf: new Date(0), sizeLimits: [] });
  const uploads = reading?.uploads ?? startUploads({ asOf: '', cleaned: null });
  return {
    name,
    region,
    ...listedInventory(listing, uploads.keys),
    keepsVersions: hasGap(reading, 'getVersioning', 'listVersions')
      ? null
      : listing.versioning === 'kept',
    copied: [],
    // The list of buckets that an earlier version has stored does not say it.
    createdAt: createdAt ?? null,
    use: reading?.use ?? NO_USE,
    expirations: reading?.expirations ?? [],
    incompleteUploads: countedUploads(uploads),
    lifecycle: reading?.lifecycle ?? 'unknown',
    ...(reading?.rules ? { rules: reading.rules } : {}),
    coverage: reading?.coverage ?? [],
    error,
  };
}

function hasGap(reading: BucketReading | null, ...permissions: Permission[]): boolean {
  const actions = new Set<string>(permissions.map((each) => SCAN_PERMISSIONS[each].action));
  return reading?.coverage.some(({ missing }) => actions.has(missing)) ?? true;
}

function toCoverageGap(permission: Permission): CoverageGap {
  const { action, withoutIt } = SCAN_PERMISSIONS[permission];
  return { missing: action, effect: withoutIt ?? 'nothing can be read' };
}
