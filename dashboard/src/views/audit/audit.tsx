import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useScanQueries } from '../../data/scans.ts';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { ConnectionCard } from './connection-card.tsx';
import { History } from './history.tsx';
import './audit.css';

/** The connected cloud accounts and stores, and what their scans found. */
export function Audit() {
  const queries = useScanQueries();
  const connections = useQuery(queries.connections);
  const scans = useQuery(queries.scans);
  const hasSome = (connections.data?.items.length ?? 0) > 0;
  return (
    <Page title="Audit" actions={hasSome ? <ConnectLinks /> : null}>
      <Loaded query={connections} what="your cloud accounts">
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              <p>
                No cloud account is connected. An audit reads the listings of your buckets: at AWS
                through a role that you create, at another store with the keys that you have stored
                for it. It says what could cost less, and what should stay. It reads no content and
                changes nothing.
              </p>
              <ConnectLinks />
            </Empty>
          ) : (
            items.map((connection) => (
              <ConnectionCard
                key={connection.connectionId}
                connection={connection}
                scans={(scans.data?.items ?? []).filter(
                  ({ connectionId }) => connectionId === connection.connectionId,
                )}
              />
            ))
          )
        }
      </Loaded>
      <History query={scans} connections={connections.data?.items ?? []} />
    </Page>
  );
}

function ConnectLinks() {
  return (
    <div className="actions">
      <Link className="button-link" href="/audit/connect">
        Connect an AWS account
      </Link>
      <Link className="button" href="/audit/connect/store">
        Connect a store
      </Link>
    </div>
  );
}
