import type { Deliveries } from '../../adapters/mongo/deliveries.ts';
import type { Webhooks } from '../../adapters/mongo/webhooks.ts';
import type { Vault } from '../../adapters/vault/vault.ts';
import type { WebhookSender } from '../../adapters/webhooks/sender.ts';
import { afterAttempt, isSuccess, type Attempt } from '../../domain/webhooks/delivery.ts';
import { TEST_EVENT } from '../../domain/webhooks/event.ts';
import { signatureHeaders } from '../../domain/webhooks/message.ts';
import { signingSecrets, type Webhook } from '../../domain/webhooks/webhook.ts';
import type { DeliveryInput } from '../../messages/webhook.ts';

export interface DeliveryDeps {
  readonly webhooks: Pick<Webhooks, 'find' | 'disable' | 'noteFailure' | 'noteSuccess'>;
  readonly deliveries: Pick<Deliveries, 'find' | 'settle' | 'removeOf'>;
  readonly sender: Pick<WebhookSender, 'send'>;
  readonly vault: Pick<Vault, 'openSecret'>;
  readonly now: () => Date;
}

export type DeliveryActivities = ReturnType<typeof createDeliveryActivities>;

const DISABLED: Attempt = { status: null, error: 'The webhook is disabled.' };

export function createDeliveryActivities(deps: DeliveryDeps) {
  return {
    /** Sends the event, and stores what follows. Another attempt of it is as good. */
    attemptDelivery: (input: DeliveryInput): Promise<void> => attempt(deps, input),
  };
}

async function attempt(deps: DeliveryDeps, input: DeliveryInput): Promise<void> {
  const { webhooks, deliveries, now } = deps;
  const webhook = await webhooks.find(input);
  if (!webhook) return await deliveries.removeOf(input);
  const delivery = await deliveries.find(input);
  if (delivery?.status !== 'retrying') return;
  if (webhook.disabledAt && delivery.type !== TEST_EVENT) {
    const ended = { status: 'failed', nextAttemptAt: null, disables: null } as const;
    return await deliveries.settle(delivery, DISABLED, ended, now());
  }
  const made = await deps.sender.send(
    webhook.url,
    sign(deps, input, webhook, delivery.body),
    delivery.body,
  );
  const endedAt = now();
  const failingSince = webhook.failingSince ?? endedAt;
  const after = afterAttempt(delivery.attempts + 1, made, failingSince, endedAt);
  if (!isSuccess(made.status)) await webhooks.noteFailure(input, endedAt);
  else if (webhook.failingSince) await webhooks.noteSuccess(input);
  if (after.disables !== null) await webhooks.disable(input, endedAt);
  await deliveries.settle(delivery, made, after, endedAt);
}

function sign(
  { vault, now }: DeliveryDeps,
  { accountId, webhookId, eventId }: DeliveryInput,
  webhook: Webhook,
  body: string,
) {
  const at = now();
  const secrets = signingSecrets(webhook, at).map((sealed) =>
    vault.openSecret(sealed, { accountId, webhookId }),
  );
  return signatureHeaders(eventId, body, secrets, at);
}
