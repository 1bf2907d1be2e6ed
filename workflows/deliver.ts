import { proxyActivities } from '@temporalio/workflow';
import type { DeliveryActivities } from '../activities/webhooks/deliver.ts';
import type { DeliveryInput } from '../messages/webhook.ts';

const { attemptDelivery } = proxyActivities<DeliveryActivities>({
  startToCloseTimeout: '30s',
  // The sweep makes the attempt again.
  retry: { maximumAttempts: 1 },
  summary: 'Send the event',
});

/** One attempt to send an event to a webhook. The sweep starts the next one when it is due. */
export async function deliver(delivery: DeliveryInput): Promise<void> {
  await attemptDelivery(delivery);
}
