import { CancellationScope, sleep } from '@temporalio/workflow';
import { INTERVALS } from '../domain/common/intervals.ts';
import type { RelocationStop } from '../domain/relocations/relocation.ts';
import { toFailureReason } from './failures.ts';
import { isLong, startNextRun } from './runs.ts';

interface Slice<Status> {
  readonly status: Status;
  readonly isSettled: boolean;
  readonly waitMs: number;
}

interface PlaceRun<Input, Part> {
  readonly what: Parameters<typeof toFailureReason>[0];
  /** Works for a while, as far as it has come. */
  readonly work: (input: Input) => Promise<Part>;
  /** Stores why it goes no further. */
  readonly stop: (input: Input, stopping: RelocationStop) => Promise<void>;
  readonly show: (slice: Part) => void;
  /** What it waits for, as operators see it. */
  readonly waiting: string;
}

/** Failures that end it with their own code. */
const CODES = ['provider_error', 'provider_not_configured', 'quote_exceeded'] as const;
const CANCELLED: RelocationStop = { status: 'cancelled', error: null };

/**
 * A relocation or a drill, slice by slice. A cancel is stored, and the running slice sees it; a
 * request to cancel the workflow counts as the user's. After either, and after a failure, what is
 * left to delete is deleted all the same.
 */
export async function runToEnd<Status, Input extends object, Part extends Slice<Status>>(
  input: Input,
  run: PlaceRun<Input, Part>,
): Promise<{ status: Status }> {
  const { cancelRequested } = CancellationScope.current();
  return await CancellationScope.nonCancellable(() => {
    cancelRequested.catch(() => run.stop(input, CANCELLED));
    return runAll<Status, Input, Part>(input, run);
  });
}

async function runAll<Status, Input extends object, Part extends Slice<Status>>(
  input: Input,
  run: PlaceRun<Input, Part>,
): Promise<{ status: Status }> {
  let hasFailed = false;
  for (;;) {
    if (isLong()) await startNextRun(input);
    const slice = await workOrStop(input, run);
    if (slice) run.show(slice);
    if (slice?.isSettled) return { status: slice.status };
    // The first failure ends the copying at once; what is left to delete is tried again later.
    const waitMs = slice ? slice.waitMs : hasFailed ? INTERVALS.maxRetryMs : 0;
    if (waitMs > 0) await sleep(waitMs, { summary: run.waiting });
    hasFailed = !slice;
  }
}

/** Undefined: it has failed, and copies nothing further. */
async function workOrStop<Input, Part>(
  input: Input,
  { what, work, stop }: PlaceRun<Input, Part>,
): Promise<Part | undefined> {
  try {
    return await work(input);
  } catch (reason) {
    await stop(input, { status: 'failed', error: toFailureReason(what, CODES, reason) });
    return undefined;
  }
}
