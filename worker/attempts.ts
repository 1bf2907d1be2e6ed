import { Context, type Info } from '@temporalio/activity';
import { progress } from './progress.ts';

/** The heartbeat details of an activity at a store. */
interface Postponed {
  /** Attempts that ended before their work, because the store was suspended. */
  readonly postponed: number;
}

/** The number of this attempt, from 1. Attempts at a suspended store do not count. */
export function attempt(): number {
  const { info } = Context.current();
  return info.attempt - countPostponed(info);
}

/** Notes that this attempt ends before its work. */
export function notePostponed(): void {
  progress.report({ postponed: countPostponed(Context.current().info) + 1 } satisfies Postponed);
}

function countPostponed({ heartbeatDetails }: Info): number {
  const details: unknown = heartbeatDetails;
  if (typeof details !== 'object' || details === null || !('postponed' in details)) return 0;
  return Number(details.postponed);
}
