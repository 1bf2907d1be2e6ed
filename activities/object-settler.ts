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
import type { LedgerLine, ManifestEntry, ObjectFailure } from '../domain/migration/ledger.ts';
import type { PlannedEntry } from '../domain/migration/plan.ts';
import { at, CopyError } from './copy-error.ts';
import { copyObject, proveObject, type CopiedObject, type ObjectCopyDeps } from './copy-object.ts';

export interface SettlerDeps extends ObjectCopyDeps {
  readonly pace: AdaptiveConcurrency;
  /** The source's bucket. */
  readonly bucket: string;
  /** Nobody has begun with these objects before. */
  readonly isFirstHand: boolean;
  readonly now: () => Date;
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Asks the store itself. @throws StoreError where it is the store, not the object. */
  readonly askStore: (side: 'source' | 'target') => Promise<void>;
}

/** Finds out what is to be done with an object, does it, and says what came of it. */
export interface ObjectSettler {
  /** @throws StoreError where no object is to blame, and whatever ends the work. */
  settle(entry: PlannedEntry, present: ListedEntry | undefined): Promise<LedgerLine>;
}

const MAX_ATTEMPTS = 5;

export function createObjectSettler(deps: SettlerDeps): ObjectSettler {
  const { pace, source, target, bucket, signal, now } = deps;
  /** When a store last did what it was asked. */
  let succeededAtMs = Number.NEGATIVE_INFINITY;

  function line(
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

  const copied = (entry: ManifestEntry, proof: CopiedObject, attempts: number): LedgerLine =>
    line(entry, { outcome: 'copied', attempts, ...proof });
  const failed = (entry: ManifestEntry, code: ObjectFailure, attempts: number): LedgerLine =>
    line(entry, { outcome: 'failed', code, attempts });

  /**
   * What lies at the target already. Before anybody has begun, a listing that shows the very bytes is
   * enough to leave the object alone; afterwards it may be this migration's own, of which the line was
   * lost: that one is read back.
   */
  async function lookAt(
    entry: ManifestEntry,
    present: ListedEntry | undefined,
    attempt: number,
  ): Promise<LedgerLine | undefined> {
    if (present?.sizeBytes !== entry.sizeBytes) return undefined;
    const skipped = () =>
      line(entry, { outcome: 'skipped', attempts: attempt, targetEtag: present.etag });
    if (deps.isFirstHand && isPlainMd5(entry.etag) && present.etag === entry.etag) return skipped();
    const targetKey = targetKeyOf(bucket, entry.key);
    await deps.gate.request(signal);
    const found = await at('target', target.head(targetKey, { signal }));
    if (!found) return undefined;
    if (isOurs(found, entry, deps.migrationId))
      return copied(entry, await proveObject(deps, entry, targetKey, found), attempt);
    return isEqualBefore(entry, found) ? skipped() : undefined;
  }

  /** The object as it is at the source by now; undefined where it is gone. */
  async function listAnew(entry: ManifestEntry): Promise<ManifestEntry | undefined> {
    await deps.gate.request(signal);
    const seen = await at('source', source.head(entry.key, { signal }));
    if (!seen) return undefined;
    const { sizeBytes, etag, lastModified, storageClass } = seen;
    return { key: entry.key, sizeBytes, etag, lastModified, storageClass };
  }

  /**
   * Returns where the object, not its store, is why it cannot be done. A store that did other things
   * meanwhile is there; whether it still takes our credentials, only it can tell.
   */
  async function requireStore({ code, side }: CopyError, firstTriedAtMs: number): Promise<void> {
    const isRefused = code === 'source_refused' || code === 'target_refused';
    const isAway = code === 'source_unavailable' || code === 'target_unavailable';
    if (side === null || !(isRefused || (isAway && succeededAtMs <= firstTriedAtMs))) return;
    await deps.askStore(side);
  }

  async function copy(
    entry: ManifestEntry,
    present: ListedEntry | undefined,
    attempt: number,
  ): Promise<LedgerLine> {
    const known = await lookAt(entry, present, attempt);
    if (known) return known;
    return copied(entry, await copyObject(deps, entry, targetKeyOf(bucket, entry.key)), attempt);
  }

  async function waitForTurn(): Promise<void> {
    const pauseMs = pace.pauseMs();
    if (pauseMs > 0) await deps.wait(pauseMs, signal);
    signal.throwIfAborted();
  }

  return {
    async settle(planned, present) {
      if (planned.blocked !== undefined) return failed(planned, planned.blocked, 0);
      const firstTriedAtMs = performance.now();
      let entry: ManifestEntry = planned;
      let hasChanged = false;
      for (let attempt = 1; ; attempt += 1) {
        await waitForTurn();
        const sentAtMs = performance.now();
        try {
          if (hasChanged) {
            const anew = await listAnew(entry);
            if (!anew) return failed(entry, 'source_missing', attempt);
            entry = anew;
            hasChanged = false;
          }
          const line = await copy(entry, present, attempt);
          pace.succeeded();
          succeededAtMs = performance.now();
          return line;
        } catch (error) {
          if (!(error instanceof CopyError)) throw error;
          signal.throwIfAborted();
          if (attempt >= MAX_ATTEMPTS || !error.isTransient) {
            await requireStore(error, firstTriedAtMs);
            return failed(entry, error.code, attempt);
          }
          hasChanged ||= error.code === 'source_changing';
          if (!hasChanged) pace.refused(sentAtMs, attempt);
        }
      }
    },
  };
}

function isOurs(found: ObjectDescription, entry: ManifestEntry, migrationId: string): boolean {
  const { headers } = found;
  return headers[MIGRATION_ID_HEADER] === migrationId && headers[SOURCE_ETAG_HEADER] === entry.etag;
}
