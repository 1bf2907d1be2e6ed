import type { Finding, FindingCode } from '../../domain/inventory/finding.ts';
import type { BucketInventory, Group } from '../../domain/inventory/inventory.ts';
import { oldVersionsOf, uploadsOf, type Answer } from './answers.ts';
import { Fraction } from './fraction.ts';
import { smallOf } from './in-place.ts';
import { figureOrNone } from './prices.ts';
import { isArchived, SOURCE, storage, type ScanBytes } from './storage.ts';

export type ExpectedFinding = Omit<Finding, 'message'>;

/** One finding about some answers, none where there are none. */
export function sumFinding(code: FindingCode, answers: readonly Answer[]): ExpectedFinding[] {
  if (answers.length === 0) return [];
  return [
    {
      code,
      objects: answers.reduce((total, { objects }) => total + objects, 0),
      bytes: answers.reduce((total, { bytes }) => total + bytes, 0),
      monthlyCostUsd: Fraction.sum(answers.map(({ savings }) => savings)).toUsd(),
    },
  ];
}

function about(
  scan: ScanBytes,
  region: string,
  code: FindingCode,
  groups: readonly Group[],
): ExpectedFinding[] {
  const objects = groups.reduce((total, group) => total + group.objects, 0);
  if (objects === 0) return [];
  return [
    {
      code,
      objects,
      bytes: groups.reduce((total, group) => total + group.bytes, 0),
      monthlyCostUsd: Fraction.sum(groups.map((group) => storage(scan, region, group).usd)).toUsd(),
    },
  ];
}

const mention = (code: FindingCode): ExpectedFinding => ({
  code,
  objects: 0,
  bytes: 0,
  monthlyCostUsd: 0,
});

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
  const shown = (code: FindingCode, { objects, bytes, kept }: typeof uploads): ExpectedFinding => ({
    code,
    objects,
    bytes,
    monthlyCostUsd: kept.usd.toUsd(),
  });
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
