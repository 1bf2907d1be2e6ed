import { createHmac, randomBytes } from 'node:crypto';
import { announce, type ServiceEvent } from './event.ts';
import type { WebhookFormat } from './webhook.ts';

/** The Standard Webhooks specification: https://github.com/standard-webhooks/standard-webhooks */

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const MAX_BODY_BYTES = 64 * 1024;
/**
 * https://docs.slack.dev/reference/methods/chat.postMessage#truncating: a text of at most 4,000
 * characters is kept whole.
 */
const MAX_SLACK_TEXT = 3_000;

export function createSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The headers that prove who has sent a body, and when. */
export function signatureHeaders(
  eventId: string,
  body: string,
  secrets: readonly string[],
  at: Date,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/** The body of an event. Of data that is too long, the ids are left. */
export function writeBody(
  event: ServiceEvent,
  format: WebhookFormat,
  dashboardUrl?: string,
): string {
  if (format === 'slack') return JSON.stringify({ text: slackText(event, dashboardUrl) });
  const { type, at, data } = event;
  const write = (shown: object) =>
    JSON.stringify({ type, timestamp: at.toISOString(), data: shown });
  const body = write(data);
  if (Buffer.byteLength(body) <= MAX_BODY_BYTES) return body;
  return write(Object.fromEntries(Object.entries(data).filter(([name]) => name.endsWith('Id'))));
}

/** A sentence and a link to where it is shown. */
function slackText(event: ServiceEvent, dashboardUrl: string | undefined): string {
  const { sentence, path } = announce(event);
  const text = escapeSlack(sentence).slice(0, MAX_SLACK_TEXT);
  return dashboardUrl === undefined ? text : `${text}\n<${dashboardUrl}${path}|Open the dashboard>`;
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
