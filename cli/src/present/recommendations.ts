import {
  escapeText,
  actionTitle,
  formatBytes,
  formatMoney,
  type ListedRecommendation,
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

export function recommendationsText(page: RecommendationsPage): string {
  if (page.total === 0) return 'no recommendation: srs scan finds them';
  return pageText(page, HEADS, recommendationRow);
}

function recommendationRow(item: ListedRecommendation): string[] {
  const { recommendedProvider, options } = item;
  const option = options.find(({ provider }) => provider === recommendedProvider);
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

function whatText(item: ListedRecommendation): string {
  const { bucket, selector } = item;
  return `${actionTitle(item, (provider) => provider)}: ${bucket}/${selector.prefix ?? ''}`;
}
