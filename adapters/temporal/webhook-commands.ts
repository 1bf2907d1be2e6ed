import type { Client } from '@temporalio/client';
import type { DeliveryInput } from '../../messages/webhook.ts';
import { DELIVER_WORKFLOW, deliveryWorkflowId, SEARCH_ATTRIBUTES } from '../../messages/names.ts';
import type { SearchAttributeUse } from './search-attributes.ts';
import { createBounded, priorityFor } from './workflow-calls.ts';

const CALL_TIMEOUT_MS = 5_000;

/** Starts the workflows of deliveries. */
export interface WebhookCommands {
  /** Does nothing if one of the delivery runs. */
  deliver(input: DeliveryInput): Promise<void>;
}

export interface WebhookCommandsDeps {
  readonly client: Client;
  readonly searchAttributes: SearchAttributeUse;
}

export function createWebhookCommands({
  client,
  searchAttributes,
}: WebhookCommandsDeps): WebhookCommands {
  const within = createBounded(client);
  return {
    async deliver(input) {
      const { accountId, webhookId, eventId } = input;
      const attributes = [
        { key: SEARCH_ATTRIBUTES.accountId, value: accountId },
        { key: SEARCH_ATTRIBUTES.kind, value: 'webhook' },
      ];
      const start = (set: boolean) =>
        client.workflow.start<(given: DeliveryInput) => Promise<void>>(DELIVER_WORKFLOW, {
          taskQueue: 'webhooks',
          workflowId: deliveryWorkflowId(input),
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowIdConflictPolicy: 'USE_EXISTING',
          args: [{ accountId, webhookId, eventId }],
          priority: priorityFor(accountId),
          staticSummary: `tell the webhook ${webhookId} of the event ${eventId}`,
          ...(set ? { typedSearchAttributes: attributes } : {}),
        });
      await searchAttributes.use((set) => within(CALL_TIMEOUT_MS, () => start(set)));
    },
  };
}
