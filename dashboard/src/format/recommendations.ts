import type { Quote, Recommendation, Selector } from '@storage-routing/client';
import { formatBytes } from './numbers.ts';
import { PROVIDER_TITLES } from './words.ts';

/** Recommendations in words. */

type Tone = 'good' | 'bad' | 'busy' | 'quiet';

export const RECOMMENDATION_STATUSES: Readonly<
  Record<Recommendation['status'], { readonly title: string; readonly tone: Tone }>
> = {
  open: { title: 'Open', tone: 'busy' },
  approved: { title: 'Approved', tone: 'good' },
  expired: { title: 'Expired', tone: 'quiet' },
  superseded: { title: 'Replaced by a newer audit', tone: 'quiet' },
};

/** The lines of a quote, in the order in which they arise. */
export const QUOTE_LINES: readonly {
  readonly key: Exclude<keyof Quote, 'totalUsd' | 'totalWithExitWaiverUsd'>;
  readonly title: string;
}[] = [
  { key: 'egressUsd', title: 'Egress: leaving the source' },
  { key: 'sourceRequestsUsd', title: 'Requests at the source' },
  { key: 'retrievalUsd', title: 'Retrieval from the class' },
  { key: 'earlyDeletionUsd', title: 'Early deletion, at most' },
  { key: 'destinationRequestsUsd', title: 'Requests at the target' },
  { key: 'transitionUsd', title: 'Change of class' },
];

/** `Move to Backblaze B2` */
export function actionOf(
  recommendation: Pick<Recommendation, 'kind' | 'recommendedProvider' | 'recommendedStorageClass'>,
): string {
  const { kind, recommendedProvider: provider, recommendedStorageClass } = recommendation;
  switch (kind) {
    case 'move':
      return provider === null ? 'Move' : `Move to ${PROVIDER_TITLES[provider]}`;
    case 'change_class':
      return `Change the class to ${recommendedStorageClass ?? 'another one'}`;
    case 'abort_multipart_uploads':
      return 'Abort uploads that never finished';
    case 'expire_old_versions':
      return 'Expire old versions';
  }
}

/** What a selector takes: `all objects`, `below logs/, 90 to 365 days old`. */
export function formatSelector(selector: Selector): string {
  const { prefix, storageClass, minSizeBytes } = selector;
  const parts = [
    prefix === null ? undefined : `below ${prefix}`,
    storageClass === null ? undefined : `in ${storageClass}`,
    ageOf(selector),
    minSizeBytes === null ? undefined : `of ${formatBytes(minSizeBytes)} and more`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'all objects' : parts.join(', ');
}

function ageOf({ minAgeDays: from, maxAgeDays: to }: Selector): string | undefined {
  if (from === null) return to === null ? undefined : `up to ${to} days old`;
  return to === null ? `older than ${from} days` : `${from} to ${to} days old`;
}
