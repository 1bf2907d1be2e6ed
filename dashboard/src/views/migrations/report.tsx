import type { Migration } from '@storage-routing/client';
import { Card } from '../../parts/card.tsx';
import { ObjectCheck } from './object-check.tsx';
import { ReportDownload } from './report-download.tsx';

/** The evidence of the move: all of it as a file, or the line of one object. */
export function Report({ migration }: { readonly migration: Migration }) {
  const { migrationId, source, progress } = migration;
  return (
    <Card title="The report">
      <p>
        One line for each object: its key at the source and at the target, its size, the checksum of
        the copied bytes, and the outcome.
      </p>
      <ReportDownload
        fileName={`migration-${source.bucket}-${migrationId}.ndjson`}
        lines={progress.objectsCopied + progress.objectsSkipped + progress.objectsFailed}
        command={`srs migration report ${migrationId}`}
        open={(api, options) => api.migrations.report(migrationId, options)}
        isEnd={(line) => !('key' in line)}
      />
      <ObjectCheck migrationId={migrationId} />
    </Card>
  );
}
