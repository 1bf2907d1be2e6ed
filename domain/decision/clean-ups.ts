import type { CostedObjects } from './finding.ts';
import type { BucketCost, CleanUpCandidate, PricedBucket } from './model.ts';

/** Deleting the parts of incomplete uploads and the old versions saves what they cost. */
export function cleanUps(
  bucket: PricedBucket,
  { incompleteUploads, oldVersions }: BucketCost,
): readonly CleanUpCandidate[] {
  const candidate = (
    kind: CleanUpCandidate['kind'],
    { objects, bytes, monthlyCostUsd }: CostedObjects,
  ): CleanUpCandidate => ({ kind, bucket, objects, bytes, savingsUsd: monthlyCostUsd });
  return [
    candidate('abort_multipart_uploads', incompleteUploads),
    candidate('expire_old_versions', oldVersions),
  ];
}
