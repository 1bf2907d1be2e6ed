import { formatBytes, formatCount, formatMoney } from '../../shared/amounts.ts';

/** A notable fact about an account's storage. */
export interface Finding {
  readonly code: FindingCode;
  readonly message: string;
  readonly objects: number;
  readonly bytes: number;
  /** Rounded. */
  readonly monthlyCostUsd: number;
  /** Set for `not_moved_yet`. */
  readonly migrationId?: string;
}

/** Some objects and their monthly cost in USD, unrounded. */
export interface CostedObjects {
  readonly objects: number;
  readonly bytes: number;
  readonly monthlyCostUsd: number;
}

/** The sum of candidates that are not listed one by one; `monthlyCostUsd` is what they save. */
export interface Remainder extends CostedObjects {
  readonly answers: number;
}

/** The facts that the message of each finding states. */
export interface FindingFacts {
  readonly needs_restore: CostedObjects;
  readonly incomplete_multipart_uploads: CostedObjects & { readonly oldestAt: Date | null };
  readonly old_versions: CostedObjects & { readonly deleteMarkers: number };
  readonly no_abort_multipart_rule: CostedObjects;
  readonly no_lifecycle_rule: CostedObjects;
  readonly small_objects: CostedObjects;
  readonly empty_bucket: CostedObjects;
  readonly copied_not_yet_released: CostedObjects;
  readonly not_moved_yet: CostedObjects & { readonly migrationId: string };
  readonly below_minimum: Remainder & {
    readonly minMonthlySavingsUsd: number;
    readonly minMoveMonthlySavingsUsd: number;
  };
  readonly no_selector: Remainder;
  readonly measure_reads: CostedObjects & {
    /** The titles of the stores that the prefixes would move to. */
    readonly stores: readonly string[];
    readonly bucket: string;
  };
  readonly more_recommendations: Remainder;
}

export type FindingCode = keyof FindingFacts;

/**
 * The messages, in the order in which findings are shown.
 *
 * | code                           | when                                                             |
 * |--------------------------------|------------------------------------------------------------------|
 * | `needs_restore`                | a bucket holds objects of an archived class                      |
 * | `incomplete_multipart_uploads` | a bucket holds multipart uploads that never finished             |
 * | `old_versions`                 | a bucket holds noncurrent versions or delete markers             |
 * | `no_abort_multipart_rule`      | no lifecycle rule of the bucket aborts incomplete uploads        |
 * | `no_lifecycle_rule`            | the bucket has no lifecycle rule at all                          |
 * | `small_objects`                | objects are smaller than their class's minimum billable size     |
 * | `empty_bucket`                 | no object, version, delete marker or incomplete upload           |
 * | `copied_not_yet_released`      | the source still holds objects that a migration has copied       |
 * | `not_moved_yet`                | a completed migration's prefix holds objects that it has not copied |
 * | `below_minimum`                | answers save less than their minimum each                        |
 * | `no_selector`                  | only the objects outside the listed prefixes would take an answer |
 * | `measure_reads`                | whether prefixes of the bucket should move depends on who reads them |
 * | `more_recommendations`         | there are more recommendations than are listed                   |
 */
const MESSAGES: { readonly [Code in FindingCode]: (facts: FindingFacts[Code]) => string } = {
  needs_restore: ({ objects, bytes, monthlyCostUsd }) =>
    `${formatCount(objects, 'object')} (${formatBytes(bytes)}) ${objects === 1 ? 'is' : 'are'} archived, for ${perMonth(monthlyCostUsd)}. Only reading, copying or moving them needs a restore: they can be deleted, expire or change to a colder archive class without one.`,
  incomplete_multipart_uploads: ({ objects, bytes, monthlyCostUsd, oldestAt }) =>
    `${formatCount(objects, 'multipart upload')} never finished${oldestAt ? `, the oldest of ${oldestAt.toISOString().slice(0, 10)}` : ''}; the parts (${formatBytes(bytes)}) cost ${perMonth(monthlyCostUsd)}.`,
  old_versions: ({ objects, bytes, monthlyCostUsd, deleteMarkers }) =>
    `${formatCount(objects, 'old version')} (${formatBytes(bytes)})${deleteMarkers > 0 ? ` and ${formatCount(deleteMarkers, 'delete marker')}` : ''} cost ${perMonth(monthlyCostUsd)}.`,
  no_abort_multipart_rule: () => 'No lifecycle rule aborts incomplete uploads.',
  no_lifecycle_rule: () => 'The bucket has no lifecycle rule.',
  small_objects: ({ objects, bytes, monthlyCostUsd }) =>
    `${formatCount(objects, 'object')} (${formatBytes(bytes)}) ${objects === 1 ? 'is' : 'are'} smaller than the least that the class bills, which costs ${perMonth(monthlyCostUsd)}.`,
  empty_bucket: () => 'The bucket holds nothing.',
  copied_not_yet_released: ({ objects, bytes, monthlyCostUsd }) =>
    `Copied already and still at the source: ${formatCount(objects, 'object')} (${formatBytes(bytes)}), for ${perMonth(monthlyCostUsd)}. The release check of the migration says when it may be deleted there.`,
  not_moved_yet: ({ objects, bytes, monthlyCostUsd, migrationId }) =>
    `Not moved yet by the migration ${migrationId}: ${formatCount(objects, 'object')} (${formatBytes(bytes)}), for ${perMonth(monthlyCostUsd)}. They failed, or came later; another round of it copies them.`,
  below_minimum: ({ answers, monthlyCostUsd, ...least }) =>
    `${formatCount(answers, 'answer')} would save less than ${perMonth(least.minMonthlySavingsUsd)} each (moves: ${perMonth(least.minMoveMonthlySavingsUsd)}), ${perMonth(monthlyCostUsd)} together.`,
  no_selector: ({ objects, bytes, monthlyCostUsd }) =>
    `${formatCount(objects, 'object')} (${formatBytes(bytes)}) outside the largest prefixes would save ${perMonth(monthlyCostUsd)}, but no selector names them alone.`,
  measure_reads: ({ objects, bytes, monthlyCostUsd, stores, bucket }) =>
    `Whether ${formatCount(objects, 'object')} (${formatBytes(bytes)}) should move to ${stores.join(' or ')}, which could save ${perMonth(monthlyCostUsd)}, depends on who reads them and how often. Request metrics of the bucket ${bucket} measure that: 16 metrics at $0.30 a month each. Scan again after 14 days.`,
  more_recommendations: ({ answers, monthlyCostUsd }) =>
    `${formatCount(answers, 'more recommendation')} would save ${perMonth(monthlyCostUsd)} together.`,
};

export const FINDING_CODES = Object.keys(MESSAGES) as readonly FindingCode[];

export function findingMessage<Code extends FindingCode>(
  code: Code,
  facts: FindingFacts[Code],
): string {
  return MESSAGES[code](facts);
}

function perMonth(usd: number): string {
  return `${formatMoney(usd)} a month`;
}
