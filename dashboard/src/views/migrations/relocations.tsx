import { formatBytes, formatNumber, type Relocation } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { isRelocationRunning, useRelocationQueries } from '../../data/relocations.ts';
import type { Column } from '../../parts/data-table.tsx';
import { RunList } from '../../parts/run-list.tsx';
import { useListLocation } from '../../parts/use-list-location.ts';
import { progressProps } from './relocation-progress.tsx';

const MOVED: Column<Relocation> = {
  title: 'Files moved',
  isNumber: true,
  cell: ({ progress: { filesMoved, filesTotal, bytesMoved } }) => (
    <>
      {formatNumber(filesMoved)} of {formatNumber(filesTotal)}
      <span className="quiet small">{formatBytes(bytesMoved)}</span>
    </>
  ),
};

/** Files that were moved between the account's own places. */
export function Relocations() {
  const location = useListLocation();
  return (
    <RunList
      title="Relocations of files"
      what="relocations"
      caption="Relocations, the newest first"
      query={useQuery(useRelocationQueries().relocations(location.page))}
      location={location}
      hrefOf={({ relocationId }) => `/migrations/relocations/${relocationId}`}
      isRunning={isRelocationRunning}
      progressOf={progressProps}
      outcome={MOVED}
    >
      <p>No uploaded files have been moved to another place yet.</p>
      <Link href="/providers">Move the files of a store</Link>
    </RunList>
  );
}
