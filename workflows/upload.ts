import { condition, proxyActivities, proxyLocalActivities, setHandler } from '@temporalio/workflow';
import type { UploadActivities } from '../activities/uploads.ts';
import { wakeUpload, type UploadInput, type UploadState } from '../messages/upload.ts';
import { showUpload } from './visibility.ts';

/** A read of the database, with what follows from it. */
const REVIEW_TIMEOUT = '5s';
const STORE_TIMEOUT = '30s';
/** A store that fails longer than this no longer delays the expiry. */
const SETTLE_TIMEOUT = '24h';

const STEADILY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' } as const;

const { reviewUpload } = proxyLocalActivities<UploadActivities>({
  startToCloseTimeout: REVIEW_TIMEOUT,
  retry: STEADILY,
});
const { deleteObject } = proxyActivities<UploadActivities>({
  startToCloseTimeout: STORE_TIMEOUT,
  retry: STEADILY,
  summary: 'Delete the object, until the store has done it',
});
const { cleanUp } = proxyActivities<UploadActivities>({
  startToCloseTimeout: STORE_TIMEOUT,
  retry: STEADILY,
  summary: 'Delete what came late, abort what was left half uploaded',
});
const { settleUpload } = proxyActivities<UploadActivities>({
  startToCloseTimeout: STORE_TIMEOUT,
  scheduleToCloseTimeout: SETTLE_TIMEOUT,
  retry: STEADILY,
  summary: 'The window has closed: look for the object once more',
});
const { expireUpload } = proxyActivities<UploadActivities>({
  startToCloseTimeout: STORE_TIMEOUT,
  retry: STEADILY,
  summary: 'The store was silent for a day: expire the file',
});

/**
 * Guarantees that one upload is settled. The API completes and deletes files by itself; this workflow
 * does what was left undone.
 *
 * It starts when the window closes, or earlier by a signal. It may run several times for one file; each
 * run continues from the stored state.
 *
 * | file                                   | step                                           |
 * | -------------------------------------- | ---------------------------------------------- |
 * | pending or missing, before the deadline | wait for the deadline or a signal              |
 * | pending or missing, after it            | settle: active, expired, or a tombstone        |
 * | deleting                                | delete the object, retried                     |
 * | clean-up pending                        | wait for the deadline, clean up, retried       |
 * | otherwise                               | end                                            |
 */
export async function upload(input: UploadInput): Promise<UploadState> {
  const { fileId, accountId } = input;
  const key = { fileId, accountId };
  const deadline = Date.parse(input.deadline);
  let signals = 0;
  setHandler(wakeUpload, () => {
    signals += 1;
  });
  /** The signals that came before the file was last read. */
  let heeded = signals;
  const step = (work: () => Promise<UploadState>): Promise<UploadState> => {
    heeded = signals;
    return work();
  };
  const review = () => step(() => reviewUpload(key));
  const waitForDeadline = async (): Promise<UploadState> => {
    showUpload('waiting', input.deadline);
    await condition(() => signals > heeded, Math.max(1, deadline - Date.now()));
    return await review();
  };

  let state = await review();
  for (;;) {
    const isOpen = Date.now() < deadline;
    if (isOpen && isWaiting(state)) {
      state = await waitForDeadline();
    } else if (state.status === 'pending' || state.status === 'missing') {
      showUpload('settling', input.deadline);
      state = await step(() => settleUpload(key).catch(() => expireUpload(key)));
    } else if (state.status === 'deleting') {
      showUpload('deleting', input.deadline);
      state = await step(() => deleteObject(key));
    } else if (state.cleanupPending) {
      showUpload('deleting', input.deadline);
      state = await step(() => cleanUp(key));
    } else if (signals > heeded) {
      state = await review();
    } else {
      showUpload('settled', input.deadline);
      return state;
    }
  }
}

function isWaiting({ status, cleanupPending }: UploadState): boolean {
  return status === 'pending' || status === 'missing' || cleanupPending;
}
