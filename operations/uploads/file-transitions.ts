import type { FileChange } from '../../adapters/mongo/uploads/files.ts';
import { afterFollowUp } from '../../domain/common/sweep.ts';
import type { ServiceEvent } from '../../domain/webhooks/event.ts';
import type { Deps } from '../common/deps.ts';
import {
  afterSettling,
  type FileError,
  type FileRecord,
  type FileStatus,
  givenUpAt,
  nextLook,
  workAtStore,
} from '../../domain/uploads/file.ts';

/**
 * The changes of a file's status, each with what follows from it: the usage record and the monthly
 * totals, which include the released quota.
 *
 * A status changes by one conditional write, which also stores which event the totals lack. What
 * follows may be repeated by any process, at the same time or later, and adds nothing twice. So a
 * process may end between any two writes: the next call for the file, its workflow or the sweep
 * continues. Each function returns the file as it stands afterwards, also if another process was
 * faster.
 */
export type FileTransitionDeps = Deps<'files' | 'usage' | 'usageTotals' | 'now'>;

/** pending or expired → active. */
export async function completeFile(
  deps: FileTransitionDeps,
  file: FileRecord,
  emits: readonly ServiceEvent[] = [],
): Promise<FileRecord> {
  const completedAt = deps.now();
  const set = { status: 'active', completedAt, nextAttemptAt: afterFollowUp(completedAt) } as const;
  const from = file.status === 'expired' ? 'expired' : 'pending';
  return await changeAndCount(deps, file, from, {
    set,
    unset: ['lookAgainAt'],
    event: 'completed',
    emits,
  });
}

/** pending → expired. Its store is looked at again, by default once nothing can arrive. */
export async function expireFile(
  deps: FileTransitionDeps,
  file: FileRecord,
  { lookAgainAt = nextLook({ ...file, status: 'expired' }, deps.now()), emits = [] }: Expiry = {},
): Promise<FileRecord> {
  const expiredAt = deps.now();
  const nextAttemptAt = afterFollowUp(expiredAt);
  const look = lookAgainAt && { lookAgainAt };
  const set = { status: 'expired', expiredAt, nextAttemptAt, ...look } as const;
  return await changeAndCount(deps, file, 'pending', { set, event: 'expired', emits });
}

interface Expiry {
  readonly lookAgainAt?: Date;
  readonly emits?: readonly ServiceEvent[];
}

/**
 * pending, active or expired → deleting. Its totals are counted, and stay marked as pending. A
 * delete that has stopped is resumed.
 */
export async function startDelete(deps: FileTransitionDeps, file: FileRecord): Promise<FileRecord> {
  if (file.status === 'deleted') return file;
  if (file.status === 'deleting') {
    if (file.totalsPending) await countStored(deps, file);
    if (!file.error) return file;
    const resumed = await change(deps, file, 'deleting', resumption(deps.now()));
    return resumed ?? (await startDelete(deps, await read(deps, file)));
  }
  const generation = await deps.usageTotals.generation(file);
  const at = deps.now();
  const deleting = await change(deps, file, file.status, {
    set: { status: 'deleting', deleteStartedAt: at, nextAttemptAt: afterFollowUp(at) },
    event: 'deleted',
  });
  if (!deleting) return await startDelete(deps, await read(deps, file));
  // An earlier event may have been counted since the file was read.
  if (file.totalsPending) await countStored(deps, deleting);
  else await countEvents(deps, deleting, generation);
  return deleting;
}

/** Ends the attempts of a delete: it stays deleting, with the error, until it is resumed. */
export async function stopDelete(
  deps: FileTransitionDeps,
  file: FileRecord,
  error: FileError,
): Promise<FileRecord> {
  const { deleteStartedAt, deleteStoppedAt = deps.now() } = file;
  const stopped = await change(deps, file, 'deleting', {
    set: { error, deleteStoppedAt },
    unset: PENDING_WORK,
    // Another value: it was resumed after this attempt had begun.
    where: deleteStartedAt ? { deleteStartedAt } : {},
  });
  return stopped ?? (await read(deps, file));
}

/** deleting → deleted, after the object is gone and the totals are counted. */
export async function finishDelete(
  deps: FileTransitionDeps,
  file: FileRecord,
): Promise<FileRecord> {
  const deletedAt = deps.now();
  const look = planLook(nextLook({ ...file, status: 'deleted' }, deletedAt));
  const wanted: FileChange = {
    set: { status: 'deleted', deletedAt, ...look.set },
    unset: ['totalsPending', ...CURRENT_DELETE, ...look.unset, ...goneWith(look)],
  };
  return (await change(deps, file, 'deleting', wanted)) ?? (await read(deps, file));
}

/** The store was looked at: plans the next look, if one is left. */
export async function finishLook(deps: FileTransitionDeps, file: FileRecord): Promise<FileRecord> {
  const now = deps.now();
  // The clock of the workflow, which says when a look is due, may be ahead of this one.
  const lookedAt = file.lookAgainAt && file.lookAgainAt > now ? file.lookAgainAt : now;
  const look = planLook(nextLook(file, lookedAt));
  const unset = [...look.unset, ...(file.status === 'deleted' ? goneWith(look) : [])];
  const looked = await change(deps, file, file.status, { ...look, unset });
  return looked ?? (await read(deps, file));
}

/** Stores that the workflow of a pending file is to be started by the sweep. */
export async function noteUnstarted(
  { files, now }: Pick<FileTransitionDeps, 'files' | 'now'>,
  { fileId }: FileRecord,
): Promise<void> {
  await files.change(fileId, ['pending'], { set: { unstarted: true, nextAttemptAt: now() } });
}

/** The opposite: what it has left is done at the deadline. */
export async function noteStarted(
  { files }: Pick<FileTransitionDeps, 'files'>,
  { fileId, deadline }: FileRecord,
): Promise<void> {
  const set = { nextAttemptAt: afterSettling(deadline) };
  await files.change(fileId, ['pending'], { set, unset: ['unstarted', 'attempts'] });
}

/**
 * Lets a file wait without attempts for a store that refuses its work, at most until the work is
 * given up.
 *
 * @param store as `storeOf` names it
 */
export async function holdFile(
  deps: FileTransitionDeps,
  file: FileRecord,
  store: string,
): Promise<FileRecord> {
  const work = workAtStore(file);
  if (!work) return file;
  const { accountId } = file;
  const held = await change(deps, file, file.status, {
    set: {
      held: { accountId, store, work, since: deps.now() },
      nextAttemptAt: givenUpAt(file),
    },
    // So that a delete is counted once among those that are refused.
    unset: ['attempts'],
  });
  return held ?? (await read(deps, file));
}

/** Counts the events that the totals may lack. */
export async function countPending(
  deps: FileTransitionDeps,
  file: FileRecord,
): Promise<FileRecord> {
  return file.totalsPending ? await clearPending(deps, await countStored(deps, file)) : file;
}

const PENDING_WORK = ['nextAttemptAt', 'attempts', 'held'] as const;
const CURRENT_DELETE = ['deleteStartedAt', 'deleteStoppedAt', 'error'] as const;

/** The next look at the store and the sweep's time for it, or neither. */
function planLook(lookAgainAt: Date | undefined): Required<Pick<FileChange, 'set' | 'unset'>> {
  if (!lookAgainAt) return { set: {}, unset: [...PENDING_WORK, 'lookAgainAt'] };
  return {
    set: { lookAgainAt, nextAttemptAt: afterSettling(lookAgainAt) },
    unset: ['attempts', 'held'],
  };
}

/** The delete has reached every place; the last look, if one is left, reaches them again. */
function goneWith({ set }: Pick<FileChange, 'set'>): readonly ['oldObjects'] | readonly [] {
  return set.lookAgainAt ? [] : ['oldObjects'];
}

async function changeAndCount(
  deps: FileTransitionDeps,
  file: FileRecord,
  from: FileStatus,
  wanted: FileChange,
): Promise<FileRecord> {
  const generation = await deps.usageTotals.generation(file);
  const changed = await change(deps, file, from, wanted);
  if (!changed) return await countPending(deps, await read(deps, file));
  return await clearPending(deps, await countEvents(deps, changed, generation));
}

/** Counts the events that the stored file lists, and returns the file. */
async function countStored(deps: FileTransitionDeps, file: FileRecord): Promise<FileRecord> {
  const generation = await deps.usageTotals.generation(file);
  return await countEvents(deps, await read(deps, file), generation);
}

/** @param generation was read before the file */
async function countEvents(
  deps: FileTransitionDeps,
  file: FileRecord,
  generation: number,
): Promise<FileRecord> {
  const { totalsPending: events = [] } = file;
  const [counted] = await Promise.all([
    Promise.all(events.map((event) => deps.usageTotals.count(file, event, generation))),
    ...(events.includes('completed') ? [recordUsage(deps, file)] : []),
  ]);
  return counted.every(Boolean) ? file : await countStored(deps, file);
}

async function recordUsage({ usage, now }: FileTransitionDeps, file: FileRecord): Promise<void> {
  const { fileId, accountId, month, routing, sizeBytes, savedVsAws } = file;
  // A relocation may have moved the file meanwhile.
  const { provider } = routing;
  const recordedAt = now();
  await usage.record({ fileId, accountId, month, provider, sizeBytes, savedVsAws, recordedAt });
}

/** Another status means a newer event, which is still to be counted. */
async function clearPending(deps: FileTransitionDeps, file: FileRecord): Promise<FileRecord> {
  const isOpen = file.status === 'pending' || file.status === 'deleting';
  const { set, unset } = isOpen ? { set: {}, unset: [] } : planLook(file.lookAgainAt);
  const cleared = { set, unset: ['totalsPending', ...unset] as const };
  return (await change(deps, file, file.status, cleared)) ?? (await read(deps, file));
}

/**
 * The changed file, with its places as of the change; undefined if its status has changed since it
 * was read.
 */
async function change(
  { files }: FileTransitionDeps,
  file: FileRecord,
  from: FileStatus,
  wanted: FileChange,
): Promise<FileRecord | undefined> {
  return file.status === from ? await files.change(file.fileId, [from], wanted) : undefined;
}

async function read({ files }: FileTransitionDeps, file: FileRecord): Promise<FileRecord> {
  const stored = await files.findFile(file);
  if (!stored) throw new Error('the file no longer exists');
  return stored;
}

/** Repeats a stopped delete for another 7 days. */
function resumption(at: Date): FileChange {
  return {
    set: { deleteStartedAt: at, nextAttemptAt: afterFollowUp(at) },
    unset: ['error'],
  };
}
