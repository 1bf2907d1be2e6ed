import {
  escapeText,
  actionTitle,
  describeScenarios,
  formatBytes,
  formatMoney,
  recommendedOption,
  type ListedRecommendation,
  type Recommendation,
  type RecommendationsPage,
  type Waiting,
} from '@storage-routing/client';
import { pageText } from '../io/text.ts';

const HEADS = [
  'RECOMMENDATION',
  'STATUS',
  'WHAT',
  'SIZE',
  'SAVES A MONTH',
  'COSTS ONCE',
  'WAITING SAVES',
];

const NONE = 'no recommendation: srs scan finds them';

export function recommendationsText(page: RecommendationsPage): string {
  return page.total === 0 ? NONE : pageText(page, HEADS, recommendationRow);
}

/**
 * The same, with what each costs in each scenario of reads.
 *
 * @param more what asks for the next page, before its offset
 */
export function scenariosText(page: RecommendationsPage, more: string): string {
  const row = (item: ListedRecommendation): string[] =>
    recommendationRow(item).concat(escapeText(describeScenarios(item.scenarios)));
  return page.total === 0 ? NONE : pageText(page, [...HEADS, 'SCENARIOS, A MONTH'], row, more);
}

function recommendationRow(item: ListedRecommendation): string[] {
  const option = recommendedOption(item);
  return [
    item.recommendationId,
    item.status,
    whatText(item),
    formatBytes(item.bytes),
    formatMoney(item.monthlySavingsUsd),
    option === undefined ? '-' : formatMoney(option.quote.totalUsd),
    waitingText(option?.waiting),
  ].map(escapeText);
}

function waitingText(waiting: Waiting | null | undefined): string {
  return waiting ? `${formatMoney(waiting.savesUsd)} until ${waiting.until}` : '-';
}

/** Its title and its place. */
export function whatText(item: Recommendation): string {
  const { bucket, selector } = item;
  return `${actionTitle(item, (provider) => provider)}: ${bucket}/${selector.prefix ?? ''}`;
}
