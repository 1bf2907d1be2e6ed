import type { PlacementOption, Recommendation } from '@storage-routing/client';
import { Link } from 'wouter';
import { formatMonths } from '../../format/durations.ts';
import { formatUsd } from '../../format/numbers.ts';
import { formatDay } from '../../format/times.ts';
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
      <Waiting recommendation={recommendation} />
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

const SWITCHING_LAW =
  'the EU Data Act (Regulation (EU) 2023/2854, article 29) forbids charging customers in the Union for switching to another provider, egress included. It covers switching, which a partial move may not be: ask AWS first.';

/** For each store, what it saves to wait for the law; nothing where it saves nothing. */
function Waiting({ recommendation }: { readonly recommendation: Recommendation }) {
  const worthwhile = recommendation.options.flatMap((option) =>
    option.waiting ? [{ option, waiting: option.waiting }] : [],
  );
  const [first] = worthwhile;
  if (!first) return null;
  if (Date.now() >= Date.parse(first.waiting.until))
    return (
      <p>
        <strong>The egress may not be due.</strong> Since {formatDay(first.waiting.until)}{' '}
        {SWITCHING_LAW}
      </p>
    );
  return (
    <>
      <p>
        <strong>Waiting until {formatDay(first.waiting.until)} may save money.</strong> From that
        day {SWITCHING_LAW}
      </p>
      <ul className="sentences">
        {worthwhile.map(({ option, waiting }) => (
          <li key={titleOf(option)}>
            {titleOf(option)}: waiting saves {formatUsd(waiting.savesUsd)}, after what the move
            would have saved by then.
          </li>
        ))}
      </ul>
    </>
  );
}

function monthsOrNever(months: PlacementOption['breakEvenMonths']): string {
  return months === null ? 'Never' : formatMonths(months);
}
