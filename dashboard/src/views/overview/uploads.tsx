import {
  formatCount,
  formatMoney,
  formatNumber,
  formatPercent,
  type AnalyticsSummary,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useAccountQueries } from '../../data/account.ts';
import { useAnalyticsQueries } from '../../data/analytics.ts';
import { useProviderTitle } from '../../data/providers.ts';
import { readQuotas } from '../../format/plan.ts';
import { formatGb, formatMonth } from '../../format/values.ts';
import { formatCode } from '../../format/code.ts';
import { Card } from '../../parts/card.tsx';
import { numberColumn } from '../../parts/columns.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';

/** What was uploaded through the service, and what that uses of the plan. */
export function Uploads() {
  const summary = useQuery(useAnalyticsQueries().summary);
  return (
    <Card title="Uploads" aside={<Link href="/usage">Month by month</Link>}>
      <Loaded query={summary} what="the totals">
        {(totals) =>
          totals.byProvider.length === 0 ? (
            <Empty>
              <p>Nothing has been uploaded yet.</p>
              <Link href="/key">Upload a test file</Link>
            </Empty>
          ) : (
            <Totals totals={totals} />
          )
        }
      </Loaded>
      <Quotas />
    </Card>
  );
}

function Totals({ totals }: { readonly totals: AnalyticsSummary }) {
  const { byProvider, currentMonth, savedVsAwsUsd } = totals;
  const providerTitle = useProviderTitle();
  return (
    <>
      <Figures>
        <Figure
          label="Cheaper than S3 Standard by"
          value={formatMoney(savedVsAwsUsd)}
          basis="a month: the sum over all uploads so far, deleted files included"
        />
        <Figure
          label={formatMonth(currentMonth.month)}
          value={formatGb(currentMonth.gbRouted)}
          basis={`in ${formatCount(currentMonth.uploads, 'upload')}`}
        />
      </Figures>
      <DataTable
        caption="All completed uploads, deleted files included"
        rows={byProvider}
        rowKey={({ provider }) => provider}
        columns={[
          { title: 'Store', cell: ({ provider }) => providerTitle(provider) },
          numberColumn('Files', 'files', formatNumber),
          numberColumn('Size', 'gbRouted', formatGb),
        ]}
      />
    </>
  );
}

function Quotas() {
  const account = useQuery(useAccountQueries().account);
  return (
    <Loaded query={account} what="the quotas">
      {(me) => (
        <p className="quiet">
          Plan <Link href="/plan">{formatCode(me.plan)}</Link>
          {readQuotas(me).map(({ title, used, limit, share }) => (
            <span key={title}>
              {' · '}
              {title}:{' '}
              {share === undefined
                ? `${used}, unlimited`
                : `${used} of ${limit} (${formatPercent(share)})`}
            </span>
          ))}
        </p>
      )}
    </Loaded>
  );
}
