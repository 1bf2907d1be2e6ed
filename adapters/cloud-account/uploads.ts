import { joinUploadKeys, uploadKeysOf, type UploadKeys } from '../../domain/common/file-keys.ts';
import { ABORTABLE_AFTER_DAYS } from '../../domain/inventory/bands.ts';
import type { IncompleteUploads } from '../../domain/inventory/inventory.ts';
import { createLeftOverTest, type IsLeftOver } from '../../domain/inventory/left-over.ts';
import { StoreError } from '../object-store/errors.ts';
import type { BucketReader } from './account-reader.ts';
import type { ListedUpload } from '../object-store/object-store.ts';
import type { SliceLimits } from './listing.ts';
import {
  createAdaptiveConcurrency,
  FIRST_LIMIT,
  type AdaptiveConcurrencyDeps,
} from '../object-store/adaptive-concurrency.ts';

/** The state of counting a bucket's incomplete uploads: plain data, stored between slices. */
export interface UploadsState {
  /** The last counted upload. */
  after: { key: string; uploadId: string } | null;
  isDone: boolean;
  uploads: number;
  bytes: number;
  oldestAt: string | null;
  /** What is old enough to be aborted, and no rule of the bucket does it. */
  abortable: { uploads: number; bytes: number };
  keys: UploadKeys;
  /** False if the role may not list parts: the bytes are unknown then, and 0. */
  hasBytes: boolean;
  limit: number;
  readonly basis: UploadsBasis;
}

/** What decides which uploads are abortable. */
interface UploadsBasis {
  /** As `toISOString()` writes it. */
  readonly asOf: string;
  /** Prefixes of the keys whose uploads a rule of the bucket aborts; null: not known. */
  readonly cleaned: readonly string[] | null;
}

export interface UploadsDeps extends Omit<AdaptiveConcurrencyDeps, 'signal'> {
  readonly bucket: Pick<BucketReader, 'listUploads' | 'uploadBytes'>;
  /** `maxEntries` are uploads. */
  readonly limits: SliceLimits;
}

/** The result of a slice. After a failure the state holds all that was counted before. */
export interface UploadsSlice {
  readonly state: UploadsState;
  readonly failure: Error | null;
}

export function startUploads(basis: UploadsBasis): UploadsState {
  return {
    after: null,
    isDone: false,
    uploads: 0,
    bytes: 0,
    oldestAt: null,
    abortable: { uploads: 0, bytes: 0 },
    keys: 'none',
    hasBytes: true,
    limit: FIRST_LIMIT,
    basis,
  };
}

/** The uploads counted so far. */
export function countedUploads(state: UploadsState): IncompleteUploads {
  const { uploads, bytes, oldestAt, abortable } = state;
  return { uploads, bytes, oldestAt: oldestAt === null ? null : new Date(oldestAt), abortable };
}

/** Counts until all uploads are counted or a limit is reached. Never rejects. */
export async function continueUploads(
  deps: UploadsDeps,
  given: UploadsState,
): Promise<UploadsSlice> {
  const { bucket, limits, now } = deps;
  const state = structuredClone(given);
  const concurrency = createAdaptiveConcurrency({ ...deps, signal: limits.signal }, state.limit);
  const { asOf, cleaned } = state.basis;
  const isLeftOver = createLeftOverTest(new Date(asOf), ABORTABLE_AFTER_DAYS, cleaned);
  const endsAtMs = now() + limits.maxMs;
  const mayContinue = () =>
    !limits.signal?.aborted &&
    (state.uploads === given.uploads ||
      (state.uploads - given.uploads < limits.maxEntries && now() < endsAtMs));

  async function readBytes(upload: ListedUpload): Promise<number | undefined> {
    if (!state.hasBytes) return 0;
    try {
      return await concurrency.request(() => bucket.uploadBytes(upload), mayContinue);
    } catch (error) {
      if (!(error instanceof StoreError && error.failure === 'access_denied')) throw error;
      state.hasBytes = false;
      state.bytes = 0;
      state.abortable.bytes = 0;
      return 0;
    }
  }

  /** Sums sizes concurrently, and counts in order, so that the last upload is the cursor. */
  async function count(uploads: readonly ListedUpload[]): Promise<void> {
    for (let at = 0; at < uploads.length && mayContinue();) {
      const batch = uploads.slice(at, at + Math.min(concurrency.limit(), limits.maxEntries));
      const sizes = await Promise.all(batch.map(readBytes));
      for (const [index, upload] of batch.entries()) {
        const bytes = sizes[index];
        if (bytes === undefined) return;
        countUpload(state, upload, state.hasBytes ? bytes : 0, isLeftOver);
      }
      at += batch.length;
    }
  }

  let failure: Error | null = null;
  try {
    while (!state.isDone && mayContinue()) {
      const page = await concurrency.request(() => bucket.listUploads(state.after), mayContinue);
      if (page === undefined) break;
      await count(page.uploads);
      const last = page.uploads.at(-1);
      const isCounted = !last || state.after?.uploadId === last.uploadId;
      state.isDone = isCounted && !page.isTruncated;
      if (!last && page.isTruncated) throw new StoreError('failed');
    }
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  state.limit = concurrency.limit();
  return { state, failure };
}

function countUpload(
  state: UploadsState,
  { key, uploadId, initiatedAt }: ListedUpload,
  bytes: number,
  isLeftOver: IsLeftOver,
): void {
  state.uploads += 1;
  state.bytes += bytes;
  if (isLeftOver(key, initiatedAt)) {
    state.abortable.uploads += 1;
    state.abortable.bytes += bytes;
  }
  state.after = { key, uploadId };
  state.keys = joinUploadKeys(state.keys, uploadKeysOf(key));
  if (state.oldestAt === null || initiatedAt < state.oldestAt) state.oldestAt = initiatedAt;
}
