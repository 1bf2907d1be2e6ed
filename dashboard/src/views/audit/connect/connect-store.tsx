import type { Provider, ProviderInfo } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Link, useLocation } from 'wouter';
import { KEYS } from '../../../data/keys.ts';
import { useChange } from '../../../data/query.ts';
import { useProviderQueries, useProviderTitle } from '../../../data/providers.ts';
import { parseBuckets } from '../../../format/audit.ts';
import { ChangeButton } from '../../../parts/action-button.tsx';
import { Card } from '../../../parts/card.tsx';
import { Choice } from '../../../parts/choice.tsx';
import { ErrorBox } from '../../../parts/error-box.tsx';
import { Empty, Loaded } from '../../../parts/loaded.tsx';
import { Page } from '../../../parts/page.tsx';
import { TextInput } from '../../../parts/text-input.tsx';
import '../audit.css';

/** The one store that is not read with stored credentials, but through a role. */
const READ_BY_ROLE: Provider = 'aws';

/** A store whose credentials are stored is audited with them. */
export function ConnectStore() {
  const providers = useQuery(useProviderQueries().providers);
  return (
    <Page title="Connect a store" actions={<Link href="/audit">Back to the audits</Link>}>
      <Card title="What the service will see">
        <p>
          The service lists the buckets and the objects of the store with the keys that you have
          stored for it. It reads no content and changes nothing. An AWS account is{' '}
          <Link href="/audit/connect">connected by a role</Link> instead.
        </p>
        <Loaded query={providers} what="your stores">
          {({ items }) => {
            const stores = items.filter(({ provider }) => provider !== READ_BY_ROLE);
            return stores.length === 0 ? (
              <Empty>
                <p>No store has credentials that an audit could use.</p>
                <Link className="button-link" href="/providers">
                  Add a store
                </Link>
              </Empty>
            ) : (
              <StoreForm stores={stores} />
            );
          }}
        </Loaded>
      </Card>
    </Page>
  );
}

interface StoreFormProps {
  /** At least one. */
  readonly stores: readonly ProviderInfo[];
}

/** The service lists with the keys before it answers. */
function StoreForm({ stores }: StoreFormProps) {
  const providerTitle = useProviderTitle();
  const [, navigate] = useLocation();
  const [chosen, setChosen] = useState('');
  const [buckets, setBuckets] = useState('');
  const store = stores.find(({ provider }) => provider === chosen) ?? stores[0];
  const connect = useChange(
    (api, provider: Provider) => api.scanner.connect({ provider, buckets: parseBuckets(buckets) }),
    { stale: [KEYS.connections] },
  );
  if (!store) return null;
  return (
    <Form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        connect.mutate(store.provider, { onSuccess: () => navigate('/audit') });
      }}
    >
      <Choice
        label="Store"
        value={store.provider}
        options={stores.map(({ provider }) => ({
          value: provider,
          title: providerTitle(provider),
        }))}
        onChange={setChosen}
      />
      <TextInput
        label="Buckets"
        hint={`One per line, or separated by commas; ${store.bucketName} is read as well. Empty: all that the keys may list. A store that is connected already gets this list instead of its own.`}
        value={buckets}
        onChange={setBuckets}
        isMultiline
      />
      {connect.error ? <ErrorBox error={connect.error} /> : null}
      <div className="actions">
        <ChangeButton kind="primary" type="submit" isBusy={connect.isPending}>
          {connect.isPending ? 'Listing the buckets…' : 'Connect'}
        </ChangeButton>
      </div>
    </Form>
  );
}
