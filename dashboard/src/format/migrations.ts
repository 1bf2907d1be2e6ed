import type { MigrationStatus, NotCarried } from '@storage-routing/client';

/** Migrations in words: what each state and each code means, and what the reader can do. */

interface StatusWords {
  readonly title: string;
  readonly tone: 'good' | 'bad' | 'busy' | 'quiet';
  /** What happens, or what comes next. */
  readonly meaning: string;
  readonly hasEnded: boolean;
}

const running = { tone: 'busy', hasEnded: false } as const;

export const MIGRATION_STATUSES: Readonly<Record<MigrationStatus, StatusWords>> = {
  queued: { ...running, title: 'Queued', meaning: 'It is approved, and begins in a moment.' },
  planning: {
    ...running,
    title: 'Planning',
    meaning:
      'The objects are listed and priced once more. Nothing is copied where that costs over 10 % more than was approved.',
  },
  copying: {
    ...running,
    title: 'Copying',
    meaning: 'Objects are copied and compared one by one. The source is not changed.',
  },
  verifying: {
    ...running,
    title: 'Verifying',
    meaning: 'The outcome of every object is counted once more.',
  },
  cancelling: {
    ...running,
    title: 'Cancelling',
    meaning: 'The objects in flight come to their end, then it stops. What was copied stays.',
  },
  completed: {
    title: 'Completed',
    tone: 'good',
    hasEnded: true,
    meaning:
      'Every object is at the target. Check the report, point your readers to the target, then delete the objects at the source: until then both are billed.',
  },
  completed_with_failures: {
    title: 'Completed with failures',
    tone: 'bad',
    hasEnded: true,
    meaning:
      'All but the objects below are at the target. Mend what they need, and scan again: the next audit recommends what is left.',
  },
  failed: {
    title: 'Failed',
    tone: 'bad',
    hasEnded: true,
    meaning: 'It stopped before its end. What was copied until then stays at the target.',
  },
  cancelled: {
    title: 'Cancelled',
    tone: 'quiet',
    hasEnded: true,
    meaning: 'It was cancelled. What was copied until then stays at the target.',
  },
};

interface CodeWords {
  readonly title: string;
  readonly advice: string;
}

/** Of single objects. */
const FAILURES: Readonly<Record<string, CodeWords>> = {
  needs_restore: {
    title: 'Archived at the source',
    advice: 'Restore the objects at the source, then scan again.',
  },
  class_without_price: {
    title: 'Storage class without a price',
    advice: 'No quote covers them. Change their class at the source, or copy them yourself.',
  },
  key_too_long: {
    title: 'Key too long for the target',
    advice:
      'With the bucket’s name in front the key has more than 1,024 bytes. Rename the objects at the source, or leave them there.',
  },
  object_too_large: {
    title: 'Larger than the target stores',
    advice: 'Leave the objects at the source, or split them.',
  },
  quote_exceeded: {
    title: 'Grown beyond the approved quote',
    advice:
      'The objects became larger at the source after the approval. Scan again for a new quote.',
  },
  source_missing: {
    title: 'Deleted at the source',
    advice: 'Nothing to do where you deleted them on purpose.',
  },
  source_changing: {
    title: 'Changing while copied',
    advice: 'Something writes to these objects. Stop it, or wait, and scan again.',
  },
  source_incomplete: {
    title: 'The source sent too few bytes',
    advice: 'Read one of the objects yourself. Where that works, scan again.',
  },
  source_refused: {
    title: 'The source does not permit reading',
    advice:
      'Allow the stored AWS key to read them: s3:GetObject, kms:Decrypt where they are encrypted by KMS, and no bucket policy that denies it.',
  },
  source_unavailable: {
    title: 'The source did not answer',
    advice: 'The service has tried several times. Scan again, and approve what is left.',
  },
  target_refused: {
    title: 'The target does not permit writing',
    advice: 'Test the target under Providers, and give its key the right to write.',
  },
  target_rejected: {
    title: 'The target does not take the object',
    advice:
      'The reason below says why. Its metadata or its key may be outside of the target’s rules.',
  },
  target_unavailable: {
    title: 'The target did not answer',
    advice: 'The service has tried several times. Scan again, and approve what is left.',
  },
  target_differs: {
    title: 'Other bytes at the target',
    advice: 'What the target stored is not what was sent. Scan again, and approve what is left.',
  },
  target_occupied: {
    title: 'Another object is in the way',
    advice:
      'The target holds a different object under this key, and it was not overwritten. Move it away, then scan again.',
  },
};

/** Of a migration as a whole. */
const STOPS: Readonly<Record<string, CodeWords>> = {
  quote_exceeded: {
    title: 'It would cost more than was approved',
    advice:
      'The source has grown by over 10 % since the scan, so nothing was copied. Scan again, and approve the new quote.',
  },
  too_many_failures: {
    title: 'Too many objects failed',
    advice:
      'More than 50 of the last 1,000 objects failed. Mend what the failures below need, then scan again.',
  },
  provider_error: {
    title: 'A store refused',
    advice: 'Test the stores under Providers. Once they work, scan again and approve what is left.',
  },
  provider_not_configured: {
    title: 'A store is not configured any more',
    advice: 'Add it again under Providers, then scan again and approve what is left.',
  },
  internal_error: {
    title: 'Something went wrong in the service',
    advice: 'Give the migration’s id to the operator. What was copied stays.',
  },
};

/** A code without words is its own title; the reason beside it has to do. */
export function wordsOfFailure(code: string): CodeWords {
  return FAILURES[code] ?? { title: code, advice: '' };
}

/** @param code of a migration's `error` */
export function wordsOfStop(code: string): CodeWords {
  return STOPS[code] ?? { title: code, advice: '' };
}

export const NOT_CARRIED_WORDS: Readonly<Record<NotCarried['what'], CodeWords>> = {
  tags: {
    title: 'Tags',
    advice: 'The target has no object tags. Keep a list where something reads them.',
  },
  lock: {
    title: 'Locks (retention, legal hold)',
    advice: 'The copies can be deleted. Set the target’s own lock where a rule demands one.',
  },
};
