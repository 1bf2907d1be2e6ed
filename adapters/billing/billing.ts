import type {
  PaidPlan,
  RunningSubscription,
  SubscriptionChange,
  SubscriptionContent,
} from '../../domain/accounts/subscription.ts';

/** A short-lived page of the payment service for one customer. */
export interface BillingPage {
  readonly sessionId: string;
  readonly url: string;
}

interface EventFrame {
  readonly eventId: string;
  /** The payment service's id. */
  readonly type: string;
}

interface Owned {
  /** The account id that the checkout stored. */
  readonly accountId: string | undefined;
  readonly customerId: string | undefined;
}

/** An event of the payment service. */
export type BillingEvent = EventFrame &
  (
    | (Owned & { readonly about: 'checkout' })
    | (Owned & {
        readonly about: 'subscription';
        readonly change: Omit<SubscriptionChange, 'receivedAt'>;
        readonly priceIds: readonly string[];
      })
    | { readonly about: 'other' }
    /** A known type in an unknown form. */
    | { readonly about: 'unreadable' }
  );

/** The payment service does not know the customer: deleted, or of the other mode (test, live). */
export class UnknownCustomerError extends Error {
  override readonly name = 'UnknownCustomer';
}

/**
 * The payment service. Every call ends within about eight seconds.
 *
 * @throws AppError `unavailable` if it does not answer, is rate limited or fails.
 * @throws UnknownCustomer
 */
export interface Billing {
  /** Creates an account's customer; concurrent calls create one. `insteadOf`: the unknown customer that it replaces. */
  createCustomer(accountId: string, insteadOf?: string): Promise<string>;
  /** Expires all open checkouts of the customer. */
  closeCheckouts(customerId: string): Promise<void>;
  /** A subscription to one of the plans that charges, or may charge again. */
  findRunning(customerId: string): Promise<RunningSubscription | undefined>;
  /** The present state of a subscription. Undefined if it has none that is known here, or there is none. */
  readSubscription(subscriptionId: string): Promise<SubscriptionContent | undefined>;
  openCheckout(order: {
    readonly accountId: string;
    readonly customerId: string;
    readonly plan: PaidPlan;
  }): Promise<BillingPage>;
  /** `change`: opens the page that changes this subscription's plan, if Stripe allows it. */
  openPortal(visit: {
    readonly customerId: string;
    readonly change?: RunningSubscription;
  }): Promise<BillingPage>;
  /**
   * Checks the signature over the body as it was sent, at most 300 s old.
   *
   * @throws AppError `invalid_request`
   */
  verify(text: string, signature: string): void;
  /** Reads a verified body. */
  readEvent(body: unknown): BillingEvent;
}
