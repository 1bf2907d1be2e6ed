import { randomUUID } from 'node:crypto';

/** What a webhook may be told of. */
export const EVENT_TYPES = [
  'scan.completed',
  'scan.failed',
  'verdict.changed',
  'recommendation.opened',
  'migration.approved',
  'migration.ended',
  'release.ready',
  'provider.failing',
  'file.settled',
] as const;

/** Sent where a person asks for it. */
export const TEST_EVENT = 'webhook.test';
export type EventType = (typeof EVENT_TYPES)[number] | typeof TEST_EVENT;

/** Something that an account's webhooks are told, once for each. */
export interface ServiceEvent {
  readonly id: string;
  readonly accountId: string;
  readonly type: EventType;
  readonly at: Date;
  /** Ids, and what GET shows of them by its names; no secret, and no URL that grants access. */
  readonly data: EventData;
}

export type EventData = Readonly<Record<string, unknown>>;

export function describeEvent(
  accountId: string,
  type: EventType,
  at: Date,
  data: EventData,
): ServiceEvent {
  return { id: randomUUID(), accountId, type, at, data };
}

/** Events are kept, with their deliveries, for this time. */
export const EVENT_DAYS = 30;
