import { formatNumber, type Connection, type ScanLine } from '@storage-routing/client';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { KEYS } from '../../data/keys.ts';
import { useChange } from '../../data/query.ts';
import { useProviderTitle } from '../../data/providers.ts';
import { isScanRunning } from '../../data/scans.ts';
import { formatBuckets, connectionName, connectionTitle, shortList } from '../../format/audit.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Time } from '../../parts/time.tsx';
import { Schedule } from './schedule.tsx';

interface ConnectionCardProps {
  readonly connection: Connection;
  /** The scans of this connection, the newest first. */
  readonly scans: readonly ScanLine[];
}

/** One cloud account or store, and what can be done with it. */
export function ConnectionCard({ connection, scans }: ConnectionCardProps) {
  const { connectionId, roleArn, regions, buckets, bucketCount, createdAt } = connection;
  const providerTitle = useProviderTitle();
  const account = connectionName(connection, providerTitle);
  const [, navigate] = useLocation();
  const [isLeaving, setLeaving] = useState(false);
  const running = scans.find(isScanRunning);
  const start = useChange((api) => api.scanner.start(connectionId), { staleAnyway: [KEYS.scans] });
  const startScan = () =>
    start.mutate(undefined, { onSuccess: ({ scanId }) => navigate(`/audit/scans/${scanId}`) });
  return (
    <Card title={connectionTitle(connection, providerTitle)}>
      <Facts
        facts={[
          ['Role', roleArn, true],
          ['Regions', regions && <span title={regions.join(', ')}>{shortList(regions)}</span>],
          [
            'Reads',
            buckets === undefined ? null : (
              <span title={buckets?.join(', ')}>{formatBuckets(buckets)}</span>
            ),
          ],
          ['Buckets', `${formatNumber(bucketCount)}, when it was connected`],
          ['Connected', <Time iso={createdAt} />],
        ]}
      />
      <Schedule connection={connection} account={account} />
      {connection.warnings.map((warning) => (
        <div key={warning} className="notice">
          <p>{warning}</p>
        </div>
      ))}
      <div className="actions">
        {running ? (
          <Link className="button-link" href={`/audit/scans/${running.scanId}`}>
            Watch the audit
          </Link>
        ) : (
          <ChangeButton
            kind="primary"
            isBusy={start.isPending}
            label={`Start an audit of ${account}`}
            onPress={startScan}
          >
            Start an audit
          </ChangeButton>
        )}
        <ChangeButton
          kind="danger"
          label={`Disconnect ${account}`}
          onPress={() => setLeaving(true)}
        >
          Disconnect
        </ChangeButton>
      </div>
      {start.error ? <ErrorBox error={start.error} onRetry={startScan} /> : null}
      {isLeaving ? (
        <DisconnectDialog connection={connection} onClose={() => setLeaving(false)} />
      ) : null}
    </Card>
  );
}

interface DisconnectDialogProps {
  readonly connection: Connection;
  readonly onClose: () => void;
}

function DisconnectDialog({ connection, onClose }: DisconnectDialogProps) {
  const account = connectionName(connection, useProviderTitle());
  const remove = useChange((api) => api.scanner.disconnect(connection.connectionId), {
    stale: [KEYS.connections],
  });
  return (
    <ConfirmDialog
      title={`Disconnect ${account}?`}
      confirmLabel="Disconnect"
      change={remove}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      {connection.roleArn === undefined ? (
        <p>
          The service will no longer audit {account}. Its earlier audits stay in the history, and
          uploads and moves continue with the stored credentials. To remove those, delete the store
          under Providers.
        </p>
      ) : (
        <p>
          The service forgets the role <code>{connection.roleArn}</code> and can no longer audit
          this account. Its earlier audits stay in the history. Delete the role in AWS afterwards.
        </p>
      )}
    </ConfirmDialog>
  );
}
