import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useWebhookQueries } from '../../data/webhooks.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { IssuedSecret } from '../../parts/issued-secret.tsx';
import { Page } from '../../parts/page.tsx';
import { WebhookCard } from './webhook-card.tsx';
import { WebhookForm } from './webhook-form.tsx';

/** The addresses that receive events, and the deliveries to each. */
export function Webhooks() {
  const webhooks = useQuery(useWebhookQueries().webhooks);
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | undefined>();
  return (
    <Page
      title="Webhooks"
      actions={
        isAdding ? null : (
          <ChangeButton kind="primary" onPress={() => setAdding(true)}>
            Add a webhook
          </ChangeButton>
        )
      }
    >
      {secret === undefined ? null : (
        <IssuedSecret
          title="The secret, shown only once"
          secret={secret}
          advice="Your receiver verifies signatures with it."
          copyLabel="Copy the secret"
          onStored={() => setSecret(undefined)}
        />
      )}
      {isAdding ? (
        <Card title="A new webhook">
          <WebhookForm
            onAdded={(added) => {
              setAdding(false);
              setSecret(added);
            }}
            onClose={() => setAdding(false)}
          />
        </Card>
      ) : null}
      <Loaded query={webhooks} what="the webhooks">
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              <p>
                There are no webhooks yet. A webhook is an https address of yours. The service sends
                it a signed message for each event that you choose, such as a completed audit or a
                finished move.
              </p>
            </Empty>
          ) : (
            items.map((webhook) => (
              <WebhookCard key={webhook.webhookId} webhook={webhook} onSecret={setSecret} />
            ))
          )
        }
      </Loaded>
    </Page>
  );
}
