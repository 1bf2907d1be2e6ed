import {
  describeReadSource,
  formatBytes,
  formatMoney,
  formatNumber,
  formatPercent,
  formatQuantity,
  type ScanResult,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'wouter';
import { useProviderTitle } from '../../../data/providers.ts';
import { useConnection, useScanQueries } from '../../../data/scans.ts';
import { formatMonth } from '../../../format/values.ts';
import { Card } from '../../../parts/card.tsx';
import { asCode, numberColumn, textColumn } from '../../../parts/columns.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import { Figure, Figures } from '../../../parts/figure.tsx';
import { ListTable } from '../../../parts/list-table.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { Page } from '../../../parts/page.tsx';
import { Plot } from '../../../parts/plot.tsx';
import { priceTitle, storagePlaces, type BillSummary } from './bill-rows.ts';

/** What was paid for S3 in a month, beside what the audit found; and what is read. */
export function Bill() {
  const { scanId = '' } = useParams();
  const scan = useQuery(useScanQueries().scan(scanId));
  return (
    <Page title="Bill" actions={<Link href={`/audit/scans/${scanId}`}>The audit</Link>}>
      <Loaded query={scan} what="the bill">
        {(result) => (
          <>
            {result.summary.bill ? <Paid bill={result.summary.bill} /> : <NoBill scan={result} />}
            <Reads scan={result} />
            {result.summary.bill ? <Lines bill={result.summary.bill} /> : null}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Paid({ bill }: { readonly bill: BillSummary }) {
  const { period, estimated, listUsd, netUsd, explainedShare, factors, unexplained } = bill;
  const places = storagePlaces(bill);
  return (
    <>
      <Figures>
        <Figure
          label={`S3 in ${formatMonth(period)}`}
          value={formatMoney(netUsd)}
          basis={estimated ? 'as billed so far; AWS may still change it' : 'as billed'}
        />
        <Figure
          label="At list prices"
          value={formatMoney(listUsd)}
          basis={
            netUsd < listUsd
              ? `your agreement takes ${formatPercent(1 - netUsd / listUsd)} off`
              : 'no discount'
          }
        />
        <Figure
          label="Found by the audit"
          value={
            explainedShare === null ? '–' : formatPercent(Math.floor(explainedShare * 100) / 100)
          }
          basis="of the storage that was billed"
        />
      </Figures>
      {places.length > 0 ? (
        <Card title="The bill for storage, and what the audit found">
          <Plot
            caption="Storage billed in the month, in dollars"
            kind="bars"
            pointTitle="Class and region"
            points={places.map(({ label, tick }) => ({ label, tick }))}
            series={[
              { label: 'Found', values: places.map(({ foundUsd }) => foundUsd) },
              { label: 'Not found', values: places.map(({ lostUsd }) => lostUsd) },
            ]}
            format={formatMoney}
          />
          {unexplained.length > 0 ? (
            <DataTable
              caption="What of it is not explained"
              rows={unexplained}
              rowKey={({ region, usageType }) => `${region} ${usageType}`}
              columns={[
                textColumn('Line', 'usageType', asCode),
                textColumn('Region', 'region', regionName),
                numberColumn('Not explained', 'usd', formatMoney),
              ]}
            />
          ) : null}
          <p className="quiet">
            What was not found may be table or directory buckets, objects that were deleted since
            that month, buckets in regions that are not connected or that the role cannot see, and
            minimum storage durations.
          </p>
        </Card>
      ) : null}
      {factors.length > 0 ? (
        <Card title="Your own prices">
          <DataTable
            caption="What you pay of the list price"
            rows={factors}
            rowKey={({ region, line, storageClass }) => `${region} ${line} ${storageClass}`}
            columns={[
              { title: 'Price', cell: ({ line, storageClass }) => priceTitle(line, storageClass) },
              textColumn('Region', 'region'),
              numberColumn('Paid', 'factor', formatPercent),
            ]}
          />
        </Card>
      ) : null}
    </>
  );
}

/** Why there is none, and what one more statement of the role would tell. */
function NoBill({ scan: { connectionId, provider, summary } }: { readonly scan: ScanResult }) {
  const title = useProviderTitle()(provider);
  const isOfStore = useConnection(connectionId)?.provider !== undefined;
  const gaps = summary.coverage.filter(({ bucket }) => bucket === null);
  return (
    <Card title="The bill is not known">
      <p>
        {isOfStore
          ? `This audit prices ${title} by its list prices. The service reads bills of AWS accounts only.`
          : 'This audit prices S3 by its list prices. With your bill it would use your own prices, and the reads that you pay for.'}
      </p>
      <ul className="lines">
        {gaps.map(({ missing, effect }) => (
          <li key={missing}>
            <code>{missing}</code>: {effect}.
          </li>
        ))}
      </ul>
      {isOfStore ? null : (
        <p>
          <Link href="/audit/connect">What the role may allow, and what it costs</Link>
        </p>
      )}
    </Card>
  );
}

function Reads({ scan: { scanId, buckets } }: { readonly scan: ScanResult }) {
  const rows = buckets
    .flatMap(({ name, reads }) => (reads ? [{ name, ...reads }] : []))
    .sort((a, b) => b.getsPerMonth - a.getsPerMonth);
  if (rows.length === 0) return null;
  return (
    <Card title="What is read">
      <ListTable
        caption="Reads of each bucket, per 30 days; where a bill shows requests alone, each counts as a read of a whole object"
        fileName={`reads-${scanId}`}
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          textColumn('Bucket', 'name', asCode),
          numberColumn('Reads', 'getsPerMonth', formatNumber),
          numberColumn('Read', 'bytesPerMonth', formatBytes),
          numberColumn('To the internet', 'internetBytesPerMonth', formatBytes),
          textColumn('From', 'source', describeReadSource),
        ]}
      />
    </Card>
  );
}

function regionName(region: string | null): string {
  return region ?? 'another';
}

function Lines({ bill: { period, lines } }: { readonly bill: BillSummary }) {
  return (
    <Card title="Every line">
      <ListTable
        caption="The lines of the bill"
        fileName={`s3-bill-${period}`}
        rows={lines}
        rowKey={({ region, usageType }) => `${region} ${usageType}`}
        columns={[
          textColumn('Line', 'usageType', asCode),
          textColumn('Region', 'region', regionName),
          {
            title: 'Billed',
            isNumber: true,
            value: ({ quantity }) => quantity,
            cell: ({ quantity, unit }) => `${formatQuantity(quantity)} ${unit}`,
          },
          {
            title: 'Listed',
            isNumber: true,
            value: ({ listedQuantity }) => listedQuantity,
            cell: ({ listedQuantity }) =>
              listedQuantity === null ? '' : `${formatQuantity(listedQuantity)} GB`,
          },
          numberColumn('Paid', 'netUsd', formatMoney),
        ]}
      />
    </Card>
  );
}
