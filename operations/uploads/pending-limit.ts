import { LRUCache } from 'lru-cache';
import type { Files } from '../../adapters/mongo/uploads/files.ts';
import type { Deps } from '../common/deps.ts';
import { AppError } from '../../domain/common/errors.ts';

export interface PendingLimitDeps extends Deps<'maxPendingFiles' | 'onBackgroundError'> {
  readonly files: Pick<Files, 'countPending'>;
}

/** Limits the pending files of an account, approximately. @throws AppError `rate_limited` */
export type RequirePendingRoom = (accountId: string) => Promise<void>;

interface Pending {
  /** As last counted. */
  counted: number;
  /** Inits of this process since then. */
  since: number;
  countedAtMs: number;
  counting: Promise<void> | undefined;
}

const MAX_ACCOUNTS = 100_000;
/** A process counts again after a hundredth of the limit: counting costs next to nothing. */
const COUNTS_PER_LIMIT = 100;
/** The first one may have begun before. */
const MOST_COUNTS = 2;
/** Refusals within this time share one count. */
const REFUSED_FOR_MS = 5_000;

/**
 * Compares the limit with the last background count plus the inits since then: an init waits for a
 * count only if it would be refused otherwise, or if the process may have forgotten the account. A
 * process may exceed the limit by a hundredth, and by the inits that run at the same time.
 *
 * @param maxAccounts the accounts that a process remembers
 */
export function createPendingLimit(
  { files, maxPendingFiles, onBackgroundError }: PendingLimitDeps,
  monotonicMs: () => number,
  maxAccounts = MAX_ACCOUNTS,
): RequirePendingRoom {
  const accounts = new LRUCache<string, Pending>({ max: maxAccounts });
  const step = Math.ceil(maxPendingFiles / COUNTS_PER_LIMIT);

  function findPending(accountId: string): Pending {
    const remembered = accounts.get(accountId);
    if (remembered) return remembered;
    const countedAtMs = Number.NEGATIVE_INFINITY;
    const pending: Pending = { counted: 0, since: 0, countedAtMs, counting: undefined };
    accounts.set(accountId, pending);
    return pending;
  }

  async function count(accountId: string, pending: Pending): Promise<void> {
    const counted = pending.since;
    pending.counted = await files.countPending(accountId);
    pending.since -= counted;
    pending.countedAtMs = monotonicMs();
  }

  const countOnce = (accountId: string, pending: Pending): Promise<void> =>
    (pending.counting ??= count(accountId, pending).finally(() => (pending.counting = undefined)));

  return async (accountId) => {
    const mayBeForgotten = accounts.size >= maxAccounts && !accounts.has(accountId);
    const pending = findPending(accountId);
    if (mayBeForgotten) await countOnce(accountId, pending);
    const isFull = () => pending.counted + pending.since >= maxPendingFiles;
    // A count during an init may have its file too: only what is counted alone may refuse.
    const isOld = () =>
      pending.counted < maxPendingFiles || monotonicMs() - pending.countedAtMs >= REFUSED_FOR_MS;
    for (let times = 0; times < MOST_COUNTS && isFull() && isOld(); times += 1)
      await countOnce(accountId, pending);
    if (isFull())
      throw new AppError(
        'rate_limited',
        'Too many uploads of this account are pending. Complete or delete some of them.',
      );
    if ((pending.since + 1) % step === 0) countOnce(accountId, pending).catch(onBackgroundError);
    pending.since += 1;
  };
}
