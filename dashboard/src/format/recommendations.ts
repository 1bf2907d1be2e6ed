import {
  describeSelector,
  recommendedOption,
  type PlacementOption,
  type Recommendation,
  type Selector,
} from '@storage-routing/client';

/** What a selector takes: `all objects`, `below logs/, 90 to 365 days old`. */
export function formatSelector(selector: Selector): string {
  const { prefix } = selector;
  const parts = [prefix === null ? '' : `below ${prefix}`, describeSelector('aws', selector)];
  return parts.filter((part) => part !== '').join(', ') || 'all objects';
}

export type OptionBlocker = Recommendation['blockers'][number];

/** Why an option cannot be approved. Other blockers leave objects behind, or change the cost. */
export function refusal(option: PlacementOption): OptionBlocker | undefined {
  return option.blockers.find(({ code }) => code === 'egress_refused');
}

/** Identifies an option among those of a recommendation. */
export function optionKey({ provider, storageClass }: PlacementOption): string {
  return `${provider} ${storageClass}`;
}

/** Null if the savings never pay for the cost. */
export function paybackMonths(recommendation: Recommendation): number | null {
  const option = recommendedOption(recommendation);
  if (option) return option.breakEvenMonths;
  const { oneOffUsd, monthlySavingsUsd } = recommendation;
  if (!oneOffUsd) return 0;
  return monthlySavingsUsd > 0 ? oneOffUsd / monthlySavingsUsd : null;
}
