import type { ReadLifecycle } from '../../adapters/cloud-account/bucket-settings.ts';
import type { BucketReader } from '../../adapters/cloud-account/account-reader.ts';
import {
  continueListing,
  listedInventory,
  isListed,
  startListing,
  listedTotals,
  type ListingBasis,
  type ListedSlice,
} from '../../adapters/cloud-account/listing.ts';
import { SCAN_PERMISSIONS } from '../../adapters/cloud-account/permissions.ts';
import {
  continueUploads,
  countedUploads,
  startUploads,
  type UploadsSlice,
} from '../../adapters/cloud-account/uploads.ts';
import type { BucketReading, BucketWork } from '../../adapters/mongo/scan-buckets.ts';
import { isWithout } from '../../operations/scans/source.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type {
  BucketError,
  BucketInventory,
  CoverageGap,
} from '../../domain/inventory/inventory.ts';
import { maxSourceKeyBytes } from '../../domain/migration/copying.ts';
import type { ListedBucket } from '../../domain/scan/scan.ts';

export interface SliceDeps {
  readonly maxMs: number;
  /** Aborted when the worker shuts down or the scan is cancelled. */
  readonly signal: () => AbortSignal;
  /** Resolves early if the signal is aborted. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** The result of a slice. */
export interface ReadSlice {
  readonly work: BucketWork;
  /** A transient failure without progress; null: the slice made progress. */
  readonly failure: StoreError | null;
}

/** A bucket to read, at a store with a title. */
export interface PlannedBucket extends ListedBucket {
  readonly title: string;
}

type Permission = keyof typeof SCAN_PERMISSIONS;

/** Time bounds a slice, not the number of entries. */
const ANY_NUMBER = Number.MAX_SAFE_INTEGER;

/**
 * Continues reading a bucket for one slice. A call that may not be made, or that the store does not have, becomes a
 * line of the coverage; a permanent failure becomes the bucket's error.
 *
 * @throws RoleRefusedError, and every error that is no store's.
 */
export async function readSlice(
  bucket: BucketReader,
  planned: PlannedBucket,
  before: BucketWork,
  basis: ListingBasis,
  deps: SliceDeps,
): Promise<ReadSlice> {
  try {
    const reading = before.reading ?? (await begin(bucket, basis));
    return await continueReading(bucket, planned, { ...before, reading }, deps);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.isTransient) return { work: before, failure: error };
    return { work: giveUp(planned, before, error), failure: null };
  }
}

/** The bucket as far as it was read, with the reason of the failure. */
export function giveUp(planned: PlannedBucket, work: BucketWork, failure: StoreError): BucketWork {
  const code = failure.failure === 'unsorted' ? 'listing_unsorted' : 'provider_error';
  const error = { code, message: `${planned.title}: ${failure.message}.` };
  return { ...work, reading: null, inventory: toInventory(planned, work.reading, error) };
}

async function begin(bucket: BucketReader, basis: ListingBasis): Promise<BucketReading> {
  const [versioning, lifecycle] = await Promise.all([
    unlessDenied(bucket.versioning(), 'off', 'getVersioning'),
    unlessDenied<ReadLifecycle>(bucket.lifecycle(), { lifecycle: 'unknown' }, 'getLifecycle'),
  ]);
  return {
    ...lifecycle.value,
    coverage: [...versioning.gaps, ...lifecycle.gaps],
    listing: startListing(versioning.value, basis),
    uploads: startUploads(),
  };
}

async function unlessDenied<T>(
  call: Promise<T>,
  otherwise: T,
  permission: Permission,
): Promise<{ value: T; gaps: CoverageGap[] }> {
  try {
    return { value: await call, gaps: [] };
  } catch (error) {
    if (!isWithout(error)) throw error;
    return { value: otherwise, gaps: [toCoverageGap(permission)] };
  }
}

async function continueReading(
  bucket: BucketReader,
  planned: PlannedBucket,
  before: BucketWork & { reading: BucketReading },
  { maxMs, signal, wait }: SliceDeps,
): Promise<ReadSlice> {
  const { reading } = before;
  const limits = { maxEntries: ANY_NUMBER, maxMs, signal: signal() };
  const engine = { bucket, limits, now: () => performance.now(), random: Math.random, wait };
  const maxKeyBytes = maxSourceKeyBytes(planned.name);
  const [listed, summed] = await Promise.all([
    continueListing({ ...engine, maxKeyBytes }, reading.listing),
    continueUploads(engine, reading.uploads),
  ]);
  const after = takeUploads(takeListing(reading, listed), summed);
  const work = {
    ...before,
    reading: after,
    progress: { ...before.progress, ...listedTotals(after.listing) },
  };
  const failure = findFailure(listed, summed);
  if (failure && !failure.isTransient) {
    const missed = isWithout(failure) ? [toCoverageGap('listObjects')] : [];
    const known = { ...after, coverage: [...after.coverage, ...missed] };
    return { work: giveUp(planned, { ...work, reading: known }, failure), failure: null };
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

function hasProgressed(before: BucketReading, after: BucketReading): boolean {
  return (
    after.listing.pages > before.listing.pages ||
    after.uploads.uploads > before.uploads.uploads ||
    after.coverage.length > before.coverage.length
  );
}

function toInventory(
  { name, region }: ListedBucket,
  reading: BucketReading | null,
  error: BucketError | null,
): BucketInventory {
  const listing = reading?.listing ?? startListing('off', { asOf: new Date(0), sizeLimits: [] });
  const uploads = reading?.uploads ?? startUploads();
  return {
    name,
    region,
    ...listedInventory(listing, uploads.keys),
    keepsVersions: hasGap(reading, 'getVersioning', 'listVersions')
      ? null
      : listing.versioning === 'kept',
    copied: [],
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
