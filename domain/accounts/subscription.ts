import { PLAN_NAMES, type PlanName } from './plan.ts';

/** The plans that are sold; `free` costs nothing and `enterprise` is agreed on individually. */
export const PAID_PLANS = ['starter', 'growth'] as const satisfies readonly PlanName[];
export type PaidPlan = (typeof PAID_PLANS)[number];

/**
 * The statuses of a subscription and their effects.
 *
 * | status               | grants its plan | runs | why                                                        |
 * |----------------------|-----------------|------|------------------------------------------------------------|
 * | `trialing`           | yes             | yes  |                                                            |
 * | `active`             | yes             | yes  |                                                            |
 * | `past_due`           | yes             | yes  | the payment is being retried                               |
 * | `unpaid`             | no              | yes  | all retries failed; paying the open invoices restores it   |
 * | `paused`             | no              | yes  | a trial ended without a payment method; adding one resumes it |
 * | `incomplete`         | no              | no   | the first payment is missing; it expires automatically      |
 * | `canceled`           | no              | no   |                                                            |
 * | `incomplete_expired` | no              | no   | the first payment was never made                           |
 *
 * A running subscription charges or may charge again, so no second one is sold.
 */
const STATUSES = {
  trialing: { grants: true, runs: true },
  active: { grants: true, runs: true },
  past_due: { grants: true, runs: true },
  unpaid: { grants: false, runs: true },
  paused: { grants: false, runs: true },
  incomplete: { grants: false, runs: false },
  canceled: { grants: false, runs: false },
  incomplete_expired: { grants: false, runs: false },
} as const;

export type SubscriptionStatus = keyof typeof STATUSES;
export const SUBSCRIPTION_STATUSES = Object.keys(STATUSES) as SubscriptionStatus[];

/** The change of a subscription that an event reports. */
export interface SubscriptionChange {
  readonly eventId: string;
  readonly kind: 'created' | 'updated' | 'deleted';
  /** In whole seconds; within one second it does not tell the order. */
  readonly happenedAt: Date;
  /** When the service received it first. */
  readonly receivedAt: Date;
  readonly subscriptionId: string;
  readonly status: SubscriptionStatus;
  /** Undefined for a price that is not in the catalogue. */
  readonly plan: PaidPlan | undefined;
  /** Stripe has said that this is the present state. */
  readonly isPresent?: true;
}

/** What a change says, and what Stripe answers when it is asked. */
export type SubscriptionContent = Pick<SubscriptionChange, 'status' | 'plan'>;

/**
 * The state of a subscription after the events received so far. Status and plan each name the event
 * that they are from, because an event with an unknown price changes only the status.
 */
export type Subscription =
  | { readonly status: 'deleted' }
  | {
      readonly status: SubscriptionStatus;
      readonly statusFrom: EventPlace;
      readonly plan?: PaidPlan;
      readonly planFrom?: EventPlace;
    };

/** The position of an event among those of its subscription; compares as text. */
export type EventPlace = string & { readonly eventPlace: true };

/** By their ids. */
export type Subscriptions = Readonly<Record<string, Subscription>>;

/**
 * The state after one more event. The order and number of deliveries make no difference:
 *
 * | event                                          | effect                      |
 * |------------------------------------------------|-----------------------------|
 * | any, after the subscription was deleted        | none: it stays deleted      |
 * | `deleted`, at any time                         | deleted                     |
 * | an event after the ones known                  | its status, its plan        |
 * | the same with an unknown price                 | its status; the plan stays  |
 * | an event before the ones known                 | only what they did not set  |
 */
export function applyChange(
  before: Subscription | undefined,
  change: SubscriptionChange,
): Subscription {
  if (before?.status === 'deleted' || change.kind === 'deleted') return { status: 'deleted' };
  const place = toEventPlace(change, before);
  const isNewest = before === undefined || before.statusFrom < place;
  const setsPlan = change.plan !== undefined && (before?.planFrom ?? '') < place;
  const status = isNewest
    ? { status: change.status, statusFrom: place }
    : { status: before.status, statusFrom: before.statusFrom };
  const { plan, planFrom } = setsPlan ? { plan: change.plan, planFrom: place } : (before ?? {});
  return { ...status, ...(plan && planFrom ? { plan, planFrom } : {}) };
}

/** Whether only Stripe knows the order of a change and the stored state: both are of one second. */
export function isOrderUnknown(
  before: Subscription | undefined,
  change: SubscriptionChange,
): before is Exclude<Subscription, { readonly status: 'deleted' }> {
  if (!before || before.status === 'deleted' || change.kind === 'deleted') return false;
  const [second, rank] = before.statusFrom.split(' ');
  const isOfOneSecond = second === change.happenedAt.toISOString();
  const isUnpaid = isUnpaidCreation(change) || Number(rank) === 0;
  return isOfOneSecond && !isUnpaid && !sameContent(before, change);
}

/**
 * A change of the same second as the known state, in the order that Stripe's present state shows:
 *
 * | the present state is | effect                                     |
 * |----------------------|--------------------------------------------|
 * | that of the change   | the change came after the known state      |
 * | the known state      | the change came before it                  |
 * | another one          | the order of arrival; its event will follow |
 */
export function orderByPresent(
  before: { readonly status: SubscriptionStatus; readonly plan?: PaidPlan },
  change: SubscriptionChange,
  present: SubscriptionContent | undefined,
): SubscriptionChange {
  if (!present) return change;
  const previous = { status: before.status, plan: before.plan };
  if (!sameContent(present, change) && !sameContent(present, previous)) return change;
  return { ...change, ...present, isPresent: true };
}

function sameContent(
  a: { readonly status: SubscriptionStatus; readonly plan?: PaidPlan | undefined },
  b: SubscriptionContent,
): boolean {
  return a.status === b.status && a.plan === b.plan;
}

/** Whether two states are equal, so that no write is needed. */
export function sameSubscription(a: Subscription | undefined, b: Subscription): boolean {
  if (a === undefined || a.status === 'deleted' || b.status === 'deleted')
    return a?.status === b.status;
  return a.status === b.status && a.statusFrom === b.statusFrom && a.planFrom === b.planFrom;
}

/**
 * The plan in force: the best of the one assigned to the account, at its creation or by the
 * operator, and those that its subscriptions grant. So a subscription never lowers an account's
 * plan, and an account without subscriptions has its assigned plan.
 */
export function planInForce(given: PlanName, subscriptions: Subscriptions = {}): PlanName {
  const granted = Object.values(subscriptions).flatMap((subscription): PlanName[] =>
    subscription.status !== 'deleted' && STATUSES[subscription.status].grants && subscription.plan
      ? [subscription.plan]
      : [],
  );
  return [given, ...granted].reduce((best, plan) => (rank(plan) > rank(best) ? plan : best));
}

/** Whether a subscription in this status charges, or may charge again. */
export function isRunning(status: SubscriptionStatus): boolean {
  return STATUSES[status].runs;
}

/** A subscription to one of the plans that are sold. */
export interface RunningSubscription {
  readonly subscriptionId: string;
  readonly status: SubscriptionStatus;
}

/** The subscriptions that charge, or may charge again, in a stable order. */
export function runningSubscriptions(subscriptions: Subscriptions = {}): RunningSubscription[] {
  return Object.entries(subscriptions)
    .flatMap(([subscriptionId, known]) =>
      known.status !== 'deleted' && known.plan && isRunning(known.status)
        ? [{ subscriptionId, status: known.status }]
        : [],
    )
    .sort((a, b) => (a.subscriptionId < b.subscriptionId ? -1 : 1));
}

/** Whether a subscription was ever paid for; before that there is nothing to manage. */
export function hasBought(subscriptions: Subscriptions = {}): boolean {
  return Object.values(subscriptions).some(
    ({ status }) => status !== 'incomplete' && status !== 'incomplete_expired',
  );
}

/** The subscription as its account sees it. */
export interface SubscriptionState {
  readonly status: SubscriptionStatus;
  /** Undefined for a deleted subscription: its plan is not stored. */
  readonly plan: PaidPlan | undefined;
}

/**
 * The subscription that an account sees: the first by this table. Undefined if there is none.
 *
 * |   | subscription                        | of several                               |
 * |---|-------------------------------------|------------------------------------------|
 * | 1 | `trialing`, `active`, `past_due`    | the best plan, then in this order        |
 * | 2 | `unpaid`                            | the best plan                            |
 * | 3 | `paused`                            | the best plan                            |
 * | 4 | `incomplete`                        | the best plan                            |
 * | 5 | `canceled`, deleted                 | the best plan; both are `canceled`       |
 * | 6 | `incomplete_expired`                | the best plan                            |
 * | – | any other with the price of no plan | never: it is for another product         |
 *
 * So the best plan that a subscription grants is always the one shown.
 */
export function subscriptionState(
  subscriptions: Subscriptions = {},
): SubscriptionState | undefined {
  const [first] = Object.values(subscriptions)
    .flatMap(toState)
    .sort(
      (a, b) =>
        rankGranted(b) - rankGranted(a) ||
        SUBSCRIPTION_STATUSES.indexOf(a.status) - SUBSCRIPTION_STATUSES.indexOf(b.status) ||
        rank(b.plan ?? 'free') - rank(a.plan ?? 'free'),
    );
  return first;
}

function toState(known: Subscription): SubscriptionState[] {
  if (known.status === 'deleted') return [{ status: 'canceled', plan: undefined }];
  return known.plan ? [{ status: known.status, plan: known.plan }] : [];
}

function rankGranted({ status, plan }: SubscriptionState): number {
  return plan && STATUSES[status].grants ? rank(plan) : 0;
}

/**
 * Ordered by seconds. Within one second a creation without payment comes first, and what Stripe has
 * said is the present state last; the others by arrival. The id makes the order total.
 */
function toEventPlace(change: SubscriptionChange, before: Subscription | undefined): EventPlace {
  const { happenedAt, receivedAt, eventId } = change;
  const second = happenedAt.toISOString();
  const parts = [second, rankWithin(second, change, before), receivedAt.toISOString(), eventId];
  return parts.join(' ') as EventPlace;
}

function rankWithin(
  second: string,
  change: SubscriptionChange,
  before: Subscription | undefined,
): string {
  const [known, rank] = before && before.status !== 'deleted' ? before.statusFrom.split(' ') : [];
  const least = known === second ? Math.max(1, Number(rank)) : 1;
  const place = isUnpaidCreation(change) ? 0 : least + (change.isPresent ? 1 : 0);
  return String(place).padStart(3, '0');
}

function isUnpaidCreation({ kind, status }: SubscriptionChange): boolean {
  return kind === 'created' && status === 'incomplete';
}

function rank(plan: PlanName): number {
  return PLAN_NAMES.indexOf(plan);
}
