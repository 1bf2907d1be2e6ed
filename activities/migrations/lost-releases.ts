import type { DueRelease } from '../../adapters/mongo/migrations/releases.ts';
import { afterBackoff, interruptedError, MAX_RESTARTS } from '../../domain/common/sweep.ts';
import type { MigrationContext } from '../contexts.ts';

/** Starts a lost release check again, which goes on where it was; after `MAX_RESTARTS` it fails. */
export async function continueRelease(
  { releases, releaseCommands, now }: MigrationContext,
  due: DueRelease,
): Promise<'running' | 'restarted' | 'ended'> {
  const { release, attempts } = due;
  const isLost = await releaseCommands.isLost(release);
  if (isLost && attempts >= MAX_RESTARTS) {
    const error = interruptedError('release check');
    await releases.end(release.releaseId, { status: 'failed', versioned: null, error }, now());
    return 'ended';
  }
  try {
    if (!isLost) return 'running';
    await releaseCommands.startRelease(release);
    return 'restarted';
  } finally {
    await releases.due.postpone(due, afterBackoff(attempts, now()), isLost);
  }
}
