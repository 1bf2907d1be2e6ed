import { condition, proxyActivities, proxyLocalActivities, setHandler } from '@temporalio/workflow';
import type { UploadActivities } from '../activities/uploads/uploads.ts';
import { wakeUpload, type UploadInput } from '../messages/upload.ts';
import { nextStep, type UploadState } from '../domain/uploads/file.ts';
import { showUpload } from './visibility.ts';

/** Some reads and writes of the database, and quick calls to the store. */
const ATTEMPT_TIMEOUT = '7s';
const STORE_TIMEOUT = '30s';
/**
 * A store that fails for longer than a day no longer delays the expiry: the waits before the
 * attempts 2 to 10 take 9 minutes, those before the other 287 five minutes each. Attempts are
 * bounded, not time, which would include the time in which no worker is free.
 */
const SETTLE_ATTEMPTS = 297;

const UNTIL_DONE = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' } as const;

const { attemptUpload } = proxyLocalActivities<UploadActivities>({
  startToCloseTimeout: ATTEMPT_TIMEOUT,
  retry: UNTIL_DONE,
});
const { deleteObject } = proxyActivities<UploadActivities>({
  startToCloseTimeout: STORE_TIMEOUT,
  retry: UNTIL_DONE,
  summary: 'Delete the object; after 7 days of failures the delete stops',
});
const { lookAgain } = proxyActivities<UploadActivities>({
  startToCloseTimeout: STORE_TIMEOUT,
  retry: UNTIL_DONE,
  summary: 'Look for what came late: take it, or delete it',
});
const { settleUpload } = proxyActivities<UploadActivities>({
  startToCloseTimeout: STORE_TIMEOUT,
  retry: { ...UNTIL_DONE, maximumAttempts: SETTLE_ATTEMPTS },
  summary: 'The window has closed: look for the object once more',
});
const { expireUpload } = proxyActivities<UploadActivities>({
  startToCloseTimeout: STORE_TIMEOUT,
  retry: UNTIL_DONE,
  summary: 'The store was silent for a day: expire the file',
});

/**
 * Guarantees that one upload is settled. The API completes and deletes files by itself; this
 * workflow does the rest, as `nextStep` says.
 *
 * It starts when the window closes, or earlier by a signal. It may run several times for one file;
 * each run continues from the stored state. One quick attempt does the usual work in the workflow's
 * first task; activities repeat what failed. Each gives up after days of failures: a day to settle,
 * 7 days to delete or to look again.
 */
export async function upload(input: UploadInput): Promise<UploadState> {
  const { fileId, accountId } = input;
  const key = { fileId, accountId };
  const time = () => ({ deadlineMs: Date.parse(input.deadline), nowMs: Date.now() });
  let isSignalled = false;
  setHandler(wakeUpload, () => {
    isSignalled = true;
  });
  const perform = (work: () => Promise<UploadState>): Promise<UploadState> => {
    isSignalled = false;
    return work();
  };
  const attempt = () => perform(() => attemptUpload({ ...key, at: time() }));

  let state = await attempt();
  for (;;) {
    const step = nextStep(state, time());
    switch (step.do) {
      case 'wait':
        showUpload('waiting', input.deadline);
        await condition(() => isSignalled, Math.max(1, step.untilMs - Date.now()));
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
      case 'lookAgain':
        showUpload('settling', input.deadline);
        state = await perform(() => lookAgain(key));
        break;
      case 'end':
        if (!isSignalled) {
          showUpload('settled', input.deadline);
          return state;
        }
        state = await attempt();
    }
  }
}
