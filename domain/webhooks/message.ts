import { createHmac, randomBytes } from 'node:crypto';
import { formatCount, formatMoney } from '../../shared/amounts.ts';
import type { EventData, ServiceEvent } from './event.ts';
import type { WebhookFormat } from './webhook.ts';

/** The Standard Webhooks specification: https://github.com/standard-webhooks/standard-webhooks */

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const MAX_BODY_BYTES = 64 * 1024;
/** https://docs.slack.dev/reference/methods/chat.postMessage#truncating: a text of at most 4,000 characters is kept whole. */
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
  const text = escapeSlack(sentenceOf(event)).slice(0, MAX_SLACK_TEXT);
  return dashboardUrl === undefined
    ? text
    : `${text}\n<${dashboardUrl}${pathOf(event)}|Open the dashboard>`;
}

function sentenceOf({ type, data }: ServiceEvent): string {
  const text = (name: string) => textOf(data, name);
  const objects = formatCount(Number(data['objects'] ?? 0), 'object');
  const usd = (name: string) => formatMoney(Number(data[name] ?? 0));
  switch (type) {
    case 'scan.completed':
      return `An audit has completed: ${usd('currentMonthlyCostUsd')} a month, of which ${usd('monthlySavingsUsd')} can be saved.`;
    case 'scan.failed':
      return 'An audit has failed.';
    case 'verdict.changed':
      return `The advice has changed: ${usd('monthlySavingsUsd')} of ${usd('currentMonthlyCostUsd')} a month can be saved.`;
    case 'recommendation.opened':
      return `There is a new recommendation for the bucket ${text('bucket')}: ${usd('monthlySavingsUsd')} a month.`;
    case 'migration.approved':
      return `${text('approvedByName')} has approved a move of ${objects} from the bucket ${text('bucket')}.`;
    case 'migration.ended':
      return `A move has ended: ${text('status')}.`;
    case 'release.ready':
      return `The source of a move is checked: ${objects} may be deleted.`;
    case 'provider.failing':
      return `The store ${text('provider')} has refused its credentials.`;
    case 'file.settled':
      return `An upload was settled without a call: ${text('status')}.`;
    case 'webhook.test':
      return 'This is a test.';
  }
}

function pathOf({ data }: ServiceEvent): string {
  const [migrationId, recommendationId, scanId] = ['migrationId', 'recommendationId', 'scanId'].map(
    (name) => textOf(data, name),
  );
  if (migrationId) return `/migrations/${migrationId}`;
  if (recommendationId) return `/recommendations/${recommendationId}`;
  return scanId ? `/audit/scans/${scanId}` : '';
}

function textOf(data: EventData, name: string): string {
  const value = data[name];
  return typeof value === 'string' ? value : '';
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
