import { formatCode } from './code.ts';

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

interface CodeWords {
  readonly title: string;
  readonly advice: string;
}

/** Of single objects. */
const FAILURES: Readonly<Record<string, CodeWords>> = {
  needs_restore: {
    title: 'Archived at the source',
    advice: 'Restore the objects at the source, then start a round.',
  },
  class_without_price: {
    title: 'Storage class without a price',
    advice:
      'No quote covers them. Change their class at the source, then start a round; or copy them yourself.',
  },
  key_too_long: {
    title: 'Key too long for the target',
    advice:
      'With the bucket’s name in front the key has more than 1,024 bytes. Rename the objects at the source, then start a round; or leave them there.',
  },
  object_too_large: {
    title: 'Larger than the target stores',
    advice: 'Leave the objects at the source; or split them, then start a round.',
  },
  key_conflict: {
    title: 'Below the key of another object',
    advice:
      'The target cannot hold an object and others below its key, p/1 and p/1/x. Rename one of them at the source, then start a round; or leave it there.',
  },
  quote_exceeded: {
    title: 'Grown beyond the approved quote',
    advice:
      'The objects became larger at the source after the approval. Start a round, which may cost as much as you say.',
  },
  source_missing: {
    title: 'Deleted at the source',
    advice: 'Nothing to do if you deleted them on purpose.',
  },
  source_changing: {
    title: 'Changing while copied',
    advice: 'Something writes to these objects. Stop it, or wait, then start a round.',
  },
  source_incomplete: {
    title: 'The source sent too few bytes',
    advice: 'Read one of the objects yourself. If that works, start a round.',
  },
  source_refused: {
    title: 'The source does not permit reading',
    advice:
      'Allow the stored key of the source to read them: at AWS s3:GetObject, kms:Decrypt if they are encrypted by KMS, and no bucket policy that denies it. Then start a round.',
  },
  source_unavailable: {
    title: 'The source did not answer',
    advice: 'The service has tried several times. Start a round once it answers.',
  },
  target_refused: {
    title: 'The target does not permit writing',
    advice:
      'Test the target under Providers, and give its key the right to write. Then start a round.',
  },
  target_rejected: {
    title: 'The target does not take the object',
    advice:
      'The reason below says why. Its metadata or its key may be outside of the target’s rules. Change it at the source, then start a round.',
  },
  target_unavailable: {
    title: 'The target did not answer',
    advice: 'The service has tried several times. Start a round once it answers.',
  },
  target_differs: {
    title: 'Other bytes at the target',
    advice: 'What the target stored is not what was sent. Start a round, which copies it again.',
  },
  target_occupied: {
    title: 'Another object is in the way',
    advice:
      'The target holds a different object under this key, and it was not overwritten. Move it away, then start a round.',
  },
};

/** Of a migration as a whole. */
const STOPS: Readonly<Record<string, CodeWords>> = {
  quote_exceeded: {
    title: 'It would cost more than was approved',
    advice:
      'Nothing was copied. Start a round with a higher limit, or scan again and approve the new quote.',
  },
  migration_too_large: {
    title: 'More than this deployment moves at once',
    advice: 'Nothing was copied. Ask the operator, or move a part of it yourself.',
  },
  too_many_gone: {
    title: 'More objects are gone than may be removed',
    advice:
      'Nothing was removed at the target, where they may be the only copies. Find out why they are gone: only if your application has deleted them, start a round that may remove as many.',
  },
  too_many_failures: {
    title: 'Too many objects failed',
    advice:
      'More than 50 of the last 1,000 objects failed. Fix the failures below, then start a round.',
  },
  provider_error: {
    title: 'A store refused',
    advice: 'Test the stores under Providers. Once they work, start a round.',
  },
  provider_not_configured: {
    title: 'A store is not configured any more',
    advice: 'Add it again under Providers, then start a round.',
  },
  internal_error: {
    title: 'Something went wrong in the service',
    advice: 'Give the migration’s id to the operator. What was copied stays.',
  },
};

const NOT_CARRIED: Readonly<Record<string, CodeWords>> = {
  tags: {
    title: 'Tags',
    advice: 'The target has no object tags. Keep a list if something reads them.',
  },
  lock: {
    title: 'Locks (retention, legal hold)',
    advice: 'The copies can be deleted. Set the target’s own lock if a rule demands one.',
  },
  redirect: {
    title: 'Website redirects',
    advice: 'The target serves the object instead. Redirect in front of it.',
  },
  metadata: {
    title: 'Entries of the metadata',
    advice:
      'More than the target takes, or in a form that the source does not send. Keep a list if something reads them.',
  },
};

/** @param code of an object that failed */
export function failureWords(code: string): CodeWords {
  return FAILURES[code] ?? unknownWords(code);
}

/** @param code of a migration's `error` */
export function stopWords(code: string): CodeWords {
  return STOPS[code] ?? unknownWords(code);
}

export function notCarriedWords(what: string): CodeWords {
  return NOT_CARRIED[what] ?? unknownWords(what);
}

/** For a code of a newer service, the reason is shown alone. */
function unknownWords(code: string): CodeWords {
  return { title: formatCode(code), advice: '' };
}
