import {
  CancellationScope,
  CancelledFailure,
  makeContinueAsNewFunc,
  workflowInfo,
} from '@temporalio/workflow';

/** Whether the server suggests a next run: by default at 4,096 events, or at 4 MiB of history. */
export function isLong(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

/**
 * Ends this run and starts the next one of the same workflow. Search attributes and memo are kept.
 *
 * A cancelled run does not continue: neither the signal nor the request that cancelled it would
 * reach the next run.
 *
 * @throws CancelledFailure if the current scope is cancelled
 */
export async function startNextRun(...input: readonly object[]): Promise<never> {
  if (CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('cancelled before the next run');
  // By default the next run gets the memo of the start, without later changes.
  const { memo } = workflowInfo();
  return await makeContinueAsNewFunc(memo ? { memo } : {})(...input);
}

/**
 * Runs `work` several times in parallel. The first failure cancels the others, and is thrown once
 * all have ended: what is written after it is written before the end.
 */
export async function runInParallel(count: number, work: () => Promise<void>): Promise<void> {
  const scope = new CancellationScope();
  const failures: unknown[] = [];
  const guarded = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      failures.push(error);
      scope.cancel();
    }
  };
  await scope.run(async () => {
    await Promise.all(Array.from({ length: count }, guarded));
  });
  if (failures.length > 0) throw failures[0];
}
