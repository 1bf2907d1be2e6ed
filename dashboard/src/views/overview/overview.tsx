import { useQuery } from '@tanstack/react-query';
import type { AnalyticsMonthly, AnalyticsSummary } from '@storage-routing/client';
import { Link } from 'wouter';
import { useAnalyticsQueries } from '../../data/analytics.ts';
import { useProviderTitle } from '../../data/providers.ts';
import {
  formatCount,
  formatCounted,
  formatGb,
  formatMonth,
  formatUsd,
} from '../../format/values.ts';
import { Bars } from '../../parts/bars.tsx';
import { Card } from '../../parts/card.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Page } from '../../parts/page.tsx';
import { Attention } from './attention.tsx';
import { Quotas } from './quotas.tsx';

/** What the account has saved, what it holds, and what needs attention. */
export function Overview() {
  const summary = useQuery(useAnalyticsQueries().summary);
  return (
    <Page title="Overview">
      <Attention />
      <Loaded query={summary} what="the totals">
        {(totals) => <Totals totals={totals} />}
      </Loaded>
      <Quotas />
      <Months />
    </Page>
  );
}

function Totals({ totals }: { readonly totals: AnalyticsSummary }) {
  const { currentMonth, files, byProvider } = totals;
  const providerTitle = useProviderTitle();
  return (
    <>
      <Figures>
        <Figure
          label="Saved so far"
          value={`${formatUsd(totals.savedVsAwsUsd)} a month`}
          basis="all uploads, against S3 Standard"
        />
        <Figure
          label="Saved this month"
          value={`${formatUsd(currentMonth.savedVsAwsUsd)} a month`}
          basis={`uploads of ${formatMonth(currentMonth.month)}`}
        />
        <Figure
          label="Routed this month"
          value={formatGb(currentMonth.gbRouted)}
          basis={formatCounted(currentMonth.uploads, 'upload')}
        />
      </Figures>
      <div className="columns">
        <Card title="Files by state">
          <Bars
            label="Files by state"
            bars={Object.entries(files).map(([status, count]) => ({
              label: status,
              value: count,
              text: formatCount(count),
            }))}
          />
        </Card>
        <Card title="Uploads by provider">
          {byProvider.length === 0 ? (
            <Empty>
              <p>Nothing has been uploaded yet.</p>
            </Empty>
          ) : (
            <DataTable
              caption="Completed uploads by provider"
              rows={byProvider}
              rowKey={({ provider }) => provider}
              columns={[
                { title: 'Provider', cell: ({ provider }) => providerTitle(provider) },
                { title: 'Files', isNumber: true, cell: (row) => formatCount(row.files) },
                { title: 'Routed', isNumber: true, cell: ({ gbRouted }) => formatGb(gbRouted) },
                {
                  title: 'Saves a month',
                  isNumber: true,
                  cell: ({ savedVsAwsUsd }) => formatUsd(savedVsAwsUsd),
                },
              ]}
            />
          )}
        </Card>
      </div>
    </>
  );
}

/** Without the empty months before the first upload. */
function fromFirstUse(months: AnalyticsMonthly['months']): AnalyticsMonthly['months'] {
  return months.slice(months.findIndex(({ uploads }) => uploads > 0));
}

function Months() {
  const monthly = useQuery(useAnalyticsQueries().monthly);
  return (
    <Card title="Routed by month">
      <Loaded query={monthly} what="the months">
        {({ months }) =>
          months.every(({ uploads }) => uploads === 0) ? (
            <Empty>
              <p>No upload in the last twelve months.</p>
              <Link href="/providers">Add a store to upload to</Link>
            </Empty>
          ) : (
            <Bars
              label="Routed by month"
              bars={fromFirstUse(months).map(({ month, gbRouted, uploads }) => ({
                label: formatMonth(month),
                value: gbRouted,
                text: `${formatGb(gbRouted)}, ${formatCounted(uploads, 'upload')}`,
              }))}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
