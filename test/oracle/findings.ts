import type { Finding, FindingCode } from '../../domain/inventory/finding.ts';
import type { BucketInventory, Group } from '../../domain/inventory/inventory.ts';
import { oldVersionsOf, uploadsOf, type Answer } from './answers.ts';
import { Fraction } from './fraction.ts';
import { smallOf } from './in-place.ts';
import { figureOrNone } from './prices.ts';
import { isArchived, SOURCE, storage, type ScanBytes } from './storage.ts';

export type ExpectedFinding = Omit<Finding, 'message'>;

function findingOf(
  code: FindingCode,
  some: readonly { readonly objects: number; readonly bytes: number }[],
  costs: readonly Fraction[],
): ExpectedFinding {
  const objects = some.reduce((total, one) => total + one.objects, 0);
  const bytes = some.reduce((total, one) => total + one.bytes, 0);
  return { code, objects, bytes, monthlyCostUsd: Fraction.sum(costs).toUsd() };
}

/** One finding about some answers, none where there are none. */
export function sumFinding(code: FindingCode, answers: readonly Answer[]): ExpectedFinding[] {
  const costs = answers.map(({ savings }) => savings);
  return answers.length === 0 ? [] : [findingOf(code, answers, costs)];
}

function about(
  scan: ScanBytes,
  region: string,
  code: FindingCode,
  groups: readonly Group[],
): ExpectedFinding[] {
  const costs = groups.map((group) => storage(scan, region, group).usd);
  return groups.some(({ objects }) => objects > 0) ? [findingOf(code, groups, costs)] : [];
}

const mention = (code: FindingCode): ExpectedFinding => findingOf(code, [], []);

function lifecycleFindings({ lifecycle }: BucketInventory): ExpectedFinding[] {
  const hasNoAbort = lifecycle === 'none' || lifecycle === 'without_abort';
  return [
    ...(hasNoAbort ? [mention('no_abort_multipart_rule')] : []),
    ...(lifecycle === 'none' ? [mention('no_lifecycle_rule')] : []),
  ];
}

/** The findings of one bucket in their order, none where it is in error. */
export function findingsOf(
  scan: ScanBytes,
  bucket: BucketInventory,
  withoutSelector: readonly Answer[],
): ExpectedFinding[] {
  if (bucket.error !== null) return [];
  const { region, groups, deleteMarkers } = bucket;
  const uploads = uploadsOf(scan, bucket);
  const versions = oldVersionsOf(scan, bucket);
  const hasVersions = versions.objects > 0 || deleteMarkers > 0;
  const archived = groups.filter(({ storageClass }) => isArchived(storageClass));
  const withMinimum = groups.filter(
    ({ storageClass }) => figureOrNone(SOURCE, region, storageClass, 'minBillableKiB') !== null,
  );
  const shown = (code: FindingCode, some: typeof uploads) =>
    findingOf(code, [some], [some.kept.usd]);
  return [
    ...about(scan, region, 'needs_restore', archived),
    ...(uploads.objects > 0 ? [shown('incomplete_multipart_uploads', uploads)] : []),
    ...(hasVersions ? [shown('old_versions', versions)] : []),
    ...lifecycleFindings(bucket),
    ...about(scan, region, 'small_objects', withMinimum.map(smallOf)),
    ...(groups.length === 0 && !hasVersions && uploads.objects === 0
      ? [mention('empty_bucket')]
      : []),
    ...about(scan, region, 'copied_not_yet_saved', bucket.copied),
    ...sumFinding('no_selector', withoutSelector),
  ];
}
