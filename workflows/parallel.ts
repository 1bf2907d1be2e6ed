import { CancellationScope } from '@temporalio/workflow';

/**
 * Replays tell by this patch whether a run was begun by a version that awaited its work. Read once per
 * run, before its first slice.
 */
export const AWAIT_ALL = 'await-all';

/**
 * Runs `work` several times in parallel. The first failure cancels the others, and is thrown once all
 * have ended: what is written after it is written before the end.
 *
 * `awaitsAll` is false in runs that an earlier version began: they end with the first failure.
 */
export async function runInParallel(
  count: number,
  awaitsAll: boolean,
  work: () => Promise<void>,
): Promise<void> {
  if (!awaitsAll) {
    await Promise.all(Array.from({ length: count }, work));
    return;
  }
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
