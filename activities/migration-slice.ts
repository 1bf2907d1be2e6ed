import type { Ledger } from '../adapters/mongo/ledger.ts';
import type { Manifests } from '../adapters/mongo/manifests.ts';
import { StoreError } from '../adapters/object-store/errors.ts';
import { createAdaptiveConcurrency } from '../adapters/object-store/adaptive-concurrency.ts';
import {
  createFailureWindow,
  MAX_FAILURES,
  WINDOW_OBJECTS,
  type FailureWindow,
} from '../domain/migration/failure-window.ts';
import { MigrationStop } from '../domain/migration/stop.ts';
import type { CopyGate } from './copy-gate.ts';
import {
  openRun,
  storeVerdict,
  type MigrationRun,
  type MigrationRunDeps,
  type MigrationRunKey,
} from './migration-run.ts';
import type { PageCopyDeps } from './page-copy.ts';
import { tryReading, tryWriting } from './preflight.ts';

export interface MigrationSliceDeps extends MigrationRunDeps {
  readonly manifests: Manifests;
  readonly ledger: Ledger;
  /** One for all that this process copies. */
  readonly gate: CopyGate;
  readonly now: () => Date;
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Aborted when the work is to end after what is in flight. */
  readonly ending: () => AbortSignal;
  /** Aborted when the work is to end at once. */
  readonly aborting: () => AbortSignal;
  /** How often this slice has been tried, the first time included. */
  readonly attempt: () => number;
}

/** A while of work on one migration. */
export interface MigrationSlice {
  readonly copying: PageCopyDeps;
  /** Whether no page more is to be begun. */
  isOver(): boolean;
  /** What an error of the target means for the run. */
  targetVerdict(error: unknown): unknown;
}

export type OpenSlice = (key: MigrationRunKey, sliceMs: number) => Promise<MigrationSlice>;

/** Objects that one slice copies side by side, at most: the slices of a worker share its sockets. */
const MAX_AT_ONCE = 16;
/** Pages that may hold the latest thousand objects: four hands leave as many in the middle. */
const WINDOW_PAGES = 6;
/** Migrations of which a process remembers the latest failures. */
const MAX_WINDOWS = 50;

export function createSlices(deps: MigrationSliceDeps): OpenSlice {
  const windows = new Map<string, FailureWindow>();

  /** Slices of one migration in one process count their failures together. */
  async function windowOf(migrationId: string): Promise<FailureWindow> {
    const known = windows.get(migrationId);
    if (known) return known;
    const latest = await deps.manifests.latest(migrationId, WINDOW_PAGES);
    // In which order they failed is not told; the latest pages are the last to leave the window.
    const before = latest
      .reverse()
      .flatMap(({ tried, triedInVain }) =>
        Array.from({ length: tried }, (_unused, at) => at < triedInVain),
      );
    const window = windows.get(migrationId) ?? createFailureWindow(before);
    windows.set(migrationId, window);
    const [oldest] = windows.keys();
    if (windows.size > MAX_WINDOWS && oldest !== undefined) windows.delete(oldest);
    return window;
  }

  function copyDeps(
    { recommendation, source, target }: MigrationRun,
    failures: FailureWindow,
    mayBegin: () => boolean,
  ): PageCopyDeps {
    const { bucket, selector, approval } = recommendation;
    const { migrationId } = approval;
    const stores = { source, target, bucket, prefix: selector.prefix ?? '', migrationId };
    const clock = { now: () => performance.now(), random: Math.random };
    return {
      ...stores,
      gate: deps.gate,
      failures,
      mayBegin,
      pace: createAdaptiveConcurrency(clock, MAX_AT_ONCE, MAX_AT_ONCE),
      signal: deps.aborting(),
      now: deps.now,
      wait: deps.wait,

      async askStore(side) {
        try {
          await (side === 'source' ? tryReading(stores) : tryWriting(stores));
        } catch (error) {
          // It answers, if with an error: then the objects are counted one by one.
          if (error instanceof StoreError && error.failure === 'failed') return;
          throw storeVerdict(approval[side].provider, error, deps.attempt());
        }
      },

      requireFewFailures() {
        if (!failures.isOver()) return;
        throw new MigrationStop(
          'too_many_failures',
          `Over ${MAX_FAILURES} of the last ${WINDOW_OBJECTS} objects failed; the report says which and why.`,
        );
      },
    };
  }

  return async (key, sliceMs) => {
    const run = await openRun(deps, key);
    const ending = deps.ending();
    const endsAtMs = performance.now() + sliceMs;
    const isOver = () => ending.aborted || performance.now() >= endsAtMs;
    let hasBegun = false;
    const mayBegin = () => {
      if (hasBegun && isOver()) return false;
      hasBegun = true;
      return !ending.aborted;
    };
    return {
      copying: copyDeps(run, await windowOf(key.migrationId), mayBegin),
      isOver,
      targetVerdict: (error) =>
        storeVerdict(run.recommendation.approval.target.provider, error, deps.attempt()),
    };
  };
}
