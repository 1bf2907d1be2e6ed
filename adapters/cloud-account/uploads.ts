import type { IncompleteUploads } from '../../domain/scan/inventory.ts';
import { StoreError } from '../object-store/errors.ts';
import type { BucketReader } from './account-reader.ts';
import type { ListedUpload } from '../object-store/multipart-uploads.ts';
import type { SliceLimits } from './listing.ts';
import { createPace, FIRST_LIMIT, type PaceDeps } from '../object-store/pace.ts';

/** How far the reckoning of a bucket's incomplete uploads has come: plain data. */
export interface UploadsState {
  /** The last upload that was counted. */
  after: { key: string; uploadId: string } | null;
  isDone: boolean;
  uploads: number;
  bytes: number;
  oldestAt: string | null;
  /** False where their parts may not be listed: the bytes are then unknown, and 0. */
  hasBytes: boolean;
  limit: number;
}

export interface UploadsDeps extends PaceDeps {
  readonly bucket: Pick<BucketReader, 'listUploads' | 'uploadBytes'>;
  /** `maxEntries` are uploads. */
  readonly limits: SliceLimits;
  /** Resolves after so long, or when the signal is aborted. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** What a slice came to. Where it failed, the state holds all that was counted before. */
export interface UploadsSlice {
  readonly state: UploadsState;
  readonly failure: Error | null;
}

export function startUploads(): UploadsState {
  return {
    after: null,
    isDone: false,
    uploads: 0,
    bytes: 0,
    oldestAt: null,
    hasBytes: true,
    limit: FIRST_LIMIT,
  };
}

/** What was counted so far. */
export function incompleteUploadsOf(state: UploadsState): IncompleteUploads {
  const { uploads, bytes, oldestAt } = state;
  return { uploads, bytes, oldestAt: oldestAt === null ? null : new Date(oldestAt) };
}

const MAX_ATTEMPTS = 8;

/** Counts on until all are counted or a limit is reached. Never rejects, as `continueListing`. */
export async function continueUploads(
  deps: UploadsDeps,
  given: UploadsState,
): Promise<UploadsSlice> {
  const { bucket, limits, now } = deps;
  const state = structuredClone(given);
  const pace = createPace(deps, state.limit);
  const endsAtMs = now() + limits.maxMs;
  const mayGoOn = () =>
    !limits.signal?.aborted &&
    (state.uploads === given.uploads ||
      (state.uploads - given.uploads < limits.maxEntries && now() < endsAtMs));

  /** Repeats what may pass; undefined where the slice ends first. */
  async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      const pauseMs = pace.pauseMs();
      if (pauseMs > 0) await deps.wait(pauseMs, limits.signal);
      if (limits.signal?.aborted) return undefined;
      const sentAtMs = now();
      try {
        const answer = await ask();
        pace.succeeded();
        return answer;
      } catch (error) {
        if (!(error instanceof StoreError && error.mayPass && attempt < MAX_ATTEMPTS)) throw error;
        pace.refused(sentAtMs, attempt);
      }
    }
  }

  async function bytesOf(upload: ListedUpload): Promise<number | undefined> {
    if (!state.hasBytes) return 0;
    try {
      return await patiently(() => bucket.uploadBytes(upload));
    } catch (error) {
      if (!(error instanceof StoreError && error.failure === 'access_denied')) throw error;
      state.hasBytes = false;
      state.bytes = 0;
      return 0;
    }
  }

  /** As many side by side as the pace allows; counted in order, so that the last one is the cursor. */
  async function count(uploads: readonly ListedUpload[]): Promise<void> {
    for (let at = 0; at < uploads.length && mayGoOn();) {
      const batch = uploads.slice(at, at + Math.min(pace.limit(), limits.maxEntries));
      const sizes = await Promise.all(batch.map(bytesOf));
      for (const [index, upload] of batch.entries()) {
        const bytes = sizes[index];
        if (bytes === undefined) return;
        countUpload(state, upload, bytes);
      }
      at += batch.length;
    }
  }

  let failure: Error | null = null;
  try {
    while (!state.isDone && mayGoOn()) {
      const page = await patiently(() => bucket.listUploads(state.after));
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
  state.limit = pace.limit();
  return { state, failure };
}

function countUpload(state: UploadsState, upload: ListedUpload, bytes: number): void {
  state.uploads += 1;
  if (state.hasBytes) state.bytes += bytes;
  const { key, uploadId, initiatedAt } = upload;
  state.after = { key, uploadId };
  if (state.oldestAt === null || initiatedAt < state.oldestAt) state.oldestAt = initiatedAt;
}
