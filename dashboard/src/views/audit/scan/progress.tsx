import type { ScanResult } from '@storage-routing/client';
import { Link } from 'wouter';
import { formatBytes, formatCount, formatUsd, formatCounted } from '../../../format/numbers.ts';
import { wordsOfError } from '../../../format/words.ts';
import { Card } from '../../../parts/card.tsx';
import { Figure, Figures } from '../../../parts/figure.tsx';
import { Progress } from '../../../parts/progress.tsx';

interface ScanProps {
  readonly scan: ScanResult;
}

/** How far the scan is. The result follows by itself. */
export function RunningScan({ scan: { progress, requests } }: ScanProps) {
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
              ? `${formatCount(bucketsDone)} of ${formatCounted(bucketsTotal, 'bucket')}`
              : 'The buckets are listed'
          }
        />
        <p className="quiet">
          A large bucket takes a while: a listing has 1,000 objects. You may leave this page; the
          scan goes on.
        </p>
      </Card>
      <Figures>
        <Figure label="Objects" value={formatCount(progress.objects)} basis="counted so far" />
        <Figure label="Size" value={formatBytes(progress.bytes)} basis="counted so far" />
        <Figure
          label="Requests"
          value={formatCount(requests.list + requests.other)}
          basis={`${formatUsd(requests.costUsd)} on your AWS bill so far`}
        />
      </Figures>
    </>
  );
}

export function FailedScan({ scan: { error, progress } }: ScanProps) {
  const words = error === null ? undefined : wordsOfError(error.code);
  return (
    <div className="notice notice-bad">
      <p className="notice-title">{words?.title ?? 'The scan has failed'}</p>
      {words?.advice ? <p>{words.advice}</p> : null}
      {error ? (
        <p className="notice-detail">
          {error.message} (<code>{error.code}</code>)
        </p>
      ) : null}
      <p>
        {formatCount(progress.bucketsDone)} of {formatCounted(progress.bucketsTotal, 'bucket')} were
        read. A scan is not resumed: <Link href="/audit">start another one</Link>.
      </p>
    </div>
  );
}
