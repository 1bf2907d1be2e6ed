import { isTransient, retryTransient } from '../../adapters/retry.ts';
import type { AdaptiveConcurrency } from '../../adapters/object-store/adaptive-concurrency.ts';
import { targetKeyOf } from '../../domain/migration/copying.ts';
import type {
  LedgerLine,
  ManifestEntry,
  ObjectFailure,
} from '../../domain/migration/object-ledger.ts';
import type { ManifestPageEntry } from '../../domain/migration/manifest.ts';
import { at, CopyError } from './copy-error.ts';
import type { OnConfirmed } from './copy-io.ts';
import { copyObject } from './copy-object.ts';
import {
  readTargetObject,
  requireWritable,
  type Present,
  type TargetObject,
  type TargetObjectDeps,
} from './target-object.ts';

export interface MigrateObjectDeps extends TargetObjectDeps {
  readonly concurrency: AdaptiveConcurrency;
  readonly now: () => Date;
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** How much larger than in the manifest an object may be that was replaced since. */
  readonly maxGrowthBytes: number;
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
  present: Present,
  onConfirmed: OnConfirmed,
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

  return async (planned, present, onConfirmed) => {
    if (planned.blocked !== undefined) return failedLine(deps, planned, planned.blocked, 0);
    const firstTriedAtMs = performance.now();
    let entry: ManifestEntry = planned;
    let hasChanged = false;
    let attempts = 0;
    let replaces = false;
    const migrate = async (attempt: number): Promise<LedgerLine> => {
      attempts = attempt;
      await waitForConcurrency();
      const sentAtMs = performance.now();
      try {
        if (hasChanged) {
          const current = await describeAgain(entry);
          if (!current) return failedLine(deps, entry, 'source_missing', attempt);
          if (current.sizeBytes > planned.sizeBytes + deps.maxGrowthBytes)
            return failedLine(deps, planned, 'quote_exceeded', attempt);
          entry = current;
          hasChanged = false;
        }
        const found = await readTargetObject(deps, entry, present);
        // A repeat finds what this attempt wrote.
        replaces ||= found.kind === 'earlier';
        const outcome = await migrateOnce({ ...deps, onConfirmed }, entry, found);
        const line = ledgerLine(deps, entry, { attempts: attempt, ...outcome });
        concurrency.succeeded();
        lastSuccessAtMs = performance.now();
        return replaces && line.outcome === 'copied' ? { ...line, replaced: true } : line;
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

type Outcome = Pick<LedgerLine, 'outcome'> & Partial<LedgerLine>;

/** @throws CopyError */
async function migrateOnce(
  deps: MigrateObjectDeps,
  entry: ManifestEntry,
  found: TargetObject,
): Promise<Outcome> {
  switch (found.kind) {
    case 'equal':
      return { outcome: 'skipped', targetEtag: found.targetEtag };
    case 'verified':
      return { outcome: 'copied', ...found.copied };
    case 'nothing':
    case 'own':
    case 'earlier': {
      const copying = { ...deps, requireWritable: () => requireWritable(deps, entry) };
      const copied = await copyObject(copying, entry, targetKeyOf(deps.bucket, entry.key));
      return { outcome: 'copied', ...copied };
    }
  }
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
  outcome: Outcome & Pick<LedgerLine, 'attempts'>,
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
