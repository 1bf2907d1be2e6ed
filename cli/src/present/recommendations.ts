import {
  classTitle,
  formatBytes,
  formatMoney,
  type ListedRecommendation,
  type RecommendationsPage,
  type Waiting,
} from '@storage-routing/client';
import { pageText, escapeText } from '../io/text.ts';

const HEADS = [
  'RECOMMENDATION',
  'STATUS',
  'WHAT',
  'SIZE',
  'SAVES A MONTH',
  'COSTS ONCE',
  'WAITING SAVES',
];

/** Formats a page of recommendations. */
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

function whatText({ kind, bucket, selector, ...item }: ListedRecommendation): string {
  const place = `${bucket}/${selector.prefix ?? ''}`;
  switch (kind) {
    case 'move':
      return `move ${place} to ${item.recommendedProvider}`;
    case 'change_class':
      return `change ${place} to ${classTitle(item.recommendedProvider ?? '', item.recommendedStorageClass ?? '')}`;
    case 'abort_multipart_uploads':
      return `abort incomplete uploads in ${place}`;
    case 'expire_old_versions':
      return `expire old versions in ${place}`;
    default:
      return `${String(kind)} in ${place}`;
  }
}
