import { LRUCache } from 'lru-cache';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { createAdaptiveConcurrency } from '../../adapters/object-store/adaptive-concurrency.ts';
import { createFailureWindow, type FailureWindow } from '../../domain/migrations/stop.ts';
import type { Manifest } from '../../domain/migrations/migration.ts';
import {
  growthAllowance,
  readAllowance,
  MAX_SLICES,
  roundGrowthAllowance,
} from '../../domain/migrations/manifest.ts';
import type { MigrationRoundKey } from '../../messages/migration.ts';
import type { KeyHistory } from '../../domain/migrations/key-history.ts';
import { keyPrefixOf } from '../../domain/decision/types.ts';
import type { ProviderName } from '../../domain/providers/catalogue.ts';
import type { MigrationContext } from '../contexts.ts';
import { findAllHistories, openHistories, type FindHistories } from './key-histories.ts';
import { atStores, classifyStoreError, openRun, type MigrationRun } from './run.ts';
import { watchMigration, type MigrationWatch } from './watch.ts';
import { createSourceReads } from './source-reads.ts';
import type { PageCopyDeps } from './page-copy.ts';
import { tryReading, tryWriting } from './preflight.ts';

export interface MigrationSlice extends Pick<MigrationWatch, 'requireOpen' | 'close'> {
  readonly run: MigrationRun;
  readonly copying: PageCopyDeps;
  /**
   * What the ledgers of other rounds and migrations say of the keys behind one, up to another,
   * whose number must be bounded. Ledgers that have begun since the slice did are not among them,
   * unless they are asked for anew.
   */
  findHistories(
    after: string | null,
    last: string,
    options?: { readonly isAnew: boolean },
  ): Promise<ReadonlyMap<string, KeyHistory>>;
  /** Whether no further page may be started. */
  isOver(): boolean;
  atStores<Result>(work: () => Promise<Result>): Promise<Result>;
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

class SharedState {
  readonly #context: MigrationContext;
  readonly #windows = new LRUCache<string, FailureWindow>({ max: MAX_WINDOWS });
  /** By name, the check of a store that runs. */
  readonly check = shareRunning();

  constructor(context: MigrationContext) {
    this.#context = context;
  }

  /** The window in which the slices of a round count their failures together. */
  async window(id: string): Promise<FailureWindow> {
    const open = this.#windows.get(id);
    if (open) return open;
    const latest = await this.#context.manifests.latestCounts(id, WINDOW_PAGES);
    // The order within a page is unknown; the latest pages leave the window last.
    const outcomes = latest
      .reverse()
      .flatMap(({ tried, triedAndFailed }) =>
        Array.from({ length: tried }, (_unused, at) => at < triedAndFailed),
      );
    const window = this.#windows.get(id) ?? createFailureWindow(outcomes);
    this.#windows.set(id, window);
    return window;
  }
}

export function createSlices(context: MigrationContext): OpenSlice {
  const shared = new SharedState(context);
  return async (key, sliceMs) => {
    const run = await openRun(context, key);
    const { record, recommendation } = run;
    const failures = await shared.window(run.id);
    const allowedBytes = readAllowance(record.manifest ?? NO_BYTES);
    const sourceReads = createSourceReads(context.manifests, run.id, allowedBytes);
    const isOpen = async () => {
      const status = await context.migrations.openStatus(key);
      return status !== undefined && status !== 'cancelling';
    };
    const watch = watchMigration(isOpen, context.slices.signal());
    const endsAtMs = performance.now() + sliceMs;
    const isOver = () => watch.signal.aborted || performance.now() >= endsAtMs;
    let histories: Promise<FindHistories> | undefined;
    const mayStart = startsUntil(isOver, watch.signal);
    return {
      run,
      copying: { ...toCopying(context, shared, run, watch), failures, mayStart, sourceReads },
      isOver,
      async findHistories(after, last, { isAnew } = { isAnew: false }) {
        if (isAnew) histories = undefined;
        histories ??= openHistories(context, recommendation, record.round);
        return await findAllHistories(await histories, after, last);
      },
      atStores: (work) =>
        atStores(context, run, async () => {
          try {
            return await work();
          } finally {
            await sourceReads.save();
          }
        }),
      requireOpen: watch.requireOpen,
      close: watch.close,
      classifyTargetError: (error) =>
        classifyStoreError(context, recommendation.approval.target.provider, error),
    };
  };
}

/** Objects that fail together share one check of their store: it writes one key per migration. */
export function shareRunning() {
  const checks = new Map<string, Promise<void>>();
  return (name: string, check: () => Promise<void>): Promise<void> => {
    const running = checks.get(name) ?? check().finally(() => checks.delete(name));
    checks.set(name, running);
    return running;
  };
}

/** Whether another object may be started: the first one always, unless the work is aborted. */
export function startsUntil(isOver: () => boolean, signal: AbortSignal): () => boolean {
  let hasStarted = false;
  return () => {
    if (hasStarted && isOver()) return false;
    hasStarted = true;
    return !signal.aborted;
  };
}

function toCopying(
  context: MigrationContext,
  shared: SharedState,
  { id, request, recommendation, record, source, target, capabilities }: MigrationRun,
  watch: MigrationWatch,
): SharedCopying {
  const { approval, bytes } = recommendation;
  const { migrationId, manifest } = record;
  const growth = (of: Manifest) =>
    request ? roundGrowthAllowance(of, request.maxTotalUsd) : growthAllowance(bytes, of);
  const copying: Copying = {
    migrationId,
    source,
    target,
    providers: { source: approval.source.provider, target: approval.target.provider },
    keyPrefix: approval.keyPrefix,
    sourcePrefix: keyPrefixOf(recommendation.selector),
    capabilities,
    maxGrowthBytes: manifest ? growth(manifest) : 0,
  };
  return createCopying(context, copying, watch, (side, check) =>
    shared.check(`${id}/${side}`, check),
  );
}

/** Objects that are copied from one store to another. */
export interface Copying extends Pick<
  PageCopyDeps,
  'migrationId' | 'source' | 'target' | 'keyPrefix' | 'capabilities' | 'maxGrowthBytes'
> {
  readonly providers: { readonly source: ProviderName; readonly target: ProviderName };
  readonly sourcePrefix: string;
}

type SharedCopying = Omit<PageCopyDeps, 'failures' | 'mayStart' | 'sourceReads'>;

/** What copies need, beside what is of a slice. */
export function createCopying(
  context: MigrationContext,
  { providers, sourcePrefix, ...copying }: Copying,
  { signal, confirmOpen }: MigrationWatch,
  once: (side: 'source' | 'target', check: () => Promise<void>) => Promise<void>,
): SharedCopying {
  const { migrationUploads: uploads, progress, now } = context;
  const { wait } = context.slices;
  const { migrationId, source } = copying;
  const { metadata, limits } = context.catalogue.entry(providers.target);
  return {
    ...copying,
    metadata,
    maxParts: limits.parts,
    limits: context.limits,
    progress,
    concurrency: createAdaptiveConcurrency(
      { now: () => performance.now(), random: Math.random, wait, signal },
      MAX_CONCURRENCY,
      MAX_CONCURRENCY,
    ),
    signal,
    confirmOpen,
    now,
    wait,
    uploads: {
      note: (upload) => uploads.note(migrationId, upload, now()),
      notePart: (uploadId, part) => uploads.notePart(migrationId, uploadId, part),
      ofKey: (targetKey) => uploads.ofKey(migrationId, targetKey),
      remove: (uploadId) => uploads.remove(migrationId, uploadId),
    },

    async checkStore(side) {
      await confirmOpen();
      try {
        await once(side, async () => {
          if (side === 'source') await tryReading(source, sourcePrefix);
          else await tryWriting({ ...copying, metadata });
        });
      } catch (error) {
        // The store answers, with an error: each object's failure counts by itself.
        if (error instanceof StoreError && error.failure === 'failed') return;
        throw classifyStoreError(context, providers[side], error);
      }
    },
  };
}
