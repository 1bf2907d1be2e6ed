import type { PlacementOption, Recommendation } from '@storage-routing/client';
import { Link } from 'wouter';
import { formatMonths } from '../../format/durations.ts';
import { formatUsd } from '../../format/numbers.ts';
import { Card } from '../../parts/card.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { QuoteTable } from '../../parts/quote-table.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { titleOf } from './options.ts';
import { useIsConfigured } from './use-is-configured.ts';

/** Every store that was considered: what it costs a month, what once, and when it has paid for itself. */
export function OptionsCard({ recommendation }: { readonly recommendation: Recommendation }) {
  const { options, recommendedProvider } = recommendation;
  const isConfigured = useIsConfigured(recommendation);
  return (
    <Card title={options.length === 1 ? 'What it costs' : 'The options'}>
      <DataTable
        caption="Per month, and after how long the one-time cost is earned back"
        rows={options}
        keyOf={titleOf}
        columns={[
          {
            title: 'To',
            cell: (option) => (
              <>
                {titleOf(option)}{' '}
                {options.length > 1 && option.provider === recommendedProvider ? (
                  <StatusBadge tone="good">Recommended</StatusBadge>
                ) : null}{' '}
                {isConfigured(option.provider) ? null : (
                  <Link href="/providers">Not configured: add it</Link>
                )}
              </>
            ),
          },
          { title: 'A month', isNumber: true, cell: (option) => formatUsd(option.monthlyCostUsd) },
          { title: 'Saves', isNumber: true, cell: (option) => formatUsd(option.monthlySavingsUsd) },
          {
            title: 'Pays back after',
            isNumber: true,
            cell: ({ breakEvenMonths }) => monthsOrNever(breakEvenMonths),
          },
          {
            title: 'With egress waived',
            isNumber: true,
            cell: ({ breakEvenMonthsWithExitWaiver }) =>
              monthsOrNever(breakEvenMonthsWithExitWaiver),
          },
        ]}
      />
      <QuoteTable
        caption="What it costs once"
        quotes={options.map((option) => ({ title: titleOf(option), quote: option.quote }))}
      />
      {recommendation.kind === 'move' ? (
        <p className="quiet">
          Early deletion is due only where you delete the objects at the source right after the
          move. Ask AWS for the waiver before you approve: it is given to customers who leave, and
          never deducted here.
        </p>
      ) : null}
    </Card>
  );
}

function monthsOrNever(months: PlacementOption['breakEvenMonths']): string {
  return months === null ? 'Never' : formatMonths(months);
}
