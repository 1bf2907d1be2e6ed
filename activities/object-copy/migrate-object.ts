import type { AdaptiveConcurrency } from '../../adapters/object-store/adaptive-concurrency.ts';
import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { isTransient } from '../../adapters/retry.ts';
import { toTargetKey } from '../../domain/migration/copying.ts';
import type {
  LedgerLine,
  ManifestEntry,
  ObjectFailure,
} from '../../domain/migration/object-ledger.ts';
import type { ManifestPageEntry } from '../../domain/migration/manifest.ts';
import { CopyError, withCopyErrors } from './copy-error.ts';
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
  /** How much larger than in the manifest an object may be that was replaced since. */
  readonly maxGrowthBytes: number;
  /** Tries the store itself. @throws StoreError if the store fails, not the object. */
  readonly checkStore: (side: 'source' | 'target') => Promise<void>;
}

/**
 * Decides what an object needs (skip, verify, copy), does it, and returns its ledger line.
 *
 * @throws StoreError if the store fails, not the object; the signal's reason if it is aborted.
 */
export type MigrateObject = (
  entry: ManifestPageEntry,
  present: Present,
  onConfirmed: OnConfirmed,
) => Promise<LedgerLine>;

/** What the attempts so far have learned about an object. */
interface KnownObject {
  /** As the source described it last. */
  readonly entry: ManifestEntry;
  /** The source's object is not that of `entry` any more. */
  readonly hasChanged: boolean;
  /** The target had an object of an earlier migration. A repeat finds what the attempt before it wrote. */
  readonly replaces: boolean;
  /** The target refused to write it, because something is there by now. */
  readonly isThere: boolean;
}

/** One attempt to migrate an object. */
interface Attempt {
  /** Counted from 1. */
  readonly number: number;
  readonly known: KnownObject;
  readonly result: LedgerLine | CopyError;
}

/** Returns the function that migrates the objects of one page. */
export function createMigrateObject(deps: MigrateObjectDeps): MigrateObject {
  const { concurrency, source } = deps;
  const { objectAttempts } = STORE_CALLS.migration;
  let lastSuccessAtMs = Number.NEGATIVE_INFINITY;

  async function tryObject(
    planned: ManifestPageEntry,
    before: Pick<Attempt, 'number' | 'known'>,
    present: Present,
    onConfirmed: OnConfirmed,
  ): Promise<Attempt> {
    const number = before.number + 1;
    let { known } = before;
    const work = async (): Promise<LedgerLine> => {
      if (known.hasChanged)
        known = { ...known, entry: await describeChanged(planned), hasChanged: false };
      const rewrites = deps.rewrites || planned.rewrites === true;
      const listed = known.isThere ? undefined : present;
      const found = await readTargetObject({ ...deps, rewrites }, known.entry, listed);
      const isEarlier = planned.replacesBytes !== undefined && found.kind !== 'nothing';
      if (found.kind === 'earlier' || isEarlier) known = { ...known, replaces: true };
      const outcome = await migrateOnce({ ...deps, onConfirmed }, known.entry, found);
      const isReplaced = known.replaces && outcome.outcome === 'copied';
      const more = isReplaced ? { replaced: true as const } : {};
      const { replacesBytes } = planned;
      const before = replacesBytes === undefined ? {} : { replacesBytes };
      return ledgerLine(deps, known.entry, { attempts: number, ...outcome, ...more, ...before });
    };
    try {
      const result = await concurrency.send(number, work, isRefusal);
      lastSuccessAtMs = performance.now();
      return { number, known, result };
    } catch (error) {
      // What fails because it is aborted is no failure of the object.
      deps.signal.throwIfAborted();
      if (!(error instanceof CopyError)) throw error;
      const hasChanged = known.hasChanged || isChange(error);
      const isThere = known.isThere || error.code === 'target_occupied';
      return { number, known: { ...known, hasChanged, isThere }, result: error };
    }
  }

  /** The object as it is at the source now. @throws CopyError */
  async function describeChanged({
    key,
    sizeBytes: planned,
  }: ManifestEntry): Promise<ManifestEntry> {
    await deps.limits.acquireRequest(deps.signal);
    const found = await withCopyErrors('source', source.head(key, { signal: deps.signal }));
    if (!found) throw new CopyError('source_missing', { isTransient: false, side: 'source' });
    const { sizeBytes, etag, lastModified, storageClass } = found;
    if (sizeBytes > planned + deps.maxGrowthBytes)
      throw new CopyError('quote_exceeded', { isTransient: false, side: null });
    return { key, sizeBytes, etag, lastModified, storageClass };
  }

  /**
   * Returns if the object is the cause of the failure, not its store. A store that has served
   * another object meanwhile is available; only a check shows whether it accepts our credentials.
   */
  async function requireStore({ code, side }: CopyError, firstTriedAtMs: number): Promise<void> {
    const isRefused = code === 'source_refused' || code === 'target_refused';
    const isUnavailable = code === 'source_unavailable' || code === 'target_unavailable';
    if (side === null) return;
    if (isRefused || (isUnavailable && lastSuccessAtMs <= firstTriedAtMs))
      await deps.checkStore(side);
  }

  return async (planned, present, onConfirmed) => {
    if (planned.blocked !== undefined) return failedLine(deps, planned, planned.blocked, 0);
    const firstTriedAtMs = performance.now();
    const known = { entry: planned, hasChanged: false, replaces: false, isThere: false };
    let attempt = await tryObject(planned, { number: 0, known }, present, onConfirmed);
    while (isRepeatable(attempt.result) && attempt.number < objectAttempts)
      attempt = await tryObject(planned, attempt, present, onConfirmed);
    const { number, result } = attempt;
    if (!(result instanceof CopyError)) return result;
    await requireStore(result, firstTriedAtMs);
    // The quote holds the object as it was planned.
    const failed = result.code === 'quote_exceeded' ? planned : attempt.known.entry;
    return failedLine(deps, failed, result.code, number);
  };
}

function isRepeatable(result: LedgerLine | CopyError): boolean {
  return result instanceof CopyError && result.isTransient;
}

function isChange(error: unknown): boolean {
  return error instanceof CopyError && error.code === 'source_changing';
}

/** An object that has changed, or is there already, says nothing about the store's load. */
function isRefusal(error: unknown): boolean {
  const isOccupied = error instanceof CopyError && error.code === 'target_occupied';
  return isTransient(error) && !isChange(error) && !isOccupied;
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
      const onlyIfNew = found.kind === 'nothing' && deps.capabilities.conditionalPut === true;
      const copying = { ...deps, onlyIfNew, requireWritable: () => requireWritable(deps, entry) };
      const copied = await copyObject(copying, entry, toTargetKey(deps.keyPrefix, entry.key));
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
  { keyPrefix, now }: MigrateObjectDeps,
  entry: ManifestEntry,
  outcome: Outcome & Pick<LedgerLine, 'attempts'>,
): LedgerLine {
  return {
    key: entry.key,
    targetKey: toTargetKey(keyPrefix, entry.key),
    bytes: entry.sizeBytes,
    sourceEtag: entry.etag,
    sha256: null,
    targetEtag: null,
    at: now().toISOString(),
    notCarried: [],
    ...outcome,
  };
}
