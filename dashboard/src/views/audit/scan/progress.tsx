import {
  formatBytes,
  formatCount,
  formatMoney,
  formatNumber,
  type BucketProgress,
  type ScanResult,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useProviderTitle } from '../../../data/providers.ts';
import { useScanQueries } from '../../../data/scans.ts';
import { errorMessage } from '../../../format/error-messages.ts';
import { Card } from '../../../parts/card.tsx';
import { asCode, numberColumn, textColumn } from '../../../parts/columns.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import { Figure, Figures } from '../../../parts/figure.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { Progress } from '../../../parts/progress.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';

interface ScanProps {
  readonly scan: ScanResult;
}

/** The progress of the scan, until its result replaces it. */
export function RunningScan({ scan: { scanId, provider, progress, requests } }: ScanProps) {
  const providerTitle = useProviderTitle();
  const { bucketsDone, bucketsTotal, percent } = progress;
  const isListed = bucketsTotal > 0;
  return (
    <>
      <Card title="The buckets are read">
        <Progress
          label="Buckets"
          percent={isListed ? percent : null}
          text={
            isListed
              ? `${formatNumber(bucketsDone)} of ${formatCount(bucketsTotal, 'bucket')}`
              : 'The buckets are listed'
          }
        />
        <p className="quiet">
          A large bucket takes a while: a listing has 1,000 objects. You may leave this page; the
          audit continues.
        </p>
      </Card>
      <Figures>
        <Figure label="Objects" value={formatNumber(progress.objects)} basis="counted so far" />
        <Figure label="Size" value={formatBytes(progress.bytes)} basis="counted so far" />
        <Figure
          label="Requests"
          value={formatNumber(requests.list + requests.other)}
          basis={`${formatMoney(requests.costUsd)} on your bill of ${providerTitle(provider)} so far`}
        />
      </Figures>
      <LatestBuckets scanId={scanId} />
    </>
  );
}

/** The buckets that are read, and those that were read last. */
function LatestBuckets({ scanId }: { readonly scanId: string }) {
  const progress = useQuery(useScanQueries().scanProgress(scanId));
  return (
    <Card title="Bucket by bucket">
      <Loaded query={progress} what="the buckets">
        {({ buckets }) =>
          buckets.length === 0 ? (
            <p>No bucket has been counted yet.</p>
          ) : (
            <DataTable
              caption="The latest first; a large bucket is counted again every few seconds."
              rows={buckets}
              rowKey={({ name }) => name}
              columns={[
                textColumn('Bucket', 'name', asCode),
                { title: 'State', cell: (bucket) => <BucketState bucket={bucket} /> },
                numberColumn('Objects', 'objects', formatNumber),
                numberColumn('Size', 'bytes', formatBytes),
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function BucketState({ bucket: { state, error } }: { readonly bucket: BucketProgress }) {
  return (
    <>
      <StatusBadge status={state} /> {error}
    </>
  );
}

export function FailedScan({ scan: { error, progress } }: ScanProps) {
  const [title = 'The audit has failed', advice] = (error && errorMessage(error.code)) ?? [];
  return (
    <div className="notice notice-bad">
      <p className="notice-title">{title}</p>
      {advice ? <p>{advice}</p> : null}
      {error ? (
        <p className="notice-detail">
          {error.message} (<code>{error.code}</code>)
        </p>
      ) : null}
      <p>
        {formatNumber(progress.bucketsDone)} of {formatCount(progress.bucketsTotal, 'bucket')} were
        read. An audit is not resumed: <Link href="/audit">start another one</Link>.
      </p>
    </div>
  );
}
