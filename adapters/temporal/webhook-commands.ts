import type { DeliveryInput } from '../../messages/webhook.ts';
import { DELIVER_WORKFLOW, deliveryWorkflowId } from '../../messages/names.ts';
import type { Workflows } from './workflows.ts';

/** Starts the workflows of deliveries. */
export type WebhookCommands = ReturnType<typeof createWebhookCommands>;

export function createWebhookCommands(workflows: Workflows) {
  return {
    /** Does nothing if one of the delivery runs. */
    async deliver({ accountId, webhookId, eventId }: DeliveryInput): Promise<void> {
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
