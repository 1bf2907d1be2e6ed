import { randomUUID } from 'node:crypto';
import type { Delivery } from '../../adapters/mongo/webhooks/deliveries.ts';
import type { WebhookKey } from '../../adapters/mongo/webhooks/webhooks.ts';
import { describeActivity, type Actor } from '../../domain/accounts/activity.ts';
import { AppError } from '../../domain/common/errors.ts';
import { webhookTest } from '../../domain/webhooks/event.ts';
import { createSecret } from '../../domain/webhooks/message.ts';
import type { Deps } from '../common/deps.ts';
import {
  MAX_WAITING_TESTS,
  isSecretUrl,
  shownUrl,
  untilBothSign,
  type Webhook,
} from '../../domain/webhooks/webhook.ts';

export type WebhookDeps = Deps<
  'webhooks' | 'deliveries' | 'sender' | 'vault' | 'activities' | 'requests'
> &
  Deps<'now' | 'onBackgroundError'>;

export type WebhookRequest = Pick<Webhook, 'url' | 'events'> & Partial<Pick<Webhook, 'format'>>;

const DELIVERIES_LISTED = 100;
const TESTS_WAIT = `${MAX_WAITING_TESTS} tests of this account wait to be sent. Please wait a minute.`;

/**
 * Adds a webhook. Its secret is in the answer, this once.
 *
 * @throws AppError `invalid_request` for an address that may not be used, `too_many_webhooks`,
 * `unavailable`
 */
export async function addWebhook(
  deps: WebhookDeps,
  actor: Actor,
  { url, events, format = 'standard' }: WebhookRequest,
): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
  const { accountId } = actor;
  const problem = await deps.sender.refuse(url);
  if (problem !== undefined)
    throw new AppError('invalid_request', `The address cannot be used. ${problem}`, {
      details: [{ path: '/url', message: problem }],
    });
  requireTime(deps);
  const webhookId = randomUUID();
  const secret = createSecret();
  const seal = (text: string) => deps.vault.sealSecret(text, { accountId, webhookId });
  const webhook: Webhook = {
    webhookId,
    url: shownUrl({ url, format }),
    ...(isSecretUrl({ format }) ? { sealedUrl: seal(url) } : {}),
    events,
    format,
    secret: seal(secret),
    createdAt: deps.now(),
    disabledAt: null,
  };
  const activity = describeActivity(actor, 'webhook.added', webhookId, webhook.createdAt);
  if (!(await deps.webhooks.addWebhook(accountId, webhook, activity)))
    throw new AppError('too_many_webhooks');
  await publish(deps, actor);
  return { webhook, secret };
}

/** @throws AppError `webhook_not_found`, also for one of another account */
async function findWebhook(
  { webhooks }: Pick<WebhookDeps, 'webhooks'>,
  { accountId }: Pick<Actor, 'accountId'>,
  webhookId: string,
): Promise<Webhook> {
  const webhook = await webhooks.findWebhook({ accountId, webhookId });
  if (!webhook) throw new AppError('webhook_not_found');
  return webhook;
}

/** The latest ones. @throws AppError `webhook_not_found` */
export async function listDeliveries(
  deps: WebhookDeps,
  { accountId }: Pick<Actor, 'accountId'>,
  webhookId: string,
): Promise<Delivery[]> {
  await findWebhook(deps, { accountId }, webhookId);
  return await deps.deliveries.listDeliveries({ accountId, webhookId }, DELIVERIES_LISTED);
}

/**
 * Sends an event of no other meaning, also to a disabled webhook.
 *
 * @throws AppError `webhook_not_found`, `rate_limited` while as many of the account wait as may
 */
export async function testWebhook(
  deps: WebhookDeps,
  { accountId }: Actor,
  webhookId: string,
): Promise<string> {
  await findWebhook(deps, { accountId }, webhookId);
  const event = webhookTest(accountId, webhookId, deps.now());
  if (!(await deps.webhooks.emitTest(event))) throw new AppError('rate_limited', TESTS_WAIT);
  return event.id;
}

/**
 * Replaces the secret. The one before signs too for a day.
 *
 * @throws AppError `webhook_not_found`, `unavailable`
 */
export async function rotateSecret(
  deps: WebhookDeps,
  actor: Actor,
  webhookId: string,
): Promise<string> {
  const key = { accountId: actor.accountId, webhookId };
  const { secret: replaced } = await findWebhook(deps, actor, webhookId);
  const secret = createSecret();
  const at = deps.now();
  requireTime(deps);
  const isRotated = await deps.webhooks.rotate(
    key,
    {
      secret: deps.vault.sealSecret(secret, key),
      earlier: { secret: replaced, until: untilBothSign(at) },
    },
    describeActivity(actor, 'webhook.rotated', webhookId, at),
  );
  // Another call was faster, or has removed it.
  if (!isRotated) return await rotateSecret(deps, actor, webhookId);
  await publish(deps, actor);
  return secret;
}

/** Tells a disabled webhook of events again. @throws AppError `webhook_not_found` */
export async function enableWebhook(
  deps: WebhookDeps,
  actor: Actor,
  webhookId: string,
): Promise<Webhook> {
  const { disabledAt } = await findWebhook(deps, actor, webhookId);
  if (disabledAt) {
    const activity = describeActivity(actor, 'webhook.enabled', webhookId, deps.now());
    await deps.webhooks.enable({ accountId: actor.accountId, webhookId }, activity);
    await publish(deps, actor);
  }
  return await findWebhook(deps, actor, webhookId);
}

/**
 * Removes a webhook, and in the background its deliveries. Where the process ends before, an
 * attempt removes those that are due, and the others expire.
 *
 * @throws AppError `webhook_not_found`
 */
export async function removeWebhook(
  deps: WebhookDeps,
  actor: Actor,
  webhookId: string,
): Promise<void> {
  const key = { accountId: actor.accountId, webhookId };
  await findWebhook(deps, actor, webhookId);
  await deps.webhooks.removeWebhook(
    key,
    describeActivity(actor, 'webhook.removed', webhookId, deps.now()),
  );
  removeDeliveries(deps, key).catch(deps.onBackgroundError);
  await publish(deps, actor);
}

async function removeDeliveries({ deliveries }: WebhookDeps, key: WebhookKey): Promise<void> {
  while (await deliveries.removeOf(key));
}

/** A caller who is answered before would not learn the secret. @throws AppError `unavailable` */
function requireTime({ requests }: Pick<WebhookDeps, 'requests'>): void {
  if (requests.remainingMs() <= 0) throw new AppError('unavailable');
}

function publish({ activities, onBackgroundError }: WebhookDeps, { accountId }: Actor) {
  return activities.publish('webhooks', accountId).catch(onBackgroundError);
}
