import { DataTable } from '../../../parts/data-table.tsx';
import { PERMISSIONS } from './permissions.ts';

export function Permissions() {
  return (
    <DataTable
      caption="What each permission is for"
      rows={PERMISSIONS}
      keyOf={({ action }) => action}
      columns={[
        { title: 'Permission', cell: ({ action }) => <code>{action}</code> },
        { title: 'What for', cell: ({ purpose }) => purpose },
        { title: 'Without it', cell: ({ withoutIt }) => withoutIt ?? 'no audit is possible' },
      ]}
    />
  );
}
