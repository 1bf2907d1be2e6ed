import type { ScanResult } from '@storage-routing/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'wouter';
import { useApi } from '../../../data/api.ts';
import { isScanRunning, useScanQueries } from '../../../data/scans.ts';
import { awsAccountId } from '../../../format/audit.ts';
import { wordsFromCode } from '../../../format/words.ts';
import { ActionButton } from '../../../parts/action-button.tsx';
import { ErrorBox } from '../../../parts/error-box.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { Page } from '../../../parts/page.tsx';
import { Time } from '../../../parts/time.tsx';
import '../audit.css';
import { download } from '../../../parts/download.ts';
import { FailedScan, RunningScan } from './progress.tsx';
import { Result } from './result.tsx';

/** One scan: its progress while it runs, then what it found. */
export function Scan() {
  const { scanId } = useParams<{ scanId: string }>();
  const scan = useQuery(useScanQueries().scan(scanId));
  return (
    <Page
      title="Audit result"
      actions={
        <div className="actions">
          <Link href="/audit">All audits</Link>
          {scan.data?.status === 'completed' ? <ReportButton scan={scan.data} /> : null}
        </div>
      }
    >
      <Loaded query={scan} what="the scan">
        {(found) => (
          <>
            <Header scan={found} />
            {isScanRunning(found) ? <RunningScan scan={found} /> : null}
            {found.status === 'failed' ? <FailedScan scan={found} /> : null}
            {found.status === 'completed' ? <Result scan={found} /> : null}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Says the state if it changes, too. */
function Header({ scan: { connectionId, status, startedAt, completedAt } }: { scan: ScanResult }) {
  const { data } = useQuery(useScanQueries().connections);
  const role = data?.items.find((each) => each.connectionId === connectionId)?.roleArn;
  return (
    <p className="quiet" role="status">
      {role === undefined ? 'A scan' : `AWS account ${awsAccountId(role)}, a scan`} of{' '}
      <Time iso={startedAt} />: {wordsFromCode(status).toLowerCase()}
      {completedAt === null ? null : (
        <>
          {' '}
          <Time iso={completedAt} />
        </>
      )}
    </p>
  );
}

function ReportButton({ scan: { scanId, startedAt } }: { readonly scan: ScanResult }) {
  const call = useApi();
  const report = useMutation({
    mutationFn: () => call((api) => api.scanner.report(scanId)),
    onSuccess: (text) =>
      download(`audit-${startedAt.slice(0, 10)}.md`, new Blob([text], { type: 'text/markdown' })),
  });
  return (
    <>
      <ActionButton isBusy={report.isPending} onPress={() => report.mutate()}>
        Download the report
      </ActionButton>
      {report.error ? <ErrorBox error={report.error} onRetry={() => report.mutate()} /> : null}
    </>
  );
}
