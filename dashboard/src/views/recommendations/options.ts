import type { PlacementOption, Recommendation } from '@storage-routing/client';
import { PROVIDER_TITLES } from '../../format/words.ts';

/** The recommended one; undefined for a clean-up, which has no options. */
export function chosenOption({
  options,
  recommendedProvider,
  recommendedStorageClass,
}: Recommendation): PlacementOption | undefined {
  return options.find(
    ({ provider, storageClass }) =>
      provider === recommendedProvider && storageClass === recommendedStorageClass,
  );
}

/** `Backblaze B2`, with the class where a store has several. */
export function titleOf({ provider, storageClass }: PlacementOption): string {
  const title = PROVIDER_TITLES[provider];
  return storageClass === 'STANDARD' ? title : `${title}, ${storageClass}`;
}
