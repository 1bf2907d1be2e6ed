import { LRUCache } from 'lru-cache';
import type { MigrationUploads } from '../../adapters/mongo/migrations/migration-uploads.ts';
import type { ObjectLedger } from '../../adapters/mongo/migrations/object-ledger.ts';
import type { Manifests } from '../../adapters/mongo/migrations/manifests.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { createAdaptiveConcurrency } from '../../adapters/object-store/adaptive-concurrency.ts';
import {
  createFailureWindow,
  MAX_FAILURES,
  WINDOW_OBJECTS,
  type FailureWindow,
  MigrationStopError,
} from '../../domain/migrations/stop.ts';
import {
  growthAllowance,
  readAllowance,
  MAX_SLICES,
  roundGrowthAllowance,
} from '../../domain/migrations/manifest.ts';
import type { MigrationRoundKey } from '../../messages/migration.ts';
import type { KeyHistory } from '../../domain/migrations/key-history.ts';
import type { Catalogue } from '../../domain/providers/catalogue.ts';
import type { CopyLimits } from '../../copy/copy-limits.ts';
import { findAllHistories, openHistories, type FindHistories } from './key-histories.ts';
import {
  atStores,
  openRun,
  classifyStoreError,
  type MigrationRun,
  type MigrationRunDeps,
} from './run.ts';
import { watchMigration, type MigrationWatch } from './watch.ts';
import { createSourceReads } from './source-reads.ts';
import type { SourceReads } from '../../copy/types.ts';
import type { PageCopyDeps } from './page-copy.ts';
import { tryReading, tryWriting } from './preflight.ts';
import { keyPrefixOf } from '../../domain/decision/types.ts';
import type { Progress } from '../common/progress.ts';

export interface MigrationSliceDeps extends MigrationRunDeps {
  readonly catalogue: Catalogue;
  readonly manifests: Manifests;
  readonly ledger: ObjectLedger;
  readonly migrationUploads: MigrationUploads;
  /** Shared by all copies of this process. */
  readonly limits: CopyLimits;
  readonly progress: Progress;
  readonly now: () => Date;
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Aborted when the work must stop, objects in flight included. */
  readonly aborting: () => AbortSignal;
  /** The number of this attempt, from 1. */
  readonly attempt: () => number;
}

/** A bounded time of work on one migration. */
export interface MigrationSlice extends Pick<MigrationWatch, 'requireOpen' | 'close'> {
  readonly run: MigrationRun;
  readonly copying: PageCopyDeps;
  /**
   * What the ledgers of other rounds and migrations say of the keys behind one, up to another, whose number must be
   * bounded. Ledgers that have begun since the slice did are not among them, unless they are asked for anew.
   */
  findHistories(
    after: string | null,
    last: string,
    options?: { readonly isAnew: boolean },
  ): Promise<ReadonlyMap<string, KeyHistory>>;
  /** Whether no further page may be started. */
  isOver(): boolean;
  /** Works at the stores. @throws StoreSuspendedError */
  atStores<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Classifies an error of the target for the run. */
  classifyTargetError(error: unknown): unknown;
}

export type OpenSlice = (key: MigrationRoundKey, sliceMs: number) => Promise<MigrationSlice>;

/** Objects that one slice copies in parallel, at most. */
const MAX_CONCURRENCY = 16;
/** Pages that may hold the latest thousand objects: each parallel slice leaves one incomplete. */
const WINDOW_PAGES = MAX_SLICES + 2;
const NO_BYTES = { bytes: 0 };
/** Migrations whose latest failures a process keeps in memory. */
const MAX_WINDOWS = 50;

export function createSlices(deps: MigrationSliceDeps): OpenSlice {
  const windows = new LRUCache<string, FailureWindow>({ max: MAX_WINDOWS });
  const checks = new Map<string, Promise<void>>();

  /** Objects that fail together share one check of their store: it writes one key per migration. */
  function shareCheck(name: string, check: () => Promise<void>): Promise<void> {
    const running = checks.get(name) ?? check().finally(() => checks.delete(name));
    checks.set(name, running);
    return running;
  }

  /** Slices of one migration in one process count their failures together. */
  async function loadWindow(id: string): Promise<FailureWindow> {
    const known = windows.get(id);
    if (known) return known;
    const latest = await deps.manifests.latestCounts(id, WINDOW_PAGES);
    // The order within a page is unknown; the latest pages leave the window last.
    const before = latest
      .reverse()
      .flatMap(({ tried, triedAndFailed }) =>
        Array.from({ length: tried }, (_unused, at) => at < triedAndFailed),
      );
    const window = windows.get(id) ?? createFailureWindow(before);
    windows.set(id, window);
    return window;
  }

  function copyDeps(
    { id, request, recommendation, record, source, target, capabilities }: MigrationRun,
    failures: FailureWindow,
    mayStart: () => boolean,
    { signal, confirmOpen }: MigrationWatch,
    sourceReads: SourceReads,
  ): PageCopyDeps {
    const { selector, approval } = recommendation;
    const { migrationId } = record;
    const { keyPrefix } = approval;
    const { metadata, limits } = deps.catalogue.entry(approval.targetProvider);
    const prefix = keyPrefixOf(selector);
    const stores = { source, target, keyPrefix, prefix, migrationId, metadata };
    return {
      ...stores,
      capabilities,
      maxParts: limits.parts,
      limits: deps.limits,
      progress: deps.progress,
      failures,
      mayStart,
      sourceReads,
      concurrency: createAdaptiveConcurrency(
        { now: () => performance.now(), random: Math.random, wait: deps.wait, signal },
        MAX_CONCURRENCY,
        MAX_CONCURRENCY,
      ),
      signal,
      confirmOpen,
      maxGrowthBytes: record.manifest
        ? request
          ? roundGrowthAllowance(record.manifest, request.maxTotalUsd)
          : growthAllowance(recommendation.bytes, record.manifest)
        : 0,
      now: deps.now,
      wait: deps.wait,
      uploads: {
        note: (upload) => deps.migrationUploads.note(migrationId, upload, deps.now()),
        notePart: (uploadId, part) => deps.migrationUploads.notePart(migrationId, uploadId, part),
        ofKey: (targetKey) => deps.migrationUploads.ofKey(migrationId, targetKey),
        remove: (uploadId) => deps.migrationUploads.remove(migrationId, uploadId),
      },

      async checkStore(side) {
        await confirmOpen();
        try {
          await shareCheck(`${id}/${side}`, () =>
            side === 'source' ? tryReading(stores) : tryWriting(stores).then(() => undefined),
          );
        } catch (error) {
          // The store answers, with an error: each object's failure counts by itself.
          if (error instanceof StoreError && error.failure === 'failed') return;
          throw classifyStoreError(deps, approval[side].provider, error);
        }
      },

      requireFewFailures() {
        if (!failures.isOver()) return;
        throw new MigrationStopError(
          'too_many_failures',
          `Over ${MAX_FAILURES} of the last ${WINDOW_OBJECTS} objects failed; the report says which and why.`,
        );
      },
    };
  }

  return async (key, sliceMs) => {
    const run = await openRun(deps, key);
    const failures = await loadWindow(run.id);
    const reads = createSourceReads(
      deps.manifests,
      run.id,
      readAllowance(run.record.manifest ?? NO_BYTES),
    );
    const watch = watchMigration(deps.migrations, key, deps.aborting());
    const endsAtMs = performance.now() + sliceMs;
    const isOver = () => watch.signal.aborted || performance.now() >= endsAtMs;
    let histories: Promise<FindHistories> | undefined;
    let hasStarted = false;
    const mayStart = () => {
      if (hasStarted && isOver()) return false;
      hasStarted = true;
      return !watch.signal.aborted;
    };
    return {
      run,
      copying: copyDeps(run, failures, mayStart, watch, reads),
      isOver,
      async findHistories(after, last, { isAnew } = { isAnew: false }) {
        if (isAnew) histories = undefined;
        histories ??= openHistories(deps, run.recommendation, run.record.round);
        return await findAllHistories(await histories, after, last);
      },
      atStores: (work) =>
        atStores(deps, run, async () => {
          try {
            return await work();
          } finally {
            await reads.save();
          }
        }),
      requireOpen: watch.requireOpen,
      close: watch.close,
      classifyTargetError: (error) =>
        classifyStoreError(deps, run.recommendation.approval.target.provider, error),
    };
  };
}
