import {
  SUBSCRIPTION_STATUSES,
  type PaidPlan,
  type SubscriptionChange,
  type SubscriptionStatus,
} from '../../domain/accounts/subscription.ts';
import type { BillingEvent } from './billing.ts';

/** The price id of each plan. */
export type Prices = Readonly<Record<PaidPlan, string>>;

type Fields = Readonly<Record<string, unknown>>;

const CHANGES: Readonly<Record<string, SubscriptionChange['kind']>> = {
  'customer.subscription.created': 'created',
  'customer.subscription.updated': 'updated',
  'customer.subscription.deleted': 'deleted',
};
/** The id becomes a field name. */
const SUBSCRIPTION_ID = /^sub_[A-Za-z0-9_]{1,200}$/;

/**
 * Reads a verified event by its fields instead of a library's types, because the operator's
 * settings decide which API version is sent.
 */
export function toBillingEvent(event: unknown, prices: Prices): BillingEvent {
  const { id, type, created, data } = toFields(event);
  const frame = { eventId: toText(id) ?? '', type: toText(type) ?? '' };
  const object = toFields(toFields(data)['object']);
  const kind = CHANGES[frame.type];
  if (kind === undefined) return toCheckout(frame, object);

  const subscriptionId = toText(object['id']) ?? '';
  const status = toStatus(object['status']);
  const isReadable =
    SUBSCRIPTION_ID.test(subscriptionId) && status && typeof created === 'number' && created > 0;
  if (!isReadable) return { ...frame, about: 'unreadable' };
  const priceIds = readPrices(object);
  const happenedAt = new Date(created * 1_000);
  return {
    ...frame,
    about: 'subscription',
    ...readOwner(object),
    priceIds,
    change: {
      eventId: frame.eventId,
      kind,
      happenedAt,
      subscriptionId,
      status,
      plan: findPlan(priceIds, prices),
    },
  };
}

/** Undefined if no price belongs to a plan. */
export function findPlan(priceIds: readonly string[], prices: Prices): PaidPlan | undefined {
  // The larger plan first, for a subscription with both.
  return (['growth', 'starter'] as const).find((plan) => priceIds.includes(prices[plan]));
}

/** Undefined for an unknown status. */
export function toStatus(value: unknown): SubscriptionStatus | undefined {
  return SUBSCRIPTION_STATUSES.find((status) => status === value);
}

function toCheckout(frame: { eventId: string; type: string }, object: Fields): BillingEvent {
  if (frame.type !== 'checkout.session.completed' || object['mode'] !== 'subscription')
    return { ...frame, about: 'other' };
  return { ...frame, about: 'checkout', ...readOwner(object) };
}

function readOwner(object: Fields) {
  const { customer } = object;
  return {
    accountId:
      toText(toFields(object['metadata'])['accountId']) ?? toText(object['client_reference_id']),
    customerId: toText(customer) ?? toText(toFields(customer)['id']),
  };
}

function readPrices(object: Fields): string[] {
  const { data } = toFields(object['items']);
  const items: unknown[] = Array.isArray(data) ? data : [];
  return items.flatMap((item) => toText(toFields(toFields(item)['price'])['id']) ?? []);
}

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
