import { DataTable } from '../../../parts/data-table.tsx';
import { PERMISSIONS } from './permissions.ts';

export function Permissions() {
  return (
    <DataTable
      caption="What each permission is for"
      rows={PERMISSIONS}
      keyOf={({ action }) => action}
      columns={[
        {
          title: 'Permission',
          cell: ({ action, purpose }) => (
            <span className="prose">
              <code>{action}</code>
              <span className="quiet small">{purpose}</span>
            </span>
          ),
        },
        {
          title: 'Without it',
          cell: ({ withoutIt }) => (
            <span className="prose">{withoutIt ?? 'no audit is possible'}</span>
          ),
        },
      ]}
    />
  );
}
