import type { SealedText } from '../../domain/accounts/account.ts';
import { afterAttempt, isSuccess, type DeliveryAttempt } from '../../domain/webhooks/delivery.ts';
import { TEST_EVENT } from '../../domain/webhooks/event.ts';
import { signatureHeaders } from '../../domain/webhooks/message.ts';
import { signingSecrets, type Webhook } from '../../domain/webhooks/webhook.ts';
import type { DeliveryInput } from '../../messages/webhook.ts';
import type { WebhookContext } from '../contexts.ts';

export type DeliveryActivities = ReturnType<typeof createDeliveryActivities>;

const DISABLED: DeliveryAttempt = { status: null, error: 'The webhook is disabled.' };
const UNREADABLE: DeliveryAttempt = {
  status: null,
  error:
    'The service cannot open the secret of this webhook. Replace it, or remove the webhook and add it again.',
};

export function createDeliveryActivities(context: WebhookContext) {
  return {
    /** Sends the event, and stores what follows. Another attempt of it is as good. */
    attemptDelivery: (input: DeliveryInput): Promise<void> => attempt(context, input),
  };
}

async function attempt(context: WebhookContext, input: DeliveryInput): Promise<void> {
  const { webhooks, deliveries, now } = context;
  const webhook = await webhooks.findWebhook(input);
  if (!webhook) {
    await deliveries.removeDelivery(input);
    await deliveries.removeOf(input);
    return;
  }
  const delivery = await deliveries.findDelivery(input);
  if (delivery?.status !== 'retrying') return;
  if (webhook.disabledAt && delivery.type !== TEST_EVENT) {
    const ended = { status: 'failed', nextAttemptAt: null, disables: null } as const;
    return await deliveries.settle(delivery, DISABLED, ended, now());
  }
  const made = await send(context, input, webhook, delivery.body);
  const endedAt = now();
  let failingSince = endedAt;
  if (isSuccess(made.status)) await webhooks.noteSuccess(input);
  else failingSince = await webhooks.noteFailure(input, endedAt);
  const after = afterAttempt(delivery.attempts + 1, made, failingSince, endedAt);
  if (after.disables !== null) await webhooks.disable(input, endedAt);
  await deliveries.settle(delivery, made, after, endedAt);
}

/** Nothing is sent without the secret. Without the previous one, the body is signed once. */
async function send(
  { vault, sender, now }: WebhookContext,
  input: DeliveryInput,
  webhook: Webhook,
  body: string,
): Promise<DeliveryAttempt> {
  const at = now();
  const open = (sealed: SealedText) => tryOpen(vault, sealed, input);
  const url = webhook.sealedUrl ? open(webhook.sealedUrl) : webhook.url;
  const [secret, earlier] = signingSecrets(webhook, at).map(open);
  if (url === undefined || secret === undefined) return UNREADABLE;
  const secrets = earlier === undefined ? [secret] : [secret, earlier];
  return await sender.send(url, signatureHeaders(input.eventId, body, secrets, at), body);
}

function tryOpen(
  vault: WebhookContext['vault'],
  sealed: SealedText,
  { accountId, webhookId }: DeliveryInput,
): string | undefined {
  try {
    return vault.openSecret(sealed, { accountId, webhookId });
  } catch {
    return undefined;
  }
}
