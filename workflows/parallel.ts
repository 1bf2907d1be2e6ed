import { CancellationScope } from '@temporalio/workflow';

/**
 * Runs `work` several times in parallel. The first failure cancels the others, and is thrown once all
 * have ended: what is written after it is written before the end.
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
