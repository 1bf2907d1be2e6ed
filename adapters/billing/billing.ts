import type {
  PaidPlan,
  RunningSubscription,
  SubscriptionChange,
} from '../../domain/subscription.ts';

/** A page of the payment service, for one person and a short while. */
export interface BillingPage {
  readonly sessionId: string;
  readonly url: string;
}

interface EventFrame {
  readonly eventId: string;
  /** As the payment service calls it. */
  readonly type: string;
}

interface Owned {
  /** As the service itself wrote it down at the checkout. */
  readonly accountId: string | undefined;
  readonly customerId: string | undefined;
}

/** What the payment service tells, as far as it concerns this one. */
export type BillingEvent = EventFrame &
  (
    | (Owned & { readonly about: 'checkout' })
    | (Owned & {
        readonly about: 'subscription';
        readonly change: Omit<SubscriptionChange, 'receivedAt'>;
        readonly priceIds: readonly string[];
      })
    | { readonly about: 'other' }
    /** Of a kind that concerns this service, in a form that it does not know. */
    | { readonly about: 'unreadable' }
  );

/** The customer is not at the payment service any more, or is of its other mode (test, live). */
export class UnknownCustomer extends Error {
  override readonly name = 'UnknownCustomer';
}

/**
 * The payment service. Every call ends within about eight seconds.
 *
 * @throws AppError `unavailable` where it is away, too busy or in trouble itself.
 * @throws UnknownCustomer where it is asked about one.
 */
export interface Billing {
  /** Makes the customer that stands for an account, or a new one; asked twice at once, it makes one. */
  createCustomer(accountId: string, insteadOf?: string): Promise<string>;
  /** From then on no checkout that was opened before can be paid. */
  closeCheckouts(customerId: string): Promise<void>;
  /** A subscription to one of the plans that charges, or may do so again. */
  findRunning(customerId: string): Promise<RunningSubscription | undefined>;
  openCheckout(order: {
    readonly accountId: string;
    readonly customerId: string;
    readonly plan: PaidPlan;
  }): Promise<BillingPage>;
  /** `change`: opens where this subscription's plan is changed, if that can be. */
  openPortal(visit: {
    readonly customerId: string;
    readonly change?: RunningSubscription;
  }): Promise<BillingPage>;
  /**
   * Checks the signature over the body as it was sent, at most 300 s old, and reads the event.
   *
   * @throws AppError `invalid_request`
   */
  readEvent(text: string, signature: string): BillingEvent;
}
