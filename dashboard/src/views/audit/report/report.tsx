import type { ReportFormat } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Download, Printer } from 'lucide-react';
import { useRef } from 'react';
import { Link, useParams } from 'wouter';
import { useChange } from '../../../data/query.ts';
import { useScanQueries } from '../../../data/scans.ts';
import { ActionButton } from '../../../parts/action-button.tsx';
import { download } from '../../../parts/download.ts';
import { ErrorBox } from '../../../parts/error-box.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { Page } from '../../../parts/page.tsx';
import './report.css';

const FILES = [
  { format: 'md', title: 'Markdown', type: 'text/markdown' },
  { format: 'csv', title: 'CSV', type: 'text/csv' },
  { format: 'html', title: 'HTML', type: 'text/html' },
] as const satisfies readonly { format: ReportFormat; title: string; type: string }[];

/** The report of an audit, to read, to print and to forward. */
export function Report() {
  const { scanId = '' } = useParams();
  const frame = useRef<HTMLIFrameElement>(null);
  const report = useQuery(useScanQueries().report(scanId));
  const save = useChange(async (api, { format, type }: (typeof FILES)[number]) => {
    const text = await api.scanner.report(scanId, { format });
    download(`audit-${scanId}.${format}`, new Blob([text], { type }));
  });
  return (
    <Page
      title="Report"
      actions={
        <div className="actions">
          <Link href={`/audit/scans/${scanId}`}>The audit</Link>
          <ActionButton
            kind="primary"
            isDisabled={report.data === undefined}
            onPress={() => frame.current?.contentWindow?.print()}
          >
            <Printer aria-hidden size={16} /> Print
          </ActionButton>
          {FILES.map((file) => (
            <ActionButton
              key={file.format}
              isBusy={save.isPending}
              label={`Download as ${file.title}`}
              onPress={() => save.mutate(file)}
            >
              <Download aria-hidden size={16} /> {file.title}
            </ActionButton>
          ))}
        </div>
      }
    >
      {save.error ? <ErrorBox error={save.error} /> : null}
      <Loaded query={report} what="the report">
        {(html) => (
          // It has no script; its links lead the whole window to the dashboard.
          <iframe
            ref={frame}
            className="report"
            title="Report of the audit"
            sandbox="allow-same-origin allow-modals allow-top-navigation-by-user-activation"
            srcDoc={html}
          />
        )}
      </Loaded>
    </Page>
  );
}
