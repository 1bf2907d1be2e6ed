import type { ScanResult } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { FileText, Receipt } from 'lucide-react';
import { Link, useParams } from 'wouter';
import { useProviderTitle } from '../../../data/providers.ts';
import { isScanRunning, useConnection, useScanQueries } from '../../../data/scans.ts';
import { connectionTitle } from '../../../format/audit.ts';
import { formatCode } from '../../../format/code.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { Page } from '../../../parts/page.tsx';
import { Time } from '../../../parts/time.tsx';
import '../audit.css';
import { FailedScan, RunningScan } from './progress.tsx';
import { Result } from './result.tsx';

/** One scan: its progress while it runs, then what it found. */
export function Scan() {
  const { scanId } = useParams<{ scanId: string }>();
  const scan = useQuery(useScanQueries().scan(scanId));
  const isOfStore = useConnection(scan.data?.connectionId ?? '')?.provider !== undefined;
  return (
    <Page
      title={isOfStore ? 'Audit of a store' : 'Audit of an account'}
      actions={
        <div className="actions">
          <Link href="/audit">All audits</Link>
          {scan.data?.status === 'completed' ? (
            <>
              {isOfStore ? null : (
                <Link className="button" href={`/audit/scans/${scanId}/bill`}>
                  <Receipt aria-hidden size={16} /> Bill
                </Link>
              )}
              <Link className="button" href={`/audit/scans/${scanId}/report`}>
                <FileText aria-hidden size={16} /> Report
              </Link>
            </>
          ) : null}
        </div>
      }
    >
      <Loaded query={scan} what="the scan">
        {(result) => (
          <>
            <Header scan={result} />
            {isScanRunning(result) ? <RunningScan scan={result} /> : null}
            {result.status === 'failed' ? <FailedScan scan={result} /> : null}
            {result.status === 'completed' ? <Result scan={result} /> : null}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Says the state if it changes, too. */
function Header({ scan }: { readonly scan: ScanResult }) {
  const { connectionId, provider, status, startedAt, completedAt } = scan;
  const providerTitle = useProviderTitle();
  const connection = useConnection(connectionId) ?? { provider };
  return (
    <p className="quiet" role="status">
      {connectionTitle(connection, providerTitle)}, an audit of <Time iso={startedAt} />:{' '}
      {formatCode(status).toLowerCase()}
      {completedAt === null ? null : (
        <>
          {' '}
          <Time iso={completedAt} />
        </>
      )}
    </p>
  );
}
