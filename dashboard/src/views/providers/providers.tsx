import type { Provider, ProviderDescription, ProviderInfo } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProviderQueries } from '../../data/providers.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { ProviderCard } from './provider-card.tsx';
import { ProviderForm } from './provider-form.tsx';

/** The stores of the account: add, test, replace, delete. */
export function Providers() {
  const queries = useProviderQueries();
  const providers = useQuery(queries.providers);
  const catalogue = useQuery(queries.catalogue);
  const [isAdding, setAdding] = useState(false);
  const [saved, setSaved] = useState<Provider | undefined>();
  const missing = findMissing(catalogue.data?.items, providers.data?.items);
  return (
    <Page
      title="Providers"
      actions={
        missing.length > 0 && !isAdding ? (
          <ChangeButton kind="primary" onPress={() => setAdding(true)}>
            Add a store
          </ChangeButton>
        ) : null
      }
    >
      {isAdding && missing.length > 0 ? (
        <Card title="Add a store">
          <ProviderForm
            choices={missing}
            onSaved={(provider) => {
              setSaved(provider);
              setAdding(false);
            }}
            onClose={() => setAdding(false)}
          />
        </Card>
      ) : null}
      <Loaded query={providers} what="your stores">
        {({ items }) => (
          <Loaded query={catalogue} what="the catalogue of stores">
            {(offered) =>
              items.length === 0 ? (
                <Empty>
                  <p>Add the first store: uploads are routed to it, and moves go there.</p>
                </Empty>
              ) : (
                offered.items.flatMap((store) =>
                  items
                    .filter(({ provider }) => provider === store.provider)
                    .map((info) => (
                      <ProviderCard
                        key={info.provider}
                        info={info}
                        store={store}
                        others={otherStores(items, info)}
                        isNew={info.provider === saved}
                      />
                    )),
                )
              )
            }
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

function otherStores(
  items: readonly ProviderInfo[],
  { provider: own }: ProviderInfo,
): readonly Provider[] {
  return items.map(({ provider }) => provider).filter((provider) => provider !== own);
}

/** None until both lists have arrived, because saving a configured store would replace it. */
function findMissing(
  offered: readonly ProviderDescription[] = [],
  configured: readonly ProviderInfo[] | undefined,
): readonly ProviderDescription[] {
  if (!configured) return [];
  return offered.filter(({ provider }) => !configured.some((info) => info.provider === provider));
}
