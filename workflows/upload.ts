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

/** A command writes to the database once, quickly, or tells its caller that it could not. */
const COMMAND_TIMEOUT = '2s';
/** How long a silent or refusing store may keep an overdue file from expiring. */
const SETTLE_PATIENCE = '24h';

const STEADILY = {
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
} as const;

/** How far each status is along the life of a file. */
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
  scheduleToCloseTimeout: SETTLE_PATIENCE,
  summary: 'The window has closed: look for the object once more',
});
const { expireUpload } = proxyActivities<UploadActivities>({
  ...STEADILY,
  summary: 'The store was silent for a day: expire the file',
});

/**
 * The life of one upload, and after the file's insert the only writer of its status.
 *
 * It starts when the window closes, or earlier when a command wakes it; it may run several times
 * for one file, each run picking up what the database says. Commands write to the database only;
 * what talks to a store is done here, in the main sequence, and retried until done.
 */
export async function upload(input: UploadInput): Promise<UploadState> {
  const { fileId, accountId } = input;
  const key = { fileId, accountId };
  const deadline = Date.parse(input.deadline);
  /** The furthest that the file is known to have come; undefined where that has to be looked up. */
  let known: UploadState | undefined;
  /** Answers may come late: what was true before a later step must not undo it. */
  const learn = (state: UploadState): UploadState => {
    if (!known || STEP[state.status] >= STEP[known.status]) known = state;
    return known;
  };

  /**
   * Local activities go one after the other, in the order in which they were asked for: a replay
   * resolves concurrent ones in another rhythm than the first run did, and would go another way.
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
      // The write may have happened all the same: the main sequence has to look.
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

  /** The window has closed: a last look at the store decides between active and expired. */
  async function settle(): Promise<UploadState> {
    return settleUpload(key).catch(() => expireUpload(key));
  }

  /** While its URL still worked, a slow PUT may have come after the delete. */
  async function deleteLateArrival({ deletedAt, urlExpiresAt }: UploadState): Promise<void> {
    if (!deletedAt || !urlExpiresAt || deletedAt >= urlExpiresAt) return;
    await sleep(Math.max(1, deadline - Date.now()));
    await deleteObject(key);
  }
}
