import type { WebhookDelivery, WebhookRequest } from '@storage-routing/client';
import { wordsFromCode } from './words.ts';

const EVENTS: Readonly<Record<WebhookRequest['events'][number] | 'webhook.test', string>> = {
  'scan.completed': 'An audit has completed',
  'scan.failed': 'An audit has failed',
  'verdict.changed': 'The advice has changed',
  'recommendation.opened': 'There is a new recommendation',
  'migration.approved': 'A move was approved',
  'migration.ended': 'A move has ended',
  'release.ready': 'A source may be given up',
  'provider.failing': 'A store refuses its credentials',
  'file.settled': 'An upload was settled without a call',
  'webhook.test': 'A test',
};

export function eventWords(type: string): string {
  return (EVENTS as Record<string, string>)[type] ?? wordsFromCode(type.replace('.', ' '));
}

/** What the last attempt was answered. */
export function answerWords({ attempts, lastStatus, lastError }: WebhookDelivery): string {
  if (attempts === 0) return 'Not sent yet';
  return lastStatus === null ? (lastError ?? 'No answer') : `Status ${lastStatus}`;
}
