import { formatBytes, formatNumber, formatPercent } from '@storage-routing/client';
import { numberColumn, textColumn } from '../../../parts/columns.tsx';
import { DataTable } from '../../../parts/data-table.tsx';

interface Group {
  readonly label: string;
  readonly objects: number;
  readonly bytes: number;
}

interface DistributionProps {
  readonly caption: string;
  /** What the groups are: `Age`. */
  readonly what: string;
  /** The column that the bars show. */
  readonly by: 'objects' | 'bytes';
  readonly groups: readonly Group[];
}

/** How objects are spread over groups: bars with their numbers. */
export function Distribution({ caption, what, by, groups }: DistributionProps) {
  const total = groups.reduce((sum, group) => sum + group[by], 0);
  return (
    <DataTable
      caption={caption}
      rows={groups}
      rowKey={({ label }) => label}
      columns={[
        textColumn(what, 'label'),
        {
          title: by === 'bytes' ? 'Share of the size' : 'Share of the objects',
          cell: (group) => <ShareBar share={total > 0 ? group[by] / total : 0} />,
        },
        numberColumn('Objects', 'objects', formatNumber),
        numberColumn('Size', 'bytes', formatBytes),
      ]}
    />
  );
}

/** A share as a bar and as text. @param share 0 to 1 */
function ShareBar({ share }: { readonly share: number }) {
  return (
    <span className="share">
      <Track share={share} />
      <span>{formatPercent(share)}</span>
    </span>
  );
}

interface TrackProps {
  readonly share: number;
  readonly tone?: 'now' | 'then';
}

/** A bar without text. */
export function Track({ share, tone = 'now' }: TrackProps) {
  return (
    <span className={`bar-track bar-${tone}`} aria-hidden="true">
      <span style={{ width: `${share * 100}%` }} />
    </span>
  );
}
