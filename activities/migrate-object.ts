import { isTransient, retryTransient } from '../adapters/retry.ts';
import type { ListedEntry } from '../adapters/object-store/list-answers.ts';
import type { AdaptiveConcurrency } from '../adapters/object-store/adaptive-concurrency.ts';
import type { ObjectDescription } from '../adapters/object-store/transfer-store.ts';
import {
  isEqualBefore,
  isPlainMd5,
  MIGRATION_ID_HEADER,
  SOURCE_ETAG_HEADER,
  targetKeyOf,
} from '../domain/migration/copying.ts';
import type {
  LedgerLine,
  ManifestEntry,
  ObjectFailure,
} from '../domain/migration/object-ledger.ts';
import type { ManifestPageEntry } from '../domain/migration/manifest.ts';
import { at, CopyError } from './copy-error.ts';
import type { CopiedObject, ObjectCopyDeps } from './copy-io.ts';
import { copyObject } from './copy-object.ts';
import { verifyObject } from './verify-object.ts';

export interface MigrateObjectDeps extends ObjectCopyDeps {
  readonly concurrency: AdaptiveConcurrency;
  /** The source's bucket. */
  readonly bucket: string;
  /** No worker has started with these objects before. */
  readonly isFirstAttempt: boolean;
  readonly now: () => Date;
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Tries the store itself. @throws StoreError where the store fails, not the object. */
  readonly checkStore: (side: 'source' | 'target') => Promise<void>;
}

/**
 * Decides what an object needs (skip, verify, copy), does it, and returns its ledger line.
 *
 * @throws StoreError where the store fails, not the object; the signal's reason where it is aborted.
 */
export type MigrateObject = (
  entry: ManifestPageEntry,
  present: ListedEntry | undefined,
) => Promise<LedgerLine>;

const MAX_ATTEMPTS = 5;

/** Gives the function that migrates the objects of one page. */
export function createMigrateObject(deps: MigrateObjectDeps): MigrateObject {
  const { concurrency, source, signal } = deps;
  let lastSuccessAtMs = Number.NEGATIVE_INFINITY;

  /** The object as it is at the source now; undefined where it is deleted. */
  async function describeAgain(entry: ManifestEntry): Promise<ManifestEntry | undefined> {
    await deps.limits.acquireRequest(signal);
    const described = await at('source', source.head(entry.key, { signal }));
    if (!described) return undefined;
    const { sizeBytes, etag, lastModified, storageClass } = described;
    return { key: entry.key, sizeBytes, etag, lastModified, storageClass };
  }

  /**
   * Returns where the object is the cause of the failure, not its store. A store that has served
   * another object meanwhile is available; whether it accepts our credentials, only it can tell.
   */
  async function requireStore({ code, side }: CopyError, firstTriedAtMs: number): Promise<void> {
    const isRefused = code === 'source_refused' || code === 'target_refused';
    const isAway = code === 'source_unavailable' || code === 'target_unavailable';
    if (side === null || !(isRefused || (isAway && lastSuccessAtMs <= firstTriedAtMs))) return;
    await deps.checkStore(side);
  }

  async function waitForConcurrency(): Promise<void> {
    const pauseMs = concurrency.pauseMs();
    if (pauseMs > 0) await deps.wait(pauseMs, signal);
    signal.throwIfAborted();
  }

  return async (planned, present) => {
    if (planned.blocked !== undefined) return failedLine(deps, planned, planned.blocked, 0);
    const firstTriedAtMs = performance.now();
    let entry: ManifestEntry = planned;
    let hasChanged = false;
    let attempts = 0;
    const migrate = async (attempt: number): Promise<LedgerLine> => {
      attempts = attempt;
      await waitForConcurrency();
      const sentAtMs = performance.now();
      try {
        if (hasChanged) {
          const current = await describeAgain(entry);
          if (!current) return failedLine(deps, entry, 'source_missing', attempt);
          entry = current;
          hasChanged = false;
        }
        const line = await migrateOnce(deps, entry, present, attempt);
        concurrency.succeeded();
        lastSuccessAtMs = performance.now();
        return line;
      } catch (error) {
        hasChanged ||= error instanceof CopyError && error.code === 'source_changing';
        if (isTransient(error) && !hasChanged) concurrency.refused(sentAtMs, attempt);
        throw error;
      }
    };
    try {
      const isCopyTransient = (error: unknown) => error instanceof CopyError && error.isTransient;
      return await retryTransient(
        { attempts: MAX_ATTEMPTS, isTransient: isCopyTransient, signal },
        migrate,
      );
    } catch (error) {
      if (!(error instanceof CopyError)) throw error;
      await requireStore(error, firstTriedAtMs);
      return failedLine(deps, entry, error.code, attempts);
    }
  };
}

/** @throws CopyError */
async function migrateOnce(
  deps: MigrateObjectDeps,
  entry: ManifestEntry,
  present: ListedEntry | undefined,
  attempt: number,
): Promise<LedgerLine> {
  const known = await checkPresent(deps, entry, present, attempt);
  if (known) return known;
  const copied = await copyObject(deps, entry, targetKeyOf(deps.bucket, entry.key));
  return copiedLine(deps, entry, copied, attempt);
}

/**
 * The line of an object that the target already holds; undefined where it must be copied. In the first
 * attempt a listing that shows the same bytes is enough to skip the object. Later the object may be
 * this migration's own, whose line was lost: it is read back.
 */
async function checkPresent(
  deps: MigrateObjectDeps,
  entry: ManifestEntry,
  present: ListedEntry | undefined,
  attempts: number,
): Promise<LedgerLine | undefined> {
  const { target, bucket, limits, signal } = deps;
  if (present?.sizeBytes !== entry.sizeBytes) return undefined;
  const skipped = () =>
    ledgerLine(deps, entry, { outcome: 'skipped', attempts, targetEtag: present.etag });
  if (deps.isFirstAttempt && isPlainMd5(entry.etag) && present.etag === entry.etag)
    return skipped();
  const targetKey = targetKeyOf(bucket, entry.key);
  await limits.acquireRequest(signal);
  const found = await at('target', target.head(targetKey, { signal }));
  if (!found) return undefined;
  if (isWrittenBy(deps.migrationId, found, entry))
    return copiedLine(deps, entry, await verifyObject(deps, entry, targetKey, found), attempts);
  return isEqualBefore(entry, found) ? skipped() : undefined;
}

function isWrittenBy(
  migrationId: string,
  { headers }: ObjectDescription,
  entry: ManifestEntry,
): boolean {
  return headers[MIGRATION_ID_HEADER] === migrationId && headers[SOURCE_ETAG_HEADER] === entry.etag;
}

function copiedLine(
  deps: MigrateObjectDeps,
  entry: ManifestEntry,
  copied: CopiedObject,
  attempts: number,
): LedgerLine {
  return ledgerLine(deps, entry, { outcome: 'copied', attempts, ...copied });
}

function failedLine(
  deps: MigrateObjectDeps,
  entry: ManifestEntry,
  code: ObjectFailure,
  attempts: number,
): LedgerLine {
  return ledgerLine(deps, entry, { outcome: 'failed', code, attempts });
}

function ledgerLine(
  { bucket, now }: MigrateObjectDeps,
  entry: ManifestEntry,
  outcome: Pick<LedgerLine, 'outcome' | 'attempts'> & Partial<LedgerLine>,
): LedgerLine {
  return {
    key: entry.key,
    targetKey: targetKeyOf(bucket, entry.key),
    bytes: entry.sizeBytes,
    sourceEtag: entry.etag,
    sha256: null,
    targetEtag: null,
    at: now().toISOString(),
    notCarried: [],
    ...outcome,
  };
}
