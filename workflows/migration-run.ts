import { CancellationScope, condition, ContinueAsNew, log } from '@temporalio/workflow';
import { slicesFor } from '../domain/migrations/manifest.ts';
import type { EndReason } from '../domain/migrations/migration.ts';
import type {
  BegunMigration,
  MigrationInput,
  MigrationRoundKey,
  MigrationOutcome,
  OpenedMigration,
} from '../messages/migration.ts';
import { MigrationState } from './migration-state.ts';
import {
  abortUploads,
  beginCancelling,
  beginVerifying,
  buildManifest,
  copyPages,
  endMigration,
  toMigrationError,
  tryStores,
  verifyPages,
} from './migration-steps.ts';
import { isLong, runInParallel, startNextRun } from './runs.ts';
import { showMigration } from './visibility.ts';

export interface Migration {
  readonly key: MigrationRoundKey;
  readonly opened: OpenedMigration;
  readonly state: MigrationState;
  /** An earlier run has tried the stores. */
  readonly isResumed: boolean;
  /** Set if an earlier run was lost while it wrote the end. */
  readonly endReason: EndReason | undefined;
}

export interface Control {
  isSignalled: boolean;
  isCancelled: boolean;
  /** Cancelled with the migration; the end is written outside of it. */
  readonly work: CancellationScope;
  cancel(): void;
}

export function createMigration(
  key: MigrationRoundKey,
  opened: OpenedMigration,
  begun: Pick<BegunMigration, 'resume' | 'endReason'> = {},
): Migration {
  return {
    key,
    opened,
    state: new MigrationState(begun.resume),
    isResumed: begun.resume !== undefined,
    endReason: begun.endReason,
  };
}

/** Does the work of an approved migration, and writes its end. */
export async function carryOut(current: Migration, control: Control): Promise<MigrationOutcome> {
  const { key, opened, state } = current;
  let isEnding = false;
  const cancelling = showCancelling(current, control, () => isEnding);
  // A cancellation that comes later changes nothing.
  const reason = current.endReason ?? (await workUntilEnd(current, control));
  isEnding = true;
  return await CancellationScope.nonCancellable(async () => {
    await cancelling;
    // If the target refuses, or is unavailable for too long, the record of these uploads stays.
    await abortUploads(key, reason).catch((error: unknown) =>
      log.warn('incomplete multipart uploads are left at the target', { error: String(error) }),
    );
    const { status, counts } = await endMigration(key, reason);
    state.end(status, counts);
    showMigration(opened, state);
    return { status };
  });
}

async function workUntilEnd(current: Migration, control: Control): Promise<EndReason> {
  try {
    await control.work.run(() => doWork(current));
    return { isCancelled: control.isCancelled, error: null };
  } catch (reason) {
    if (reason instanceof ContinueAsNew) throw reason;
    const { isCancelled } = control;
    return { isCancelled, error: isCancelled ? null : toMigrationError(reason) };
  }
}

/** Shows and stores that a cancelled migration still finishes the objects in flight. */
async function showCancelling(
  { key, opened, state }: Migration,
  control: Control,
  isEnding: () => boolean,
): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    await condition(() => control.isCancelled || isEnding());
    if (isEnding()) return;
    state.cancel();
    showMigration(opened, state);
    await beginCancelling(key);
  });
}

async function doWork(current: Migration): Promise<void> {
  const { key, opened, state } = current;
  if (state.phase === 'planning') await buildWholeManifest(current);
  if (state.phase === 'copying') {
    await processPages(current, copyPages, 'Copy');
    await beginVerifying(key);
    state.begin('verifying', Date.now());
    showMigration(opened, state);
  }
  await processPages(current, verifyPages, 'Verify');
}

async function buildWholeManifest(current: Migration): Promise<void> {
  const { key, opened, state, isResumed } = current;
  if (!isResumed) await tryStores(key);
  for (let isWhole = false; !isWhole;) {
    if (isLong()) await continueLater(current);
    const slice = await buildManifest(key);
    state.setManifest(slice);
    ({ isWhole } = slice);
    showMigration(opened, state);
  }
  state.begin('copying', Date.now());
}

function continueLater({ key, opened, state }: Migration): Promise<never> {
  const resume = state.toContinueAsNew(opened);
  return startNextRun({ ...key, resume } satisfies MigrationInput);
}

/** All pages, by some slices in parallel; a long run continues as new. */
async function processPages(
  current: Migration,
  activity: typeof copyPages,
  verb: string,
): Promise<void> {
  const { key, opened, state } = current;
  let busy = 0;
  // Each slice copies several objects in parallel, on any worker.
  const slices = slicesFor(state.pages);
  await runInParallel(slices, runSlices);
  if (state.hasPages()) await continueLater(current);

  async function runSlices(): Promise<void> {
    for (;;) {
      // A slice returns the pages that it did not reach, and others may take them then.
      await condition(() => state.hasPages() || busy === 0 || isLong());
      if (isLong() || !state.hasPages()) return;
      const pages = state.take(slices);
      busy += 1;
      const summary = `${verb} ${describePages(pages, state.pages)}`;
      const slice = await activity.executeWithOptions({ summary }, [
        key,
        pages,
        state.sliceMs(Date.now()),
      ]);
      busy -= 1;
      state.note(pages, slice, Date.now());
      showMigration(opened, state);
    }
  }
}

/** Pages are counted from 1, and need not be adjacent. */
function describePages(pages: readonly number[], total: number): string {
  const first = (pages[0] ?? 0) + 1;
  return pages.length === 1
    ? `page ${first} of ${total}`
    : `${pages.length} of ${total} pages, the first of them ${first}`;
}
