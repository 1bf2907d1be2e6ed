import { condition, proxyActivities, proxyLocalActivities, setHandler } from '@temporalio/workflow';
import type { UploadActivities } from '../activities/uploads/uploads.ts';
import { wakeUpload, type UploadInput } from '../messages/upload.ts';
import { nextStep, type UploadState } from '../domain/upload/file.ts';
import { showUpload } from './visibility.ts';

/** Some reads and writes of the database, and quick calls to the store. */
const ATTEMPT_TIMEOUT = '7s';
const STORE_TIMEOUT = '30s';
/**
 * A store that fails for longer than a day no longer delays the expiry: the waits before the attempts 2
 * to 10 take 9 minutes, those before the other 287 five minutes each. Attempts are bounded, not time,
 * which would include the time in which no worker is free.
 */
const SETTLE_ATTEMPTS = 297;

const STEADILY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' } as const;

const { attemptUpload } = proxyLocalActivities<UploadActivities>({
  startToCloseTimeout: ATTEMPT_TIMEOUT,
  retry: STEADILY,
});
const { deleteObject } = proxyActivities<UploadActivities>({
  startToCloseTimeout: STORE_TIMEOUT,
  retry: STEADILY,
  summary: 'Delete the object; after 7 days of failures the delete stops',
});
const { cleanUp } = proxyActivities<UploadActivities>({
  startToCloseTimeout: STORE_TIMEOUT,
  retry: STEADILY,
  summary: 'Delete what came late, abort what was left half uploaded',
});
const { settleUpload } = proxyActivities<UploadActivities>({
  startToCloseTimeout: STORE_TIMEOUT,
  retry: { ...STEADILY, maximumAttempts: SETTLE_ATTEMPTS },
  summary: 'The window has closed: look for the object once more',
});
const { expireUpload } = proxyActivities<UploadActivities>({
  startToCloseTimeout: STORE_TIMEOUT,
  retry: STEADILY,
  summary: 'The store was silent for a day: expire the file',
});

/**
 * Guarantees that one upload is settled. The API completes and deletes files by itself; this workflow
 * does what was left undone, as `nextStep` says.
 *
 * It starts when the window closes, or earlier by a signal. It may run several times for one file; each
 * run continues from the stored state. One quick attempt does the usual work in the workflow's first
 * task. What the store did not do then is repeated by activities. Each of them ends the work that the
 * store has refused for days: a day to settle, 7 days to delete or to clean up.
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
  const isOpen = () => Date.now() < deadline;
  const perform = (work: () => Promise<UploadState>): Promise<UploadState> => {
    heeded = signals;
    return work();
  };
  const attempt = () => perform(() => attemptUpload({ ...key, isOpen: isOpen() }));

  let state = await attempt();
  for (;;) {
    switch (nextStep(state, isOpen())) {
      case 'wait':
        showUpload('waiting', input.deadline);
        await condition(() => signals > heeded, Math.max(1, deadline - Date.now()));
        state = await attempt();
        break;
      case 'settle':
        showUpload('settling', input.deadline);
        state = await perform(() => settleUpload(key).catch(() => expireUpload(key)));
        break;
      case 'delete':
        showUpload('deleting', input.deadline);
        state = await perform(() => deleteObject(key));
        break;
      case 'cleanUp':
        showUpload('deleting', input.deadline);
        state = await perform(() => cleanUp(key));
        break;
      case 'end':
        if (signals === heeded) {
          showUpload('settled', input.deadline);
          return state;
        }
        state = await attempt();
    }
  }
}
