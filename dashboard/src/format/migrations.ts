import { formatCode } from './code.ts';
import type { Advice } from './error-messages.ts';

/** Migrations in words: what each state and each code means, and what the reader can do. */

/** What happens, or what comes next. */
const MEANINGS: Readonly<Record<string, string>> = {
  queued: 'Approved. It begins in a moment.',
  planning:
    'The objects are listed and priced again. Nothing is copied if it would cost over 10 % more than you approved.',
  copying: 'Each object is copied, then compared. The source is not changed.',
  verifying: 'Every outcome is counted again.',
  cancelling: 'Stopping. Copies in flight are aborted, and leave nothing behind.',
  completed:
    'Every object is at the target. You now pay for both copies, until the source is given up.',
  completed_with_failures:
    'All objects but those below are at the target. Fix the cause, then start a round, which copies what is left.',
  failed:
    'It stopped early. The copies made so far stay at the target. A round copies what is left.',
  cancelled:
    'You cancelled it. The copies made so far stay at the target. A round copies what is left.',
};

/** Empty for a status of a newer service: the title is shown alone. */
export function statusMeaning(status: string): string {
  return MEANINGS[status] ?? '';
}

const RELOCATION_MEANINGS: Readonly<Record<string, string>> = {
  planning: 'The files are listed. Nothing is copied yet.',
  copying: 'Each file is copied and compared; from then on its link leads to the new place.',
  draining:
    'All files but those that failed or were skipped are at the new place. Each old object is deleted once no URL to it works; until then both are billed.',
  completed:
    'The files are at the new place, and their old objects are deleted. If any were skipped, the report says why.',
  completed_with_failures:
    'The files below need you. The others are at the new place, and their old objects are deleted.',
  cancelled:
    'It was cancelled. What was moved stays at the new place, the rest where it was. Old objects of moved files are deleted once no URL to them works.',
  failed:
    'It stopped early. What was moved stays at the new place, the rest where it was. Old objects of moved files are deleted once no URL to them works.',
};

/** The same of a relocation. */
export function relocationMeaning(status: string): string {
  return RELOCATION_MEANINGS[status] ?? '';
}

/** The outcomes of single objects. */
const FAILURES: Readonly<Record<string, Advice>> = {
  needs_restore: [
    'Archived at the source',
    'Restore the objects at the source, then start a round.',
  ],
  class_without_price: [
    'Storage class without a price',
    'No quote covers them. Change their class at the source, then start a round; or copy them yourself.',
  ],
  key_too_long: [
    'Key too long for the target',
    'With the bucket’s name in front the key has more than 1,024 bytes. Rename the objects at the source, then start a round; or leave them there.',
  ],
  object_too_large: [
    'Larger than the target stores',
    'Leave the objects at the source; or split them, then start a round.',
  ],
  key_conflict: [
    'Below the key of another object',
    'The target cannot hold an object and others below its key, p/1 and p/1/x. Rename one of them at the source, then start a round; or leave it there.',
  ],
  quote_exceeded: [
    'Grown beyond the approved quote',
    'The objects became larger at the source after the approval. Start a round, which may cost as much as you say.',
  ],
  source_missing: ['Deleted at the source', 'Nothing to do if you deleted them on purpose.'],
  source_changing: [
    'Changing while copied',
    'Something writes to these objects. Stop it, or wait, then start a round.',
  ],
  source_incomplete: [
    'The source sent too few bytes',
    'Read one of the objects yourself. If that works, start a round.',
  ],
  source_refused: [
    'The source does not permit reading',
    'Allow the stored key of the source to read them: at AWS s3:GetObject, kms:Decrypt if they are encrypted by KMS, and no bucket policy that denies it. Then start a round.',
  ],
  source_unavailable: [
    'The source did not answer',
    'The service has tried several times. Start a round once it answers.',
  ],
  target_refused: [
    'The target does not permit writing',
    'Test the target under Providers, and give its key the right to write. Then start a round.',
  ],
  target_rejected: [
    'The target does not take the object',
    'The reason below says why. Its metadata or its key may be outside of the target’s rules. Change it at the source, then start a round.',
  ],
  target_unavailable: [
    'The target did not answer',
    'The service has tried several times. Start a round once it answers.',
  ],
  target_differs: [
    'Other bytes at the target',
    'What the target stored is not what was sent. Start a round, which copies it again.',
  ],
  target_occupied: [
    'Another object is in the way',
    'The target holds a different object under this key, and it was not overwritten. Move it away, then start a round.',
  ],
  object_changed: [
    'Not the object that was uploaded',
    'It was replaced behind the service, or changed while it was copied. The file stays where it is.',
  ],
  old_object_waits: [
    'An earlier object waits for its delete',
    'Start the relocation again once the one before has ended.',
  ],
  old_object_changed: [
    'Another object is at the place before',
    'The file has moved. What is at the place before stays there: look at it, and delete it yourself.',
  ],
  old_object_refused: [
    'The place before did not permit the delete',
    'The file has moved. Its object at the place before stays there: delete it yourself.',
  ],
  file_deleted: ['The file was deleted meanwhile', 'There is nothing left to do.'],
  file_moved: ['The file is elsewhere by now', 'There is nothing left to do.'],
};

/** Why a whole migration stops. */
const STOPS: Readonly<Record<string, Advice>> = {
  quote_exceeded: [
    'It would cost more than was approved',
    'Nothing was copied. Start a round with a higher limit, or scan again and approve the new quote.',
  ],
  migration_too_large: [
    'More than this deployment moves at once',
    'Nothing was copied. Ask the operator, or move a part of it yourself.',
  ],
  too_many_gone: [
    'More objects are gone than may be removed',
    'Nothing was removed at the target, where they may be the only copies. Find out why they are gone: only if your application has deleted them, start a round that may remove as many.',
  ],
  too_many_failures: [
    'Too many objects failed',
    'More than 50 of the last 1,000 objects failed. Fix the failures below, then start a round.',
  ],
  provider_error: [
    'A store refused',
    'Test the stores under Providers. Once they work, start a round.',
  ],
  provider_not_configured: [
    'A store is no longer configured',
    'Add it again under Providers, then start a round.',
  ],
  internal_error: [
    'Something went wrong in the service',
    'Give the id in the address of this page to the operator. What was copied stays.',
  ],
};

const NOT_CARRIED: Readonly<Record<string, Advice>> = {
  tags: ['Tags', 'The target has no object tags. Keep a list if something reads them.'],
  lock: [
    'Locks (retention, legal hold)',
    'The copies can be deleted. Set the target’s own lock if a rule demands one.',
  ],
  redirect: ['Website redirects', 'The target serves the object instead. Redirect in front of it.'],
  metadata: [
    'Entries of the metadata',
    'More than the target takes, or in a form that the source does not send. Keep a list if something reads them.',
  ],
};

/** For a code of a newer service, the reason is shown alone. */
const adviceFrom = (advices: Readonly<Record<string, Advice>>) => (code: string) =>
  advices[code] ?? ([formatCode(code), ''] as const);

/** @param code of an object that failed */
export const failureAdvice = adviceFrom(FAILURES);
/** @param code of a migration's `error` */
export const stopAdvice = adviceFrom(STOPS);
export const notCarriedAdvice = adviceFrom(NOT_CARRIED);

/** @param start instead of `tart a round`, for what has no rounds */
export const inWords =
  (start: string) =>
  ([title, advice]: Advice): Advice => [title, advice.replace('tart a round', start)];

const inRelocation = inWords('tart the relocation again');
export const relocationFailureAdvice = (code: string) => inRelocation(failureAdvice(code));
export const relocationStopAdvice = (code: string) => inRelocation(stopAdvice(code));
