import type { AdaptiveConcurrency } from '../../adapters/object-store/adaptive-concurrency.ts';
import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { isTransient } from '../../adapters/retry.ts';
import { BUFFERED_BYTES, toTargetKey } from '../../domain/migrations/copying.ts';
import { keysAbove } from '../../domain/inventory/key-conflicts.ts';
import type {
  LedgerLine,
  ManifestEntry,
  ObjectFailure,
} from '../../domain/migrations/object-ledger.ts';
import type { ManifestPageEntry } from '../../domain/migrations/manifest.ts';
import { CopyError, withCopyErrors } from '../../copy/copy-error.ts';
import type { OnConfirmed } from '../../copy/types.ts';
import { copyObject } from '../../copy/copy-object.ts';
import { abortUpload } from '../../copy/target-check.ts';
import {
  readTargetObject,
  type NotedObject,
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
export type MigrateObject = (entry: ManifestPageEntry, at: PlaceOfObject) => Promise<LedgerLine>;

/** The place of an object in its page, and what is known of its key at the target. */
export interface PlaceOfObject {
  readonly present: Present;
  readonly noted: NotedObject;
  /** Names the place in the ledger, before the first write there. */
  readonly name: () => Promise<void>;
  readonly onConfirmed: OnConfirmed;
  /**
   * Describes the object at the source before it is copied, and again where it has changed. By
   * default it is as the manifest has it, and what has changed since is copied as it is.
   *
   * @throws CopyError
   */
  readonly describe?: (planned: ManifestEntry) => Promise<ManifestEntry>;
}

interface ObjectState {
  /** As the source described it last. */
  readonly entry: ManifestEntry;
  /** The source no longer has the object of `entry`. */
  readonly hasChanged: boolean;
  /** The target had a copy of ours. A repeat finds what the attempt before it wrote. */
  readonly replaces: boolean;
}

interface Attempt {
  /** Counted from 1. */
  readonly number: number;
  readonly state: ObjectState;
  readonly result: LedgerLine | CopyError;
}

export function createMigrateObject(deps: MigrateObjectDeps): MigrateObject {
  const { objectAttempts, differingAttempts } = STORE_CALLS.migration;
  let lastSuccessAtMs = Number.NEGATIVE_INFINITY;

  async function tryObject(
    planned: ManifestPageEntry,
    previous: Pick<Attempt, 'number' | 'state'>,
    at: PlaceOfObject,
  ): Promise<Attempt> {
    const number = previous.number + 1;
    let { state } = previous;
    const describe = at.describe ?? ((entry: ManifestEntry) => describeChanged(deps, entry));
    const work = async (): Promise<LedgerLine> => {
      if (state.hasChanged) state = { ...state, entry: await describe(planned), hasChanged: false };
      // What an earlier attempt has written is in no listing yet.
      const listed = number === 1 ? at.present : undefined;
      const present = await readTargetObject(deps, state.entry, at.noted, listed);
      const isLostWrite = present.kind === 'verified' && (await at.noted.written()) !== null;
      if (present.kind === 'ours' || isLostWrite) state = { ...state, replaces: true };
      const outcome = await migrateOnce(deps, state.entry, at, present);
      const isReplaced = state.replaces && outcome.outcome === 'copied';
      const { replacesBytes } = planned;
      return ledgerLine(deps, state.entry, {
        attempts: number,
        ...outcome,
        ...(isReplaced ? { replaced: true } : {}),
        ...(replacesBytes === undefined ? {} : { replacesBytes }),
      });
    };
    try {
      const result = await deps.concurrency.send(number, work, isRefusal);
      lastSuccessAtMs = performance.now();
      return { number, state, result };
    } catch (error) {
      // What fails because it is aborted is no failure of the object.
      deps.signal.throwIfAborted();
      if (!(error instanceof CopyError)) throw error;
      const hasChanged = state.hasChanged || isChange(error);
      return { number, state: { ...state, hasChanged }, result: error };
    }
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

  return async (planned, at) => {
    if (planned.blocked !== undefined) return failedLine(deps, planned, planned.blocked, 0);
    const firstTriedAtMs = performance.now();
    const hasChanged = at.describe !== undefined;
    const state = { entry: planned, hasChanged, replaces: false };
    let attempt = await tryObject(planned, { number: 0, state }, at);
    let differing = 0;
    const mayRepeat = ({ number, result }: Attempt): boolean => {
      if (!(result instanceof CopyError)) return false;
      if (result.code === 'target_differs') differing += 1;
      return result.isTransient && number < objectAttempts && differing < differingAttempts;
    };
    while (mayRepeat(attempt)) attempt = await tryObject(planned, attempt, at);
    const { number, result } = attempt;
    if (!(result instanceof CopyError)) return result;
    const hasConflict = await isKeyConflict(deps, planned, result);
    if (!hasConflict) await requireStore(result, firstTriedAtMs);
    await abortLeft(deps, planned);
    const code = hasConflict ? 'key_conflict' : result.code;
    // The quote holds the object as it was planned.
    const failed = code === 'quote_exceeded' ? planned : attempt.state.entry;
    return failedLine(deps, failed, code, number);
  };
}

/** The object as it is now. @throws CopyError */
export async function describeChanged(
  { limits, source, signal, maxGrowthBytes }: MigrateObjectDeps,
  { key, sizeBytes: plannedBytes }: ManifestEntry,
): Promise<ManifestEntry> {
  await limits.acquireRequest(signal);
  const object = await withCopyErrors('source', source.head(key, { signal }));
  if (!object) throw new CopyError('source_missing', { isTransient: false, side: 'source' });
  const { sizeBytes, etag, lastModified, storageClass } = object;
  if (sizeBytes > plannedBytes + maxGrowthBytes)
    throw new CopyError('quote_exceeded', { isTransient: false, side: null });
  return { key, sizeBytes, etag, lastModified, storageClass };
}

/** Aborts the uploads of an object that has failed: no attempt resumes them. */
async function abortLeft(
  { uploads, target, keyPrefix }: MigrateObjectDeps,
  { key, sizeBytes }: ManifestEntry,
): Promise<void> {
  // Larger ones go in parts at a target that demands a digest.
  if (sizeBytes <= BUFFERED_BYTES) return;
  for (const upload of await uploads.ofKey(toTargetKey(keyPrefix, key)))
    await abortUpload({ target, uploads }, upload);
}

/**
 * Whether the target does not take an object because it has one above or below its key. Stores
 * answer this in many ways; what they hold decides.
 */
async function isKeyConflict(
  { target, keyPrefix, capabilities, limits, signal }: MigrateObjectDeps,
  { key }: ManifestEntry,
  { code, side }: CopyError,
): Promise<boolean> {
  if (side !== 'target' || code === 'target_occupied' || capabilities.keyAndFolder === true)
    return false;
  const targetKey = toTargetKey(keyPrefix, key);
  try {
    for (const above of keysAbove(targetKey).filter((one) => one !== '')) {
      await limits.acquireRequest(signal);
      if (await target.head(above, { signal })) return true;
    }
    await limits.acquireRequest(signal);
    const below = { prefix: `${targetKey}/`, after: null, maxKeys: 1 };
    return (await target.list(below, { signal })).entries.length > 0;
  } catch (error) {
    signal.throwIfAborted();
    // What is there cannot be known: the target's own answer stays.
    if (error instanceof StoreError) return false;
    throw error;
  }
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
  { name, onConfirmed }: PlaceOfObject,
  present: TargetObject,
): Promise<Outcome> {
  switch (present.kind) {
    case 'equal':
      return { outcome: 'skipped', targetEtag: present.targetEtag, sha256: present.sha256 };
    case 'as_noted':
      return present.line;
    case 'verified':
      return { outcome: 'copied', ...present.copied };
    case 'nothing':
    case 'ours': {
      await name();
      const before = present.kind === 'ours' ? present.etag : null;
      const copying = { ...deps, onConfirmed, before };
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

/** The line of an object; what the outcome does not say is as if nothing was written. */
export function ledgerLine(
  { keyPrefix, now }: Pick<MigrateObjectDeps, 'keyPrefix' | 'now'>,
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
