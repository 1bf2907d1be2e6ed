import type { WebhookDelivery, WebhookRequest } from '@storage-routing/client';
import { formatCode } from './code.ts';

const EVENTS: Readonly<Record<WebhookRequest['events'][number] | 'webhook.test', string>> = {
  'scan.completed': 'An audit has completed',
  'scan.failed': 'An audit has failed',
  'verdict.changed': 'The advice has changed',
  'recommendation.opened': 'There is a new recommendation',
  'migration.approved': 'A move was approved',
  'migration.ended': 'A move has ended',
  'release.ready': 'A source can be deleted',
  'provider.failing': 'A store refuses the credentials',
  'file.settled': 'An upload ended without a call',
  'relocation.completed': 'A relocation of files has ended',
  'drill.completed': 'An exit drill has ended',
  'webhook.test': 'Test event',
};

export function formatEvent(type: string): string {
  return (EVENTS as Record<string, string>)[type] ?? formatCode(type.replace('.', ' '));
}

/** The outcome of the last attempt. */
export function formatLastAttempt({ attempts, lastStatus, lastError }: WebhookDelivery): string {
  if (attempts === 0) return 'Not sent yet';
  return lastStatus === null ? (lastError ?? 'No answer') : `Status ${lastStatus}`;
}
