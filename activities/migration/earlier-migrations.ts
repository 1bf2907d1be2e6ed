import type { Manifests } from '../../adapters/mongo/manifests.ts';
import type {
  ApprovedRecommendation,
  Recommendations,
} from '../../adapters/mongo/recommendations.ts';
import { latestRound, roundId } from '../../domain/migration/rounds.ts';

export interface EarlierMigrationsDeps {
  readonly recommendations: Pick<Recommendations, 'findApproved'>;
  readonly manifests: Pick<Manifests, 'holds'>;
}

/**
 * Whether another migration of the same account has copied a key of the same source bucket to the
 * same target. The ids come from the metadata of objects, which anyone may have written.
 */
export function createEarlierMigrations(
  { recommendations, manifests }: EarlierMigrationsDeps,
  { accountId, bucket, approval }: ApprovedRecommendation,
): (migrationId: string, key: string) => Promise<boolean> {
  const approved = new Map<string, Promise<ApprovedRecommendation | undefined>>();
  const { target, keyPrefix } = approval;

  function find(migrationId: string): Promise<ApprovedRecommendation | undefined> {
    const found =
      approved.get(migrationId) ?? recommendations.findApproved({ migrationId, accountId });
    approved.set(migrationId, found);
    return found;
  }

  return async (migrationId, key) => {
    const earlier = await find(migrationId);
    const isSame =
      earlier?.bucket === bucket &&
      earlier.approval.target.provider === target.provider &&
      earlier.approval.target.bucketName === target.bucketName &&
      earlier.approval.keyPrefix === keyPrefix;
    if (!isSame) return false;
    for (let round = 1; round <= latestRound(earlier.approval); round += 1)
      if (await manifests.holds(roundId({ migrationId, round }), key)) return true;
    return false;
  };
}
