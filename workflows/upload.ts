import {
  allHandlersFinished,
  condition,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import type { UploadActivities } from '../activities/uploads.ts';
import {
  completeUpload,
  deleteUpload,
  reviewUpload,
  type UploadInput,
  type UploadState,
} from '../messages/upload.ts';
import { showUpload } from './visibility.ts';

/** A command writes to the database once, or fails. */
const COMMAND_TIMEOUT = '2s';
/** A store that fails longer than this no longer delays the expiry. */
const SETTLE_TIMEOUT = '24h';

const STEADILY = {
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
} as const;

/** The order of the statuses in a file's life. */
const STEP: Readonly<Record<UploadState['status'], number>> = {
  missing: 0,
  pending: 0,
  active: 1,
  expired: 1,
  deleting: 2,
  deleted: 3,
};

const now = proxyLocalActivities<UploadActivities>({
  startToCloseTimeout: COMMAND_TIMEOUT,
  scheduleToCloseTimeout: COMMAND_TIMEOUT,
  retry: { maximumAttempts: 1 },
});
const looking = proxyActivities<UploadActivities>({
  ...STEADILY,
  summary: 'Read how the file stands',
});
const { deleteObject } = proxyActivities<UploadActivities>({
  ...STEADILY,
  summary: 'Delete the object, until the store has done it',
});
const { settleUpload } = proxyActivities<UploadActivities>({
  ...STEADILY,
  scheduleToCloseTimeout: SETTLE_TIMEOUT,
  summary: 'The window has closed: look for the object once more',
});
const { expireUpload } = proxyActivities<UploadActivities>({
  ...STEADILY,
  summary: 'The store was silent for a day: expire the file',
});

/**
 * The life of one upload; after the insert the only writer of the file's status.
 *
 * It starts when the window closes, or earlier by a command. It may run several times for one file;
 * each run continues from the stored state. Commands only write to the database; calls to a store are
 * made in the main sequence, and retried.
 */
export async function upload(input: UploadInput): Promise<UploadState> {
  const { fileId, accountId } = input;
  const key = { fileId, accountId };
  const deadline = Date.parse(input.deadline);
  /** The furthest known state of the file; undefined where it must be read. */
  let known: UploadState | undefined;
  /** A late answer must not undo a later state. */
  const learn = (state: UploadState): UploadState => {
    if (!known || STEP[state.status] >= STEP[known.status]) known = state;
    return known;
  };

  /**
   * Local activities run one after the other: a replay resolves concurrent ones in another order than
   * the first run did.
   */
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = (write: () => Promise<UploadState>): Promise<UploadState> => {
    const mine = turn.then(write);
    turn = mine.catch(() => undefined);
    return mine;
  };
  const command = async (write: () => Promise<UploadState>): Promise<UploadState> => {
    try {
      return learn(await inTurn(write));
    } catch (error) {
      // The write may have happened: the main sequence reads the file.
      known = undefined;
      throw error;
    }
  };
  setHandler(completeUpload, () => command(() => now.completeUpload(key)));
  setHandler(deleteUpload, () => command(() => now.startDelete(key)));
  setHandler(reviewUpload, () => command(() => now.reviewUpload(key)));

  await inTurn(() => now.reviewUpload(key)).then(learn, () => undefined);

  for (;;) {
    showUpload(known?.status, input.deadline);
    switch (known?.status) {
      case undefined:
        learn(await looking.reviewUpload(key));
        break;
      case 'pending':
      case 'missing': {
        const before = known;
        await condition(() => known !== before, Math.max(1, deadline - Date.now()));
        if (known === before && Date.now() >= deadline) learn(await settle());
        break;
      }
      case 'deleting':
        learn(await deleteObject(key));
        break;
      case 'deleted':
        await deleteLateArrival(known);
        await condition(allHandlersFinished);
        return known;
      case 'active':
      case 'expired': {
        const settled = known;
        await condition(() => known !== settled || allHandlersFinished());
        if (known === settled) return settled;
        break;
      }
    }
  }

  /** The window has closed: the store decides between active and expired. */
  async function settle(): Promise<UploadState> {
    return settleUpload(key).catch(() => expireUpload(key));
  }

  /** A late PUT may have arrived after the delete, while the URL was valid. */
  async function deleteLateArrival({ deletedAt, urlExpiresAt }: UploadState): Promise<void> {
    if (!deletedAt || !urlExpiresAt || deletedAt >= urlExpiresAt) return;
    await sleep(Math.max(1, deadline - Date.now()));
    await deleteObject(key);
  }
}
