import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations/recommendations.ts';
import { bucketAddress } from '../../adapters/object-store/address.ts';
import { measuredAt, type Account } from '../../domain/accounts/account.ts';
import { deleteMode, type ReleaseSource } from '../../domain/migrations/release-how-to.ts';
import type { Deps } from '../common/deps.ts';

export type ReleaseSourceDeps = Deps<'catalogue' | 'findEndpoint'>;

/**
 * The source of a move at the endpoint that the service itself uses, and what its store can do:
 * measurements are those of the place that is stored. Null if the catalogue no longer has the
 * store.
 */
export function releaseSource(
  { catalogue, findEndpoint }: ReleaseSourceDeps,
  account: Account,
  { approval: { source }, selector }: ApprovedRecommendation,
): ReleaseSource | null {
  const { provider, bucketName: bucket, region } = source;
  if (!catalogue.has(provider)) return null;
  const { title, lifecycle } = catalogue.entry(provider);
  const { endpoint, pathPrefix } = bucketAddress(source, findEndpoint);
  const measured = measuredAt(account, source).conditionalDelete === true;
  return {
    provider,
    title,
    lifecycle,
    bucket,
    region,
    endpoint,
    prefix: selector.prefix,
    pathStyle: pathPrefix !== '',
    deletes: deleteMode(provider, measured),
  };
}
