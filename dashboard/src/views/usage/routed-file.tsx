import type { RoutedFileDecision } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'wouter';
import { useAnalyticsQueries } from '../../data/analytics.ts';
import { FILE_STATUSES, PRIORITY_TITLES } from '../../format/files.ts';
import { formatBytes, formatUsd } from '../../format/numbers.ts';
import { PROVIDER_TITLES } from '../../format/words.ts';
import { Card } from '../../parts/card.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
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
        {(found) => (
          <>
            <Facts file={found} />
            <Decision file={found} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ file }: { readonly file: RoutedFileDecision }) {
  const { title, tone } = FILE_STATUSES[file.status];
  return (
    <Card title={file.fileName} aside={<StatusBadge tone={tone}>{title}</StatusBadge>}>
      <dl className="facts">
        <div>
          <dt>Store</dt>
          <dd>{PROVIDER_TITLES[file.provider]}</dd>
        </div>
        <div>
          <dt>Size</dt>
          <dd>{formatBytes(file.fileSizeBytes)}</dd>
        </div>
        <div>
          <dt>Priority</dt>
          <dd>{PRIORITY_TITLES[file.priority]}</dd>
        </div>
        <div>
          <dt>Saves, against S3 Standard</dt>
          <dd>{formatUsd(file.savedVsAwsUsd)} a month</dd>
        </div>
        <div>
          <dt>Began</dt>
          <dd>
            <Time iso={file.createdAt} />
          </dd>
        </div>
        <div>
          <dt>File id</dt>
          <dd>
            <code>{file.fileId}</code>
          </dd>
        </div>
      </dl>
    </Card>
  );
}

function Decision({ file: { provider, routing } }: { readonly file: RoutedFileDecision }) {
  const { costs, preferredProvider, priceBook, reason, warning } = routing;
  const chosen = costs.find((cost) => cost.provider === provider)?.monthlyCostUsd;
  return (
    <Card title={`Why ${PROVIDER_TITLES[provider]}`}>
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
        keyOf={(cost) => cost.provider}
        columns={[
          {
            title: 'Store',
            cell: (cost) => (
              <>
                {PROVIDER_TITLES[cost.provider]}{' '}
                {cost.provider === provider ? (
                  <StatusBadge tone="good">Chosen</StatusBadge>
                ) : cost.provider === preferredProvider ? (
                  <StatusBadge tone="busy">First choice</StatusBadge>
                ) : null}
              </>
            ),
          },
          {
            title: 'A month',
            isNumber: true,
            cell: ({ monthlyCostUsd }) => formatUsd(monthlyCostUsd),
          },
          {
            title: 'Against the chosen one',
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
  return usd > 0 ? `${formatUsd(usd)} more` : `${formatUsd(-usd)} less`;
}
