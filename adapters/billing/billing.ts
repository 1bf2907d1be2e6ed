import type { SubscriptionChange } from '../../domain/accounts/subscription.ts';

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
