import { PLAN_NAMES, type PlanName } from './plan.ts';

/** The plans that are sold; `free` costs nothing and `enterprise` is agreed on by hand. */
export const PAID_PLANS = ['starter', 'growth'] as const satisfies readonly PlanName[];
export type PaidPlan = (typeof PAID_PLANS)[number];

/**
 * What a subscription can be, and what follows from it.
 *
 * | status               | grants its plan | runs | why                                                        |
 * |----------------------|-----------------|------|------------------------------------------------------------|
 * | `trialing`           | yes             | yes  |                                                            |
 * | `active`             | yes             | yes  |                                                            |
 * | `past_due`           | yes             | yes  | the payment is being tried again                           |
 * | `unpaid`             | no              | yes  | all tries failed; paying what is open brings it back       |
 * | `paused`             | no              | yes  | a trial ended without means of payment; giving some resumes it |
 * | `incomplete`         | no              | no   | the first payment has not come; it ends by itself          |
 * | `incomplete_expired` | no              | no   | it never came                                              |
 * | `canceled`           | no              | no   |                                                            |
 *
 * One that runs will charge, or may again: beside it no second one is sold.
 */
const STATUSES = {
  trialing: { grants: true, runs: true },
  active: { grants: true, runs: true },
  past_due: { grants: true, runs: true },
  unpaid: { grants: false, runs: true },
  paused: { grants: false, runs: true },
  incomplete: { grants: false, runs: false },
  incomplete_expired: { grants: false, runs: false },
  canceled: { grants: false, runs: false },
} as const;

export type SubscriptionStatus = keyof typeof STATUSES;
export const SUBSCRIPTION_STATUSES = Object.keys(STATUSES) as SubscriptionStatus[];

/** What an event says of a subscription. */
export interface SubscriptionChange {
  readonly eventId: string;
  readonly kind: 'created' | 'updated' | 'deleted';
  /** In whole seconds: finer than that the order of two events is not known. */
  readonly happenedAt: Date;
  /** When it came here for the first time. */
  readonly receivedAt: Date;
  readonly subscriptionId: string;
  readonly status: SubscriptionStatus;
  /** Undefined where its price is none of ours. */
  readonly plan: PaidPlan | undefined;
}

/**
 * What is known of a subscription by the events that came so far. Status and plan each remember the
 * event that they are from, for an event with an unknown price changes only the one.
 */
export type Subscription =
  | { readonly status: 'deleted' }
  | {
      readonly status: SubscriptionStatus;
      readonly statusFrom: EventPlace;
      readonly plan?: PaidPlan;
      readonly planFrom?: EventPlace;
    };

/** Where an event stands among those of its subscription: compares as a text. */
export type EventPlace = string & { readonly eventPlace: true };

/** By their ids. */
export type Subscriptions = Readonly<Record<string, Subscription>>;

/**
 * The state after one more event. The order in which events come, and how often, makes no difference:
 *
 * | what comes                                     | becomes                     |
 * |------------------------------------------------|-----------------------------|
 * | anything, after the subscription was deleted   | nothing: it stays deleted   |
 * | `deleted`, whenever it happened                | deleted                     |
 * | an event after the ones known                  | its status, its plan        |
 * | the same with a price that is none of ours     | its status; the plan stays  |
 * | an event before the ones known                 | only what they did not say  |
 */
export function applyChange(
  before: Subscription | undefined,
  change: SubscriptionChange,
): Subscription {
  if (before?.status === 'deleted' || change.kind === 'deleted') return { status: 'deleted' };
  const place = placeOf(change);
  const isNewest = before === undefined || before.statusFrom < place;
  const saysPlan = change.plan !== undefined && (before?.planFrom ?? '') < place;
  const status = isNewest
    ? { status: change.status, statusFrom: place }
    : { status: before.status, statusFrom: before.statusFrom };
  const { plan, planFrom } = saysPlan ? { plan: change.plan, planFrom: place } : (before ?? {});
  return { ...status, ...(plan && planFrom ? { plan, planFrom } : {}) };
}

/** Whether two states are the same, so that there is nothing to write. */
export function sameSubscription(a: Subscription | undefined, b: Subscription): boolean {
  if (a === undefined || a.status === 'deleted' || b.status === 'deleted')
    return a?.status === b.status;
  return a.status === b.status && a.statusFrom === b.statusFrom && a.planFrom === b.planFrom;
}

/**
 * The plan in force: the best of the one that the account was given, at its creation or by the
 * operator's hand, and those that its subscriptions grant. So no subscription ever lowers an account
 * below what it has without one, and with the last one gone it is back there.
 */
export function planInForce(given: PlanName, subscriptions: Subscriptions = {}): PlanName {
  const granted = Object.values(subscriptions).flatMap((subscription): PlanName[] =>
    subscription.status !== 'deleted' && STATUSES[subscription.status].grants && subscription.plan
      ? [subscription.plan]
      : [],
  );
  return [given, ...granted].reduce((best, plan) => (rank(plan) > rank(best) ? plan : best));
}

/** Whether a subscription in this state charges, or may do so again. */
export function isRunning(status: SubscriptionStatus): boolean {
  return STATUSES[status].runs;
}

/** A subscription to one of the plans that are sold. */
export interface RunningSubscription {
  readonly subscriptionId: string;
  readonly status: SubscriptionStatus;
}

/** The subscriptions that charge, or may do so again, in an order that stays the same. */
export function runningSubscriptions(subscriptions: Subscriptions = {}): RunningSubscription[] {
  return Object.entries(subscriptions)
    .flatMap(([subscriptionId, known]) =>
      known.status !== 'deleted' && known.plan && isRunning(known.status)
        ? [{ subscriptionId, status: known.status }]
        : [],
    )
    .sort((a, b) => (a.subscriptionId < b.subscriptionId ? -1 : 1));
}

/** Whether anything was ever bought: until then there is nothing to manage. */
export function hasBought(subscriptions: Subscriptions = {}): boolean {
  return Object.values(subscriptions).some(
    ({ status }) => status !== 'incomplete' && status !== 'incomplete_expired',
  );
}

/**
 * Seconds first; within one second the order of arrival, but for a subscription that begins without
 * having been paid: that is before all else that befalls it. The id only makes the order total.
 */
function placeOf(change: SubscriptionChange): EventPlace {
  const { happenedAt, kind, status, receivedAt, eventId } = change;
  const isBeginning = kind === 'created' && status === 'incomplete';
  const parts = [happenedAt.toISOString(), isBeginning ? 0 : 1, receivedAt.toISOString()];
  return [...parts, eventId].join(' ') as EventPlace;
}

function rank(plan: PlanName): number {
  return PLAN_NAMES.indexOf(plan);
}
