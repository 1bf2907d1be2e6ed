import { proxyActivities } from '@temporalio/workflow';
import type { RelocationActivities } from '../activities/relocations/relocation.ts';
import type { RelocationStatus } from '../domain/relocations/relocation.ts';
import type { RelocationInput } from '../messages/relocation.ts';
import { UNTIL_DONE, WATCHED } from './failures.ts';
import { runToEnd } from './place-run.ts';
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

/**
 * Moves files from one place of an account to another. MongoDB holds the plan, the ledger and what
 * is due. However it ends, the old objects of moved files are deleted.
 */
export async function relocation(input: RelocationInput): Promise<{ status: RelocationStatus }> {
  return await runToEnd(input, {
    what: 'relocation',
    work: relocate,
    stop: stopRelocation,
    show: showRelocation,
    waiting: 'Wait until old objects are due',
  });
}
