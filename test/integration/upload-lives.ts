import assert from 'node:assert/strict';
import type { FileRecord, FileStatus } from '../../domain/uploads/file.ts';
import { afterFollowUp } from '../../domain/common/sweep.ts';
import { uploadWorkflowId } from '../../messages/names.ts';
import type { UploadHarness } from '../harness/upload-harness.ts';

export interface Stand {
  readonly status: FileStatus;
  readonly booked: number;
  readonly recorded: number;
}
/** A step of a file's life, or how it stands between two of them. */
type Step = Stand | ((harness: UploadHarness, file: FileRecord) => unknown);

const PENDING: Stand = { status: 'pending', booked: 1, recorded: 0 };
const ACTIVE: Stand = { status: 'active', booked: 1, recorded: 1 };
const EXPIRED: Stand = { status: 'expired', booked: 0, recorded: 0 };
const DELETED: Stand = { status: 'deleted', booked: 0, recorded: 0 };

export const arrive = ({ bucket }: UploadHarness, { objectKey, sizeBytes }: FileRecord) =>
  void bucket.objects.set(objectKey, sizeBytes);
const arriveOtherwise = ({ bucket }: UploadHarness, { objectKey }: FileRecord) =>
  void bucket.objects.set(objectKey, 999);
const complete: Step = (harness, file) => harness.complete(file);
const completeLate: Step = (harness, file) =>
  assert.rejects(harness.complete(file), { code: 'file_expired' });
const remove: Step = (harness, file) => harness.remove(file);
const end: Step = (harness, file) => harness.ending(file);
const sweep: Step = (harness) => harness.sweep();
/** A process of the API ends after the status of a complete, before it is counted. */
const completeHalf: Step = async ({ records, now }, { fileId }) => {
  const at = { completedAt: now(), nextAttemptAt: afterFollowUp(now()) };
  const set = { status: 'active', ...at } as const;
  assert.ok(await records.files.change(fileId, ['pending'], { set, event: 'completed' }));
};
const halfAnHour: Step = (harness) => harness.pass('30m');
const twoHours: Step = (harness) => harness.pass('2h');
const aDay: Step = (harness) => harness.pass('26h');
const silence: Step = ({ bucket }) => void (bucket.silent = true);
const answer: Step = ({ bucket }) => void (bucket.silent = false);
const lose: Step = ({ env }, { fileId }) =>
  env.client.workflow.getHandle(uploadWorkflowId(fileId)).terminate('lost');

interface Life {
  readonly steps: readonly Step[];
  readonly ends: Stand;
  /** How often its object is deleted, where that matters. */
  readonly deletes?: number;
}

/** What happens to a file, and how it ends by its workflow. */
export const LIVES: Readonly<Record<string, Life>> = {
  'expires after 25 hours without bytes': { steps: [twoHours, PENDING], ends: EXPIRED },
  'becomes active if the bytes arrived without a complete': { steps: [arrive], ends: ACTIVE },
  'expires where the object has another size': { steps: [arriveOtherwise], ends: EXPIRED },
  'becomes active at the last look, where a late complete was refused': {
    steps: [aDay, EXPIRED, arrive, completeLate],
    ends: ACTIVE,
  },
  'is deleted a last time a grace period after the window': {
    steps: [twoHours, remove, aDay, arrive],
    ends: DELETED,
  },
  'is deleted once more when the window closes': {
    steps: [remove, DELETED, arrive],
    ends: DELETED,
  },
  'is deleted by a single call, even if the store is silent for long': {
    steps: [arrive, complete, silence, remove, twoHours, { ...ACTIVE, status: 'deleting' }, answer],
    ends: { ...ACTIVE, status: 'deleted' },
  },
  'is deleted once where its URL had expired before': {
    steps: [arrive, complete, twoHours, remove],
    ends: { ...ACTIVE, status: 'deleted' },
    deletes: 1,
  },
  'is deleted by a second run, where the store is silent after the first': {
    steps: [end, silence, remove, answer],
    ends: DELETED,
  },
  'becomes active where the store was silent when the window closed': {
    steps: [arrive, silence, aDay, PENDING, answer],
    ends: ACTIVE,
  },
  'expires where the store is silent for a day, until it is heard': {
    steps: [silence, aDay, aDay, EXPIRED, answer, arrive],
    ends: ACTIVE,
  },
  'is counted by the sweep where a process ended after the status': {
    steps: [arrive, completeHalf, halfAnHour, sweep, ACTIVE],
    ends: ACTIVE,
  },
  'is settled by the sweep where its workflow was lost': {
    steps: [arrive, lose, aDay, sweep],
    ends: ACTIVE,
  },
  'is deleted once more by the sweep where its workflow was lost after the delete': {
    steps: [remove, lose, arrive, aDay, sweep],
    ends: DELETED,
  },
};
