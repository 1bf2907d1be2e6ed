import { randomUUID } from 'node:crypto';
import type { Person } from './person.ts';

export const ACTIVITY_ACTIONS = [
  'provider.saved',
  'provider.deleted',
  'key.issued',
  'key.rotated',
  'connection.saved',
  'connection.deleted',
  'schedule.saved',
  'schedule.deleted',
  'scan.started',
  'migration.approved',
  'migration.cancelled',
  'migration.round_started',
  'release.checked',
  'relocation.started',
  'relocation.cancelled',
  'drill.started',
  'drill.cancelled',
  'drill.completed',
  'recommendation.dismissed',
  'recommendation.restored',
  'webhook.added',
  'webhook.removed',
  'webhook.rotated',
  'webhook.enabled',
  'checkout.opened',
] as const;
export type ActivityAction = (typeof ACTIVITY_ACTIONS)[number];

/** What a person changed in an account. */
export interface Activity extends Person {
  readonly id: string;
  readonly accountId: string;
  readonly at: Date;
  readonly action: ActivityAction;
  /** The id of what was changed. */
  readonly on: string;
  readonly requestId: string;
  /** The hash of a drill's certificate. */
  readonly certificateSha256?: string;
}

/** Who makes a call, and when. */
export interface Actor {
  readonly accountId: string;
  readonly person: Person;
  readonly requestId: string;
}

export function describeActivity(
  { accountId, person, requestId }: Actor,
  action: ActivityAction,
  on: string,
  at: Date,
): Activity {
  const { subject, name } = person;
  return { id: randomUUID(), accountId, at, subject, name, action, on, requestId };
}

/** An activity is deleted after this time. */
export const ACTIVITY_DAYS = 400;
