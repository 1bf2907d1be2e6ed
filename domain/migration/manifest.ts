import type { Quote } from '../decision/types.ts';
import { countObject, emptyStatistics, type Mutable } from '../inventory/statistics.ts';
import type { Group } from '../inventory/inventory.ts';
import { REST_PREFIX } from '../inventory/bands.ts';
import type { AgeBandOf } from '../inventory/classify.ts';
import type { ManifestEntry, ObjectFailure } from './object-ledger.ts';
import type { MigrationError } from './migration.ts';

/** An object of the manifest; with a code, it is known beforehand that it cannot be copied. */
export interface ManifestPageEntry extends ManifestEntry {
  readonly blocked?: ObjectFailure;
}

/** How far the manifest of a migration has come, and what it would cost by now. */
export interface ManifestProgress {
  readonly pages: number;
  /** Behind which key the next page begins; null: at the first one. */
  readonly after: string | null;
  readonly isWhole: boolean;
  /** All of the manifest, what cannot be copied included. */
  readonly objects: number;
  readonly bytes: number;
  /** Of what can be copied. */
  readonly groups: readonly Group[];
}

export const EMPTY_MANIFEST: ManifestProgress = {
  pages: 0,
  after: null,
  isWhole: false,
  objects: 0,
  bytes: 0,
  groups: [],
};

/** One page of the manifest as it is kept: once written, it stays. */
export interface ManifestPage {
  /** Behind which key it begins; null: at the first one. */
  readonly after: string | null;
  /** Behind which key the next one begins; null: this is the last one. */
  readonly next: string | null;
  readonly entries: readonly ManifestPageEntry[];
}

/** The plan with one page more. */
export function addPage(
  plan: ManifestProgress,
  { next, entries }: ManifestPage,
  ageBandOf: AgeBandOf,
): ManifestProgress {
  const groups: Mutable<Group>[] = plan.groups.map((group) => ({ ...group }));
  let { objects, bytes } = plan;
  for (const { sizeBytes, storageClass, lastModified, blocked } of entries) {
    objects += 1;
    bytes += sizeBytes;
    if (blocked === undefined)
      countObject(groupFor(groups, storageClass, ageBandOf(lastModified)), sizeBytes);
  }
  return { pages: plan.pages + 1, after: next, isWhole: next === null, objects, bytes, groups };
}

function groupFor(groups: Mutable<Group>[], storageClass: string, ageBand: number): Mutable<Group> {
  const known = groups.find(
    (group) => group.storageClass === storageClass && group.ageBand === ageBand,
  );
  if (known) return known;
  const added = { prefix: REST_PREFIX, storageClass, ageBand, ...emptyStatistics() };
  groups.push(added);
  return added;
}

/** What a person said yes to. */
export interface Approved {
  readonly objects: number;
  readonly bytes: number;
  readonly totalUsd: number;
}

/** By how much a migration may be more than what was approved, in per cent. */
const TOLERANCE_PERCENT = 10;

/**
 * Holds what would be copied now against what was approved; null where it is covered.
 *
 * | now | approved | answer |
 * | --- | --- | --- |
 * | 110 objects | 100 | null |
 * | 111 objects | 100 | `quote_exceeded` |
 * | 1 object | 0 | `quote_exceeded` |
 * | the same with bytes, or with the quote's total | | |
 */
export function checkApproval(
  approved: Approved,
  { groups }: Pick<ManifestProgress, 'groups'>,
  quote: Pick<Quote, 'totalUsd'>,
): MigrationError | null {
  const objects = groups.reduce((sum, group) => sum + group.objects, 0);
  const bytes = groups.reduce((sum, group) => sum + group.bytes, 0);
  const exceeded = [
    describe('objects', objects, approved.objects),
    describe('bytes', bytes, approved.bytes),
    describe('USD', quote.totalUsd, approved.totalUsd),
  ].filter((line) => line !== undefined);
  if (exceeded.length === 0) return null;
  return {
    code: 'quote_exceeded',
    message:
      `What is there now is over ${TOLERANCE_PERCENT} % more than what was approved: ` +
      `${exceeded.join('; ')}. Nothing was copied; a new scan makes a new quote.`,
  };
}

function describe(unit: string, now: number, approved: number): string | undefined {
  // Amounts of money are fractions, and ten per cent of one may come out a hair too high.
  if (now * 100 <= approved * (100 + TOLERANCE_PERCENT) * (1 + Number.EPSILON)) return undefined;
  return `${now} ${unit} instead of ${approved}`;
}
