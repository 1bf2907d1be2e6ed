import type { DeliveryInput } from '../../messages/webhook.ts';
import { DELIVER_WORKFLOW, deliveryWorkflowId } from '../../messages/names.ts';
import type { Workflows } from './workflows.ts';

/** Starts the workflows of deliveries. */
export interface WebhookCommands {
  /** Does nothing if one of the delivery runs. */
  deliver(input: DeliveryInput): Promise<void>;
}

export function createWebhookCommands(workflows: Workflows): WebhookCommands {
  return {
    async deliver({ accountId, webhookId, eventId }) {
      const input = { accountId, webhookId, eventId };
      await workflows.start<(given: DeliveryInput) => Promise<void>>(
        {
          type: DELIVER_WORKFLOW,
          taskQueue: 'webhooks',
          workflowId: deliveryWorkflowId(input),
          input,
          accountId,
          kind: 'webhook',
          summary: `send the event ${eventId} to the webhook ${webhookId}`,
        },
        { workflowIdConflictPolicy: 'USE_EXISTING' },
      );
    },
  };
}
