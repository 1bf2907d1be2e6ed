import {
  classTitle,
  formatNumber,
  type PlacementOption,
  type Provider,
  type Quote,
  type Recommendation,
  type Selector,
} from '@storage-routing/client';
import { formatCode } from './code.ts';

/** Recommendations in words. */

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
export function actionTitle(
  recommendation: Pick<Recommendation, 'kind' | 'recommendedProvider' | 'recommendedStorageClass'>,
  providerTitle: (provider: Provider) => string,
): string {
  const { kind, recommendedProvider: provider, recommendedStorageClass } = recommendation;
  switch (kind) {
    case 'move':
      return provider === null ? 'Move' : `Move to ${providerTitle(provider)}`;
    case 'change_class':
      return `Change the class to ${classTitle(provider ?? '', recommendedStorageClass ?? 'another one')}`;
    case 'abort_multipart_uploads':
      return 'Abort uploads that never finished';
    case 'expire_old_versions':
      return 'Expire old versions';
    default:
      return formatCode(kind);
  }
}

/** What a selector takes: `all objects`, `below logs/, 90 to 365 days old`. */
export function formatSelector(selector: Selector): string {
  const { prefix, storageClass, minSizeBytes } = selector;
  const parts = [
    prefix === null ? undefined : `below ${prefix}`,
    storageClass === null ? undefined : `in ${classTitle('aws', storageClass)}`,
    ageRange(selector),
    minSizeBytes === null ? undefined : `${formatNumber(minSizeBytes / 1024)} KiB and larger`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'all objects' : parts.join(', ');
}

function ageRange({ minAgeDays: from, maxAgeDays: to }: Selector): string | undefined {
  if (from === null) return to === null ? undefined : `up to ${to} days old`;
  return to === null ? `older than ${from} days` : `${from} to ${to} days old`;
}

/** Undefined for a clean-up, which has no options. */
export function recommendedOption({
  options,
  recommendedProvider,
  recommendedStorageClass,
}: Recommendation): PlacementOption | undefined {
  return options.find(
    ({ provider, storageClass }) =>
      provider === recommendedProvider && storageClass === recommendedStorageClass,
  );
}

export type OptionBlocker = Recommendation['blockers'][number];

/** Why an option cannot be approved. Other blockers leave objects behind, or only change what is paid. */
export function refusal(option: PlacementOption): OptionBlocker | undefined {
  return option.blockers.find(({ code }) => code === 'egress_refused');
}

/** Identifies an option among those of a recommendation. */
export function optionKey({ provider, storageClass }: PlacementOption): string {
  return `${provider} ${storageClass}`;
}

/** USD, once. */
export function onceUsd(recommendation: Recommendation): number {
  return recommendedOption(recommendation)?.quote.totalUsd ?? recommendation.oneOffUsd ?? 0;
}

/** Null if the savings never pay for the cost. */
export function paybackMonths(recommendation: Recommendation): number | null {
  const option = recommendedOption(recommendation);
  if (option) return option.breakEvenMonths;
  const { oneOffUsd, monthlySavingsUsd } = recommendation;
  if (!oneOffUsd) return 0;
  return monthlySavingsUsd > 0 ? oneOffUsd / monthlySavingsUsd : null;
}
