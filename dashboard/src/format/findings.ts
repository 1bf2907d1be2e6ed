interface FindingWords {
  readonly title: string;
  /** What it means, and what the reader can do. */
  readonly advice: string;
}

const FINDINGS: Readonly<Record<string, FindingWords>> = {
  needs_restore: {
    title: 'Archived objects',
    advice: 'They must be restored before they can be read, copied or moved to another class.',
  },
  incomplete_multipart_uploads: {
    title: 'Uploads that never finished',
    advice: 'Their parts are billed and of no use. Abort them, and add a rule that does it.',
  },
  old_versions: {
    title: 'Old versions of objects',
    advice: 'Versioning keeps what was overwritten or deleted. A lifecycle rule can expire it.',
  },
  no_abort_multipart_rule: {
    title: 'No rule aborts unfinished uploads',
    advice: 'Add a lifecycle rule that aborts incomplete multipart uploads after seven days.',
  },
  no_lifecycle_rule: {
    title: 'No lifecycle rule',
    advice: 'Nothing in these buckets expires or changes its class by itself.',
  },
  small_objects: {
    title: 'Objects below the billed minimum',
    advice:
      'Their storage class bills a least size for each object. Standard does not, and neither do larger objects.',
  },
  empty_bucket: {
    title: 'Empty buckets',
    advice: 'They cost nothing. Delete them where nothing uses them.',
  },
  copied_not_yet_saved: {
    title: 'Copied, and still at the source',
    advice: 'A migration has copied them. Check its report, then delete them at the source.',
  },
  below_minimum: {
    title: 'Savings that are too small to recommend',
    advice: 'Each saves less than the least that is worth a recommendation.',
  },
  no_selector: {
    title: 'Savings outside of the largest prefixes',
    advice: 'No prefix names these objects alone, so nothing is recommended for them.',
  },
  more_recommendations: {
    title: 'More recommendations',
    advice: 'Only the largest are listed. Carry those out, then scan again.',
  },
};

/** In the order in which findings are shown. */
export const FINDING_CODES: readonly string[] = Object.keys(FINDINGS);

/** A code without words is its own title; the finding's message has to do. */
export function wordsOfFinding(code: string): FindingWords {
  return FINDINGS[code] ?? { title: code, advice: '' };
}
