import { formatBytes, formatCount } from '../../../format/numbers.ts';
import { DataTable } from '../../../parts/data-table.tsx';
import { ShareBar } from './share-bar.tsx';

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
      keyOf={({ label }) => label}
      columns={[
        { title: what, cell: ({ label }) => label },
        {
          title: by === 'bytes' ? 'Share of the size' : 'Share of the objects',
          cell: (group) => <ShareBar share={total > 0 ? group[by] / total : 0} />,
        },
        { title: 'Objects', isNumber: true, cell: ({ objects }) => formatCount(objects) },
        { title: 'Size', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
      ]}
    />
  );
}
