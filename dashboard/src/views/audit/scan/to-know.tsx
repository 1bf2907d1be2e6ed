import { knowsReads, type ScanResult } from '@storage-routing/client';
import { Link } from 'wouter';
import { Card } from '../../../parts/card.tsx';
import { Snippet } from '../../../parts/copy-button.tsx';
import { usageStatement } from '../connect/permissions.ts';

/** What it takes to know who reads: an audit of S3 without a bill and metrics begins with it. */
export function ToKnow({ scan: { provider, summary, buckets } }: { readonly scan: ScanResult }) {
  const isKnown = provider !== 'aws' || summary.bill || knowsReads(buckets);
  if (isKnown || buckets.length === 0) return null;
  return (
    <Card title="What it takes to know more">
      <p>
        <strong>
          This audit has seen no bill and no metrics, so it does not know who reads your objects.
        </strong>{' '}
        Without that, almost nothing is advised to leave AWS: what your own machines read would cost
        more from another store. To know it takes one cent: add this statement to the policy of the
        role, and audit again. <Link href="/audit/connect">What each permission is for</Link>
      </p>
      <Snippet text={JSON.stringify(usageStatement(), null, 2)} label="Copy the statement" />
    </Card>
  );
}
