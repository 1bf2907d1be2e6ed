import type { DueFile } from '../../adapters/mongo/uploads/files.ts';
import { storeOf, type Account } from '../../domain/accounts/account.ts';
import { afterBackoff } from '../../domain/common/sweep.ts';
import { isPaused, refusalsOf, type WorkAtStore } from '../../domain/providers/pause.ts';
import { workAtStore } from '../../domain/uploads/file.ts';
import { StorePausedError } from '../../operations/providers/pause.ts';
import { countPending, holdFile, noteStarted } from '../../operations/uploads/file-transitions.ts';
import { giveUp } from '../../operations/uploads/give-up.ts';
import { forEachConcurrently } from '../../adapters/concurrently.ts';
import { sweepDue, takeFirst, type Portion, type Swept } from '../common/sweep.ts';
import type { UploadContext } from '../contexts.ts';
import { sweepFormerPlaces } from './former-places.ts';

const HELD_AT_ONCE = 10;

/**
 * A file got its totals counted, had its workflow started, woken or at work already, was given up,
 * or nothing succeeded.
 */
const OUTCOMES = ['counted', 'started', 'woken', 'working', 'given_up', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

export type FileSweepActivities = ReturnType<typeof createFileSweepActivities>;

export function createFileSweepActivities(context: UploadContext) {
  const { files, progress, now } = context;
  return {
    /**
     * Continues the work on every file whose `nextAttemptAt` has passed: counts pending totals,
     * wakes or replaces the workflow of an overdue file or of a delete.
     *
     * It also deletes the credentials of former places that nothing needs.
     *
     * A file that cannot be helped is due again after a time that doubles. Files whose store
     * refuses their work to the account wait until it is accepted again.
     */
    async sweepUploads(): Promise<Swept<Outcome>> {
      await sweepFormerPlaces(context);
      await releaseHeld(context);
      return await sweepDue({
        now,
        progress,
        outcomes: OUTCOMES,
        due: files.due,
        choose: (accountId, due) => chooseFiles(context, accountId, due),
        continueWork: (file) => continueFile(context, file),
      });
    },
  };
}

/** Counts pending totals, gives up what was held too long, and wakes the workflow for the rest. */
async function continueFile(context: UploadContext, file: DueFile): Promise<Outcome> {
  const { files, uploads, now } = context;
  try {
    if (file.unstarted) {
      await uploads.startUpload(file);
      await noteStarted(context, file);
      return 'started';
    }
    const counted = await countPending(context, file);
    if (counted.nextAttemptAt === undefined) return 'counted';
    if (counted.held) {
      await giveUp(context, counted, new StorePausedError(counted.held.store));
      return 'given_up';
    }
    if (await uploads.isWorking(counted)) return 'working';
    await uploads.wake(counted);
    return 'woken';
  } catch {
    return 'failed';
  } finally {
    // Nothing if the file has changed.
    await files.due.postpone(file, afterBackoff(file.attempts, now()));
  }
}

/** Holds files whose store refuses their work, without workflows; chooses among the others. */
async function chooseFiles(
  context: UploadContext,
  accountId: string,
  due: readonly DueFile[],
): Promise<Portion<DueFile>> {
  const account = await context.accounts.findAccount(accountId);
  if (!account) return takeFirst(due);
  const refused = due.filter((file) => isRefused(account, file, context.now()));
  await forEachConcurrently(refused, HELD_AT_ONCE, async (file) => {
    await holdFile(context, file, storeOf(account, file.location));
  });
  const { documents, hasMore } = takeFirst(due.filter((file) => !refused.includes(file)));
  return { documents, hasMore: hasMore || refused.length > 0 };
}

function isRefused(account: Account, file: DueFile, now: Date): boolean {
  const work = workAtStore(file);
  if (!work || file.held || file.totalsPending || file.unstarted) return false;
  return isPaused(refusalsOf(account, { store: storeOf(account, file.location), work }), now);
}

/** Releases held files, store by store. Where that fails, the next sweep does it. */
async function releaseHeld(context: UploadContext): Promise<void> {
  for (const { at } of await context.files.listHeld()) {
    await releaseAt(context, at).catch(() => undefined);
    context.progress.report();
  }
}

/** Makes files due whose store no longer refuses their work, or one of them to try it. */
async function releaseAt({ accounts, files, now }: UploadContext, at: WorkAtStore): Promise<void> {
  const account = await accounts.findAccount(at.accountId);
  const refusals = account && refusalsOf(account, at);
  if (isPaused(refusals, now())) return;
  await files.release(at, refusals?.probeAt ? 'one' : 'all', now());
}
