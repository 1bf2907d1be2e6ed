import type { Activity } from '@storage-routing/client';
import { formatCode } from './code.ts';

const ACTIONS: Readonly<Record<Activity['action'], string>> = {
  'provider.saved': 'Saved a store',
  'provider.deleted': 'Deleted a store',
  'key.issued': 'Issued an API key',
  'key.rotated': 'Rotated the API key',
  'connection.saved': 'Connected an account or a store',
  'connection.deleted': 'Disconnected an account or a store',
  'schedule.saved': 'Saved a schedule',
  'schedule.deleted': 'Removed a schedule',
  'scan.started': 'Started an audit',
  'migration.approved': 'Approved a move',
  'migration.cancelled': 'Cancelled a move',
  'migration.round_started': 'Started a round of a move',
  'release.checked': 'Checked whether a source can be deleted',
  'relocation.started': 'Started a relocation of files',
  'relocation.cancelled': 'Cancelled a relocation of files',
  'drill.started': 'Started an exit drill',
  'drill.cancelled': 'Cancelled an exit drill',
  'drill.completed': 'An exit drill has ended',
  'recommendation.dismissed': 'Dismissed a recommendation',
  'recommendation.restored': 'Restored a recommendation',
  'webhook.added': 'Added a webhook',
  'webhook.removed': 'Removed a webhook',
  'webhook.rotated': 'Rotated the secret of a webhook',
  'webhook.enabled': 'Enabled a webhook',
  'checkout.opened': 'Opened a checkout',
};

/** What a person did. */
export function formatActivity(action: string): string {
  return (ACTIONS as Record<string, string>)[action] ?? formatCode(action.replace('.', ' '));
}
