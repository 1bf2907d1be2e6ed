import { escapeText } from '@storage-routing/client';
import type { Webhook, WebhookDelivery } from '@storage-routing/client';
import { table } from '../io/text.ts';

export function webhooksText({ items }: { items: readonly Webhook[] }): string {
  if (items.length === 0) return 'no webhook: srs webhooks add <url> --events <a,b,…>';
  const rows = items.map(({ webhookId, url, events, format, disabledAt }) =>
    [
      webhookId,
      disabledAt === null ? 'enabled' : `disabled since ${disabledAt}`,
      format,
      url,
      events.join(','),
    ].map(escapeText),
  );
  return table([['WEBHOOK', 'STATUS', 'FORMAT', 'URL', 'EVENTS'], ...rows]);
}

const HEADS = ['EVENT', 'TYPE', 'STATUS', 'ATTEMPTS', 'LAST ANSWER', 'NEXT ATTEMPT', 'CREATED'];

export function deliveriesText({ items }: { items: readonly WebhookDelivery[] }): string {
  if (items.length === 0) return 'no delivery in the last 30 days: srs webhooks test <webhookId>';
  const rows = items.map((delivery) =>
    [
      delivery.eventId,
      delivery.type,
      delivery.status,
      String(delivery.attempts),
      String(delivery.lastStatus ?? delivery.lastError ?? '-'),
      delivery.nextAttemptAt ?? '-',
      delivery.createdAt,
    ].map(escapeText),
  );
  return table([HEADS, ...rows]);
}
