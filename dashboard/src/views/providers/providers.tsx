import type { ProviderInfo } from '@storage-routing/client';
import { PROVIDERS } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProviderQueries } from '../../data/providers.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { ProviderCard } from './provider-card.tsx';
import { ProviderForm } from './provider-form.tsx';

/** The stores of the account: add, test, replace, delete. */
export function Providers() {
  const providers = useQuery(useProviderQueries().providers);
  const [isAdding, setAdding] = useState(false);
  const missing = missingOf(providers.data?.items);
  return (
    <Page
      title="Providers"
      actions={
        missing.length > 0 && !isAdding ? (
          <ActionButton kind="primary" onPress={() => setAdding(true)}>
            Add a store
          </ActionButton>
        ) : null
      }
    >
      {isAdding && missing.length > 0 ? (
        <Card title="Add a store">
          <ProviderForm choices={missing} onClose={() => setAdding(false)} />
        </Card>
      ) : null}
      <Loaded query={providers} what="your stores">
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              <p>No store is configured yet. Uploads are routed to the stores that you add here.</p>
            </Empty>
          ) : (
            items.map((info) => <ProviderCard key={info.provider} info={info} />)
          )
        }
      </Loaded>
    </Page>
  );
}

/** Nothing is offered before the list is known: saving would replace. */
function missingOf(items: readonly ProviderInfo[] | undefined) {
  if (!items) return [];
  return PROVIDERS.filter((provider) => !items.some((item) => item.provider === provider));
}
