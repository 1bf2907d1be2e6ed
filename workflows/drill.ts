import { proxyActivities } from '@temporalio/workflow';
import type { DrillActivities } from '../activities/drills/drill.ts';
import type { DrillStatus } from '../domain/drills/drill.ts';
import type { DrillInput } from '../messages/drill.ts';
import { UNTIL_DONE, WATCHED } from './failures.ts';
import { runToEnd } from './place-run.ts';
import { showDrill } from './visibility.ts';

const { tryExit } = proxyActivities<DrillActivities>({
  ...WATCHED,
  // The sample is drawn in one pass over all objects.
  startToCloseTimeout: '7d',
  summary: 'Sample objects, copy them, read them back, and remove the copies',
});
const { stopDrill } = proxyActivities<DrillActivities>({
  ...UNTIL_DONE,
  startToCloseTimeout: '15s',
  summary: 'Store why the drill goes no further',
});

/** Tries a move with a sample of a place's objects. However it ends, the copies are removed. */
export async function drill(input: DrillInput): Promise<{ status: DrillStatus }> {
  return await runToEnd(input, {
    what: 'exit drill',
    work: tryExit,
    stop: stopDrill,
    show: showDrill,
    waiting: 'Wait before the copies are removed',
  });
}
