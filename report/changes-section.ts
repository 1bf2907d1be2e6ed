import { formatDay } from '../domain/common/format.ts';
import type { ScanChanges } from '../domain/scans/changes.ts';
import { formatCount, formatNumber, formatMoney } from '../shared/amounts.ts';
import { describeCauses } from '../shared/changes.ts';
import { heading, paragraph, table, type Block } from './blocks.ts';

const LEAST_SHOWN_USD = 0.005;
const MAX_BUCKETS = 5;

/** What is different from the decision before, and why; nothing if there was none. */
export function changesSection(changes: ScanChanges | null): readonly Block[] {
  const { since, costChangeUsd, causes = [], buckets = [], recommendations } = changes ?? {};
  if (!since || costChangeUsd === null || costChangeUsd === undefined) return [];
  const shown = describeCauses(causes, costChangeUsd);
  const changed = buckets.filter(({ costChangeUsd: usd }) => Math.abs(usd) >= LEAST_SHOWN_USD);
  const largest = changed.slice(0, MAX_BUCKETS);
  return [
    heading(`Since ${formatDay(since.at)}`),
    paragraph(changeSentence(costChangeUsd), recommendationSentence(recommendations)),
    ...(shown.length > 0
      ? [
          table(
            ['Because of', '#A month'],
            [
              ...shown.map(({ name, amount }) => [name, amount]),
              ['Together', formatMoney(costChangeUsd)],
            ],
            true,
          ),
        ]
      : []),
    ...(largest.length > 0
      ? [
          table(
            [
              changed.length > MAX_BUCKETS ? 'Buckets, the largest changes' : 'Bucket',
              '#Change a month',
            ],
            largest.map(({ name, costChangeUsd: usd }) => [{ code: name }, formatMoney(usd)]),
          ),
        ]
      : []),
  ];
}

function changeSentence(usd: number): string {
  if (usd === 0) return 'It costs as much as before.';
  return `It costs ${formatMoney(Math.abs(usd))} a month ${usd > 0 ? 'more' : 'less'} than before.`;
}

function recommendationSentence(advice: ScanChanges['recommendations'] | undefined): string {
  const { opened = [], gone = [], better = [] } = advice ?? {};
  const parts = [
    ...(opened.length > 0 ? [formatCount(opened.length, 'new recommendation')] : []),
    ...(gone.length > 0 ? [`${formatCount(gone.length, 'earlier one')} no longer made`] : []),
    ...(better.length > 0
      ? [`${formatNumber(better.length)} that ${better.length === 1 ? 'saves' : 'save'} more`]
      : []),
  ];
  return parts.length === 0 ? '' : ` Of the advice: ${parts.join(', ')}.`;
}
