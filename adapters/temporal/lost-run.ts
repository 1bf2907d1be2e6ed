import { WorkflowNotFoundError, type WorkflowExecutionDescription } from '@temporalio/client';

/** Longer than a worker takes to learn that its workflow was terminated, and to stop its activities. */
const ACTIVITIES_END_MS = 15_000;

/** For `catch`: undefined where the server knows no such run, or none that is open. */
export function ifThere(error: unknown): undefined {
  if (error instanceof WorkflowNotFoundError) return undefined;
  throw error;
}

/** Whether no run is open and no activity of a closed one still runs. */
export function isLost(latest: WorkflowExecutionDescription | undefined, now: Date): boolean {
  if (!latest) return true;
  const { closeTime } = latest;
  return closeTime !== undefined && now.getTime() - closeTime.getTime() > ACTIVITIES_END_MS;
}
