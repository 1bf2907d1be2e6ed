import { WorkflowNotFoundError, type WorkflowExecutionDescription } from '@temporalio/client';

/** Longer than a worker takes to learn that its workflow was terminated, and to stop its activities. */
const ACTIVITIES_END_MS = 15_000;

/** Resolves to undefined where the server knows no run of the workflow. */
export async function describeRun(
  description: Promise<WorkflowExecutionDescription>,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await description;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** Whether no run is open and no activity of a closed one still runs. */
export function isLost(latest: WorkflowExecutionDescription | undefined, now: Date): boolean {
  if (!latest) return true;
  const { closeTime } = latest;
  return closeTime !== undefined && now.getTime() - closeTime.getTime() > ACTIVITIES_END_MS;
}
