import { Link } from 'wouter';
import { Page } from '../../../parts/page.tsx';
import { Card } from '../../../parts/card.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import '../audit.css';
import { ConnectForm } from './connect-form.tsx';
import { PERMISSIONS, USAGE_PERMISSIONS } from './permissions.ts';
import { RoleSetup } from './role-setup.tsx';
import { useDraft } from './use-draft.ts';

/** Three steps: what the role may do, the role itself, and its ARN. */
export function Connect() {
  const [draft, setDraft, forget] = useDraft();
  return (
    <Page title="Connect an AWS account" actions={<Link href="/audit">Back to the audits</Link>}>
      <Card title="1. What the service will see">
        <p>
          You create a role in your own account, and can delete it at any time. The service lists
          your buckets through it. It cannot read the content of an object, and it cannot change
          anything.
        </p>
        <Permissions caption="What each permission is for" rows={PERMISSIONS} />
        <p>
          The last statement of the policy may be left out. With it the audit knows your bill and
          what is read, so that its savings are those that you will see.
        </p>
        <Permissions caption="The bill and the reads, if you allow them" rows={USAGE_PERMISSIONS} />
      </Card>
      <Card title="2. Create the role">
        <RoleSetup draft={draft} onChange={setDraft} />
      </Card>
      <Card title="3. Connect it">
        <ConnectForm draft={draft} onChange={setDraft} onConnected={forget} />
      </Card>
    </Page>
  );
}

interface PermissionsProps {
  readonly caption: string;
  readonly rows: typeof PERMISSIONS;
}

function Permissions({ caption, rows }: PermissionsProps) {
  return (
    <DataTable
      caption={caption}
      rows={rows}
      rowKey={({ action }) => action}
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
