import type { Finding, FindingCode } from '../../domain/inventory/finding.ts';
import type { Count } from '../../domain/inventory/inventory.ts';
import { counted, type Answer } from './answers.ts';
import { Fraction } from './fraction.ts';
import { hasSheet, isArchived, minimumBytes } from './prices.ts';
import type { Undecided } from './moves.ts';
import {
  belowMinimum,
  partsStorage,
  storage,
  type Bucket,
  type Held,
  type HeldGroup,
  type Scan,
} from './storage.ts';

export type ExpectedFinding = Omit<Finding, 'message'>;

const findingOf = (
  code: FindingCode,
  some: readonly Count[] = [],
  costs: readonly Fraction[] = [],
): ExpectedFinding => ({ code, ...counted(some), monthlyCostUsd: Fraction.sum(costs).toUsd() });

/** One finding about some answers, none where there are none. */
export function sumFinding(code: FindingCode, answers: readonly Answer[]): ExpectedFinding[] {
  const costs = answers.map(({ savings }) => savings);
  return answers.length === 0 ? [] : [findingOf(code, answers, costs)];
}

/** The findings of one bucket in their order, none where it is in error. */
export function findingsOf(
  scan: Scan,
  bucket: Bucket,
  withoutSelector: readonly Answer[],
  undecided: readonly Undecided[],
  minMoveMonthlySavingsUsd: number,
): ExpectedFinding[] {
  if (bucket.error !== null) return [];
  const { groups, deleteMarkers, lifecycle, region, incompleteUploads: parts } = bucket;
  const uploads = {
    objects: parts.uploads,
    bytes: parts.bytes,
    usd: partsStorage(scan, region, parts.bytes).usd,
  };
  const versions = {
    ...counted(bucket.oldVersions),
    usd: Fraction.sum(bucket.oldVersions.map((one) => storage(scan, one).usd)),
  };
  const hasVersions = versions.objects > 0 || deleteMarkers > 0;
  const hasMinimum = (held: Held) => hasSheet(held) && minimumBytes(held) > 0;
  const about = (code: FindingCode, some: readonly Held[]) => {
    const costs = some.map((group) => storage(scan, group).usd);
    return some.some(({ objects }) => objects > 0) ? [findingOf(code, some, costs)] : [];
  };
  const where = (isSo: boolean, code: FindingCode, some?: typeof uploads) =>
    isSo ? [some ? findingOf(code, [some], [some.usd]) : findingOf(code)] : [];
  const isEmpty = groups.length === 0 && !hasVersions && uploads.objects === 0;
  return [
    ...about('needs_restore', groups.filter(isArchived)),
    ...where(uploads.objects > 0, 'incomplete_multipart_uploads', uploads),
    ...where(hasVersions, 'old_versions', versions),
    ...where(['none', 'without_abort'].includes(lifecycle), 'no_abort_multipart_rule'),
    ...where(lifecycle === 'none', 'no_lifecycle_rule'),
    ...about('small_objects', groups.filter(hasMinimum).map(smallestOf)),
    ...where(isEmpty, 'empty_bucket'),
    ...about('copied_not_yet_released', bucket.copied),
    ...notMoved(scan, bucket),
    ...sumFinding('no_selector', withoutSelector),
    ...toMeasure(undecided, minMoveMonthlySavingsUsd),
  ];
}

/** Section 5, rule 8: what measuring would decide. */
function toMeasure(undecided: readonly Undecided[], least: number): ExpectedFinding[] {
  const savings = undecided.map((one) => one.savings);
  if (undecided.length === 0 || Fraction.sum(savings).isBelow(Fraction.of(least))) return [];
  const groups = undecided.flatMap((one) => one.groups);
  return [findingOf('measure_reads', groups, savings)];
}

/** The group's objects that are smaller than the least that their class bills. */
function smallestOf(group: HeldGroup): HeldGroup {
  const below = belowMinimum(group, group);
  const small = { smallObjects: below.objects, smallBytes: below.bytes };
  const undersized = [{ minBytes: minimumBytes(group), ...below }];
  return { ...group, ...small, undersized, objects: below.objects, bytes: below.bytes };
}

/** For each completed migration, what is in its prefixes and was not copied; a prefix of two is the last one's. */
function notMoved(scan: Scan, { groups, copied, moved = [] }: Bucket): ExpectedFinding[] {
  const byId = [...moved].sort((a, b) => (a.migrationId < b.migrationId ? -1 : 1));
  const lastOf = (prefix: string) =>
    byId.findLast((each) => [null, prefix].includes(each.prefix))?.migrationId;
  return byId.flatMap(({ migrationId }) => {
    const ofThis = (some: readonly HeldGroup[]) =>
      some.filter(({ prefix }) => lastOf(prefix) === migrationId);
    const [all, gone] = [ofThis(groups), ofThis(copied)];
    const usdOf = (some: readonly Held[]) =>
      Fraction.sum(some.map((group) => storage(scan, group).usd));
    const left = {
      objects: counted(all).objects - counted(gone).objects,
      bytes: counted(all).bytes - counted(gone).bytes,
    };
    const costs = [usdOf(all).minus(usdOf(gone))];
    return left.objects > 0 ? [{ ...findingOf('not_moved_yet', [left], costs), migrationId }] : [];
  });
}
