import { formatBytes, formatMoney, type RoutedFileDecision } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'wouter';
import { useAnalyticsQueries } from '../../data/analytics.ts';
import { useProviderTitle } from '../../data/providers.ts';
import { formatCode } from '../../format/code.ts';
import { Facts } from '../../parts/facts.tsx';
import { Card } from '../../parts/card.tsx';
import { numberColumn } from '../../parts/columns.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Badge, StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';

/** One routing decision: what each store would have cost, and why this one. */
export function RoutedFileView() {
  const { fileId = '' } = useParams();
  const file = useQuery(useAnalyticsQueries().routedFile(fileId));
  return (
    <Page title="Routing decision">
      <p>
        <Link href="/usage">All files</Link>
      </p>
      <Loaded query={file} what="the routing decision">
        {(decided) => (
          <>
            <FileCard file={decided} />
            <Decision file={decided} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function FileCard({ file }: { readonly file: RoutedFileDecision }) {
  const providerTitle = useProviderTitle();
  return (
    <Card title={file.fileName} aside={<StatusBadge status={file.status} />}>
      <Facts
        facts={[
          ['Store', providerTitle(file.provider)],
          ['Size', formatBytes(file.fileSizeBytes)],
          ['Priority', formatCode(file.priority)],
          ['Saves, against S3 Standard', `${formatMoney(file.savedVsAwsUsd)} a month`],
          ['Began', <Time iso={file.createdAt} />],
          ['File id', <code>{file.fileId}</code>],
        ]}
      />
    </Card>
  );
}

function Decision({ file: { provider, routing } }: { readonly file: RoutedFileDecision }) {
  const providerTitle = useProviderTitle();
  const { costs, preferredProvider, priceBook, reason, warning } = routing;
  const chosen = costs.find((cost) => cost.provider === provider)?.monthlyCostUsd;
  return (
    <Card title={`Why ${providerTitle(provider)}`}>
      <p>{reason}</p>
      {warning === undefined ? null : (
        <div className="notice">
          <p className="notice-title">Not the first choice</p>
          <p>{warning}</p>
          <Link href="/providers">To your stores</Link>
        </div>
      )}
      <DataTable
        caption="What each of your stores would cost for this file, with the reads that its priority expects"
        rows={costs}
        rowKey={(cost) => cost.provider}
        columns={[
          {
            title: 'Store',
            cell: (cost) => (
              <>
                {providerTitle(cost.provider)}{' '}
                {cost.provider === provider ? (
                  <Badge tone="good">Chosen</Badge>
                ) : cost.provider === preferredProvider ? (
                  <Badge tone="busy">First choice</Badge>
                ) : null}
              </>
            ),
          },
          numberColumn('A month', 'monthlyCostUsd', formatMoney),
          {
            title: 'Difference',
            isNumber: true,
            cell: ({ monthlyCostUsd }) =>
              chosen === undefined ? '–' : differenceText(monthlyCostUsd - chosen),
          },
        ]}
      />
      <p className="quiet">
        Stores that were not configured at the time are not listed. Prices of the price book{' '}
        <code>{priceBook}</code>.
      </p>
    </Card>
  );
}

function differenceText(usd: number): string {
  if (usd === 0) return '–';
  return usd > 0 ? `${formatMoney(usd)} more` : `${formatMoney(-usd)} less`;
}
