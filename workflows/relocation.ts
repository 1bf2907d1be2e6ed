import { CancellationScope, proxyActivities, sleep } from '@temporalio/workflow';
import type { RelocationActivities } from '../activities/relocations/relocation.ts';
import { INTERVALS } from '../domain/common/intervals.ts';
import type { RelocationStatus, RelocationStop } from '../domain/relocations/relocation.ts';
import type { RelocationInput, RelocationSlice } from '../messages/relocation.ts';
import { toFailureReason, UNTIL_DONE, WATCHED } from './failures.ts';
import { isLong, startNextRun } from './runs.ts';
import { showRelocation } from './visibility.ts';

const { relocate } = proxyActivities<RelocationActivities>({
  ...WATCHED,
  // A slice ends after the files in flight, which may be terabytes.
  startToCloseTimeout: '7d',
  summary: 'Plan, copy and move files, and delete their old objects once no URL reaches them',
});
const { stopRelocation } = proxyActivities<RelocationActivities>({
  ...UNTIL_DONE,
  startToCloseTimeout: '15s',
  summary: 'Store why no further file is copied',
});

/** Failures that end a relocation with their own code. */
const CODES = ['provider_error', 'provider_not_configured', 'quote_exceeded'] as const;
const CANCELLED: RelocationStop = { status: 'cancelled', error: null };

/**
 * Moves files from one place of an account to another. MongoDB holds the plan, the ledger and what
 * is due. A cancel is stored, and the running slice sees it; a request to cancel the workflow counts
 * as the user's. After either, the old objects of moved files are deleted all the same.
 */
export async function relocation(input: RelocationInput): Promise<{ status: RelocationStatus }> {
  const { cancelRequested } = CancellationScope.current();
  return await CancellationScope.nonCancellable(() => {
    cancelRequested.catch(() => stopRelocation(input, CANCELLED));
    return relocateAll(input);
  });
}

async function relocateAll(input: RelocationInput): Promise<{ status: RelocationStatus }> {
  let hasFailed = false;
  for (;;) {
    if (isLong()) await startNextRun(input);
    const slice = await relocateOrStop(input);
    if (slice) showRelocation(slice);
    if (slice?.isSettled) return { status: slice.status };
    // The first failure ends the copying at once; what is left to delete is tried again later.
    const waitMs = slice ? slice.waitMs : hasFailed ? INTERVALS.maxRetryMs : 0;
    if (waitMs > 0) await sleep(waitMs, { summary: 'Wait until old objects are due' });
    hasFailed = !slice;
  }
}

/** Undefined: it has failed, and copies no further file. */
async function relocateOrStop(input: RelocationInput): Promise<RelocationSlice | undefined> {
  try {
    return await relocate(input);
  } catch (reason) {
    const error = toFailureReason('relocation', CODES, reason);
    await stopRelocation(input, { status: 'failed', error });
    return undefined;
  }
}
