import {
  CancellationScope,
  ContinueAsNew,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { ReleaseActivities } from '../activities/migrations/release.ts';
import type { ReleaseKey, ReleaseOutcome, ReleaseSlice } from '../messages/release.ts';
import { formatCount } from '../shared/amounts.ts';
import { toFailureReason, UNTIL_DONE, WATCHED } from './failures.ts';
import { isLong, startNextRun } from './runs.ts';

const { checkRelease } = proxyActivities<ReleaseActivities>({
  ...WATCHED,
  startToCloseTimeout: '5m',
  summary: 'Compare source, ledger and target',
});
const { failRelease } = proxyActivities<ReleaseActivities>({
  ...UNTIL_DONE,
  startToCloseTimeout: '15s',
  summary: 'Store why the check failed',
});

/** Failures that end a check with their own code. */
const CODES = ['provider_error', 'provider_not_configured'] as const;

/** Checks whether the source of a migration can be given up. MongoDB holds what was compared. */
export async function release(key: ReleaseKey): Promise<ReleaseOutcome> {
  try {
    for (;;) {
      if (isLong()) await startNextRun(key);
      const slice = await checkRelease(key);
      showRelease(key, slice);
      if (slice.status !== 'checking') return { status: slice.status };
    }
  } catch (reason) {
    if (reason instanceof ContinueAsNew) throw reason;
    const error = toFailureReason('release check', CODES, reason);
    await CancellationScope.nonCancellable(() => failRelease(key, error));
    return { status: 'failed' };
  }
}

function showRelease(
  { migrationId }: ReleaseKey,
  { status, objects, differences }: ReleaseSlice,
): void {
  setCurrentDetails(
    `**${status}**: the source of the migration ${migrationId}; ${formatCount(objects, 'object')} proven, ` +
      `${formatCount(differences, 'difference')}.`,
  );
}
