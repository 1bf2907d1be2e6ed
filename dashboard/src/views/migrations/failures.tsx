import { formatNumber, type Migration, type Relocation } from '@storage-routing/client';
import { Link } from 'wouter';
import { failureAdvice, relocationFailureAdvice } from '../../format/migrations.ts';
import { numberColumn, textColumn } from '../../parts/columns.tsx';
import { FailureGroups, ShortKey } from '../../parts/failure-groups.tsx';

const ALL_IN = 'the report below has all of them';

/** The objects that failed. */
export function Failures({ migration }: { readonly migration: Migration }) {
  return (
    <FailureGroups
      title="Objects that failed"
      failures={migration.failures}
      total={migration.progress.objectsFailed}
      allIn={ALL_IN}
      adviceOf={failureAdvice}
      rowKey={({ key }) => key}
      columns={[
        { title: 'Key', cell: ({ key }) => <ShortKey value={key} /> },
        textColumn('Reason', 'reason'),
        numberColumn('Attempts', 'attempts', formatNumber),
      ]}
    />
  );
}

/** The same of a relocation. */
export function FailedFiles({ relocation }: { readonly relocation: Relocation }) {
  return (
    <FailureGroups
      title="Files that failed"
      failures={relocation.failures}
      total={relocation.progress.filesFailed}
      allIn={ALL_IN}
      adviceOf={relocationFailureAdvice}
      rowKey={({ fileId }) => fileId}
      columns={[
        {
          title: 'File',
          cell: ({ fileId }) => (
            <Link href={`/usage/files/${fileId}`}>
              <code>{fileId}</code>
            </Link>
          ),
        },
        textColumn('Reason', 'reason'),
      ]}
    />
  );
}
