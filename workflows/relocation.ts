import {
  CancellationScope,
  ContinueAsNew,
  proxyActivities,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow';
import type { RelocationActivities } from '../activities/relocations/relocation.ts';
import type { RelocationStatus } from '../domain/relocations/relocation.ts';
import type { RelocationInput, RelocationSlice } from '../messages/relocation.ts';
import { formatCount, formatNumber } from '../shared/amounts.ts';
import { toFailureReason, UNTIL_DONE, WATCHED } from './failures.ts';
import { isLong, startNextRun } from './runs.ts';

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

/**
 * Moves files from one place of an account to another. MongoDB holds the plan, the ledger and what
 * is due. A cancel is stored, and the running slice sees it.
 */
export async function relocation(input: RelocationInput): Promise<{ status: RelocationStatus }> {
  for (;;) {
    if (isLong()) await startNextRun(input);
    const slice = await relocateOrStop(input);
    if (!slice) continue;
    show(slice);
    if (slice.isSettled) return { status: slice.status };
    if (slice.waitMs > 0) await sleep(slice.waitMs, { summary: 'Wait for the last URLs to end' });
  }
}

/** Undefined: it has failed, and is to be ended. */
async function relocateOrStop(input: RelocationInput): Promise<RelocationSlice | undefined> {
  try {
    return await relocate(input);
  } catch (reason) {
    if (reason instanceof ContinueAsNew) throw reason;
    const error = toFailureReason('relocation', CODES, reason);
    await CancellationScope.nonCancellable(() => stopRelocation(input, error));
    return undefined;
  }
}

function show({ status, files, moved, failed }: RelocationSlice): void {
  setCurrentDetails(
    `**${status}**: ${formatNumber(moved)} of ${formatCount(files, 'file')} moved, ` +
      `${formatNumber(failed)} failed.`,
  );
}
