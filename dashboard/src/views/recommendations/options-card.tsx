import {
  SWITCHING_LAW,
  formatLess,
  formatMoney,
  formatPayback,
  type ListedRecommendation,
  type Recommendation,
} from '@storage-routing/client';
import { Link } from 'wouter';
import { useProviderTitle } from '../../data/providers.ts';
import { useSource } from '../../data/scans.ts';
import { formatCode } from '../../format/code.ts';
import { formatDay } from '../../format/values.ts';
import { Card } from '../../parts/card.tsx';
import { numberColumn } from '../../parts/columns.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { QuoteTable } from '../../parts/quote-table.tsx';
import { Badge } from '../../parts/status-badge.tsx';
import { optionKey, refusal } from '../../format/recommendations.ts';
import { useIsConfigured, useOptionTitle } from './use-options.ts';

/**
 * Every store that was considered: what it costs a month, what once, and when it has paid for
 * itself.
 */
export function OptionsCard({ recommendation }: { readonly recommendation: ListedRecommendation }) {
  const { options, recommendedProvider, currentMonthlyCostUsd } = recommendation;
  const isConfigured = useIsConfigured(recommendation);
  const optionTitle = useOptionTitle();
  const providerTitle = useProviderTitle();
  const source = useSource(recommendation);
  const sourceTitle = source === undefined ? 'the source' : providerTitle(source);
  const hasWaiver = options.some(({ quote }) => quote.totalWithExitWaiverUsd < quote.totalUsd);
  return (
    <Card title={options.length === 1 ? 'What it costs' : 'The options'}>
      <DataTable
        caption="A month, and when the one-time cost is paid back"
        rows={options}
        rowKey={optionKey}
        columns={[
          {
            title: 'To',
            cell: (option) => (
              <>
                {optionTitle(option)}{' '}
                {options.length > 1 && option.provider === recommendedProvider ? (
                  <Badge tone="good">Recommended</Badge>
                ) : null}{' '}
                {refusal(option) ? <Badge tone="bad">Cannot be approved</Badge> : null}{' '}
                {isConfigured(option.provider) ? null : (
                  <Link href="/providers">Not configured: add it</Link>
                )}
              </>
            ),
          },
          {
            title: 'After, as promised',
            isNumber: true,
            cell: (option) => formatLess(currentMonthlyCostUsd, option.monthlySavingsUsd),
          },
          numberColumn('Saves', 'monthlySavingsUsd', formatMoney),
          numberColumn('Paid back', 'breakEvenMonths', formatPayback),
          numberColumn('With egress waived', 'breakEvenMonthsWithExitWaiver', formatPayback),
        ]}
      />
      <QuoteTable
        caption="What it costs once"
        quotes={options.map((option) => ({ title: optionTitle(option), quote: option.quote }))}
      />
      <Against options={options} />
      <Waiting recommendation={recommendation} sourceTitle={sourceTitle} />
      {recommendation.kind === 'move' ? (
        <p className="quiet">
          Early deletion is due only if you delete the source right after the move.
          {hasWaiver
            ? ` ${formatCode(sourceTitle)} waives egress for customers who leave, if they ask before: it is never deducted here.`
            : null}
        </p>
      ) : null}
    </Card>
  );
}

/** What speaks against single options. */
function Against({ options }: { readonly options: Recommendation['options'] }) {
  const optionTitle = useOptionTitle();
  const lines = options.flatMap((option) => {
    const refused = refusal(option);
    return option.blockers.map((blocker) => ({
      key: `${optionKey(option)} ${blocker.code}`,
      title: optionTitle(option),
      message: blocker.message,
      isRefused: blocker === refused,
    }));
  });
  if (lines.length === 0) return null;
  return (
    <ul className="sentences">
      {lines.map(({ key, title, message, isRefused }) => (
        <li key={key}>
          {title}: {message}
          {isRefused ? ' It cannot be approved.' : null}
        </li>
      ))}
    </ul>
  );
}

const WHAT_IT_FORBIDS =
  'forbids charging customers in the Union for switching to another provider, egress included. It covers switching, which a partial move may not be: ask';

interface WaitingProps {
  readonly recommendation: Recommendation;
  readonly sourceTitle: string;
}

/** For each store, what waiting for the law saves; nothing if it saves nothing. */
function Waiting({ recommendation, sourceTitle }: WaitingProps) {
  const optionTitle = useOptionTitle();
  const worthwhile = recommendation.options.flatMap((option) =>
    option.waiting ? [{ option, waiting: option.waiting }] : [],
  );
  const [first] = worthwhile;
  if (!first) return null;
  if (Date.now() >= Date.parse(first.waiting.until))
    return (
      <p>
        <strong>The egress may not be due.</strong> Since {formatDay(first.waiting.until)}{' '}
        {SWITCHING_LAW} {WHAT_IT_FORBIDS} {sourceTitle} first.
      </p>
    );
  return (
    <>
      <p>
        <strong>Waiting until {formatDay(first.waiting.until)} may save money.</strong> From that
        day {SWITCHING_LAW} {WHAT_IT_FORBIDS}
      </p>
      <ul className="sentences">
        {worthwhile.map(({ option, waiting }) => (
          <li key={optionKey(option)}>
            {optionTitle(option)}: waiting saves {formatMoney(waiting.savesUsd)}, after what the
            move would have saved by then.
          </li>
        ))}
      </ul>
    </>
  );
}
