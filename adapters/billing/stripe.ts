import { createHash } from 'node:crypto';
import type { Stripe } from 'stripe';
import StripeClient from 'stripe';
import { AppError } from '../../domain/common/errors.ts';
import {
  isRunning,
  type PaidPlan,
  type RunningSubscription,
  type SubscriptionContent,
} from '../../domain/accounts/subscription.ts';
import { fetchBounded } from '../bounded-fetch.ts';
import { UnknownCustomerError, type BillingEvent, type BillingPage } from './billing.ts';
import { findPlan, toBillingEvent, toStatus, type Prices } from './stripe-events.ts';

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly prices: Prices;
  /** Replaces Stripe's host. */
  readonly apiUrl: string | undefined;
}

interface StripeOptions {
  /** The return address of Stripe's pages. */
  readonly dashboardOrigin: string | undefined;
  readonly timeoutMs?: number;
}

interface CheckoutOrder {
  readonly accountId: string;
  readonly customerId: string;
  readonly plan: PaidPlan;
}

interface PortalVisit {
  readonly customerId: string;
  readonly change?: RunningSubscription;
}

/** With one retry: a hanging Stripe is reported after about eight seconds. */
const TIMEOUT_MS = 4_000;
const RETRIES = 1;
const SIGNATURE_TOLERANCE_SECONDS = 300;
const MOST_PER_PAGE = 100;
/** A checkout requires a return address; docs/decisions/0014 explains this one. */
const NO_DASHBOARD = 'https://stripe.com';

/**
 * The payment service. Every call ends within about eight seconds.
 *
 * @throws AppError `unavailable` if it does not answer, is rate limited or fails.
 * @throws UnknownCustomerError
 */
export class StripeBilling {
  readonly #stripe: Stripe;
  readonly #settings: StripeSettings;
  readonly #signatures: NonNullable<Stripe.Webhooks['signature']>;
  /** Undefined without a dashboard. */
  readonly #returnUrl: string | undefined;

  constructor(settings: StripeSettings, { dashboardOrigin, timeoutMs }: StripeOptions) {
    this.#settings = settings;
    this.#stripe = connect(settings, timeoutMs ?? TIMEOUT_MS);
    const { signature } = this.#stripe.webhooks;
    if (!signature) throw new Error('this build of the Stripe library verifies no signatures');
    this.#signatures = signature;
    this.#returnUrl = dashboardOrigin && `${dashboardOrigin}/dashboard/plan`;
  }

  /** Concurrent calls create one. `insteadOf`: the unknown customer that it replaces. */
  createCustomer(accountId: string, insteadOf = ''): Promise<string> {
    return callStripe(async () => {
      const name = createHash('sha256').update(`${accountId}\n${insteadOf}`).digest('hex');
      const idempotencyKey = `customer-${name}`;
      const { id } = await this.#stripe.customers.create(
        { metadata: { accountId } },
        { idempotencyKey },
      );
      return requireText(id);
    });
  }

  /** Expires all open checkouts of the customer. */
  closeCheckouts(customer: string): Promise<void> {
    const { sessions } = this.#stripe.checkout;
    return callStripe(async () => {
      const list = { customer, status: 'open', limit: MOST_PER_PAGE } as const;
      // A closed checkout was paid or has expired; both arrive as events.
      const open = toItems(await sessions.list(list)).filter(({ status }) => status === 'open');
      await Promise.all(open.map(({ id }) => sessions.expire(id).catch(unlessRefused)));
    });
  }

  /** A subscription to one of the plans that charges, or may charge again. */
  findRunning(customer: string): Promise<RunningSubscription | undefined> {
    return callStripe(async () => {
      const list = { customer, limit: MOST_PER_PAGE };
      for (const listed of toItems(await this.#stripe.subscriptions.list(list))) {
        const status = toStatus(listed.status);
        if (status && this.#planOf(listed) && isRunning(status))
          return { subscriptionId: listed.id, status };
      }
      return undefined;
    });
  }

  /** The present state of a subscription; undefined if it is not known here, or not there. */
  readSubscription(subscriptionId: string): Promise<SubscriptionContent | undefined> {
    return callStripe(async () => {
      const { subscriptions } = this.#stripe;
      const stored = await subscriptions.retrieve(subscriptionId).catch(unlessRefused);
      const status = toStatus(stored?.status);
      return stored && status && { status, plan: this.#planOf(stored) };
    });
  }

  openCheckout({ accountId, customerId, plan }: CheckoutOrder): Promise<BillingPage> {
    return callStripe(async () => {
      const metadata = { accountId };
      const returnUrl = this.#returnUrl;
      return toPage(
        await this.#stripe.checkout.sessions.create({
          mode: 'subscription',
          customer: customerId,
          client_reference_id: accountId,
          line_items: [{ price: this.#settings.prices[plan], quantity: 1 }],
          metadata,
          subscription_data: { metadata },
          ...(returnUrl === undefined
            ? { success_url: NO_DASHBOARD }
            : {
                success_url: `${returnUrl}?checkout=done`,
                cancel_url: `${returnUrl}?checkout=cancelled`,
              }),
        }),
      );
    });
  }

  /** `change`: opens the page that changes this subscription's plan, if Stripe allows it. */
  openPortal({ customerId, change }: PortalVisit): Promise<BillingPage> {
    return callStripe(async () => {
      // Whether the portal changes plans is a Stripe setting; the portal itself always opens.
      const changing =
        change && isChangeable(change)
          ? await this.#createPortal(customerId, change).catch(unlessRefused)
          : undefined;
      return toPage(changing ?? (await this.#createPortal(customerId)));
    });
  }

  /**
   * Checks the signature over the body as it was sent, at most 300 s old.
   *
   * @throws AppError `invalid_request`
   */
  verify(text: string, signature: string): void {
    const { webhookSecret } = this.#settings;
    try {
      this.#signatures.verifyHeader(text, signature, webhookSecret, SIGNATURE_TOLERANCE_SECONDS);
    } catch (cause) {
      throw new AppError('invalid_request', 'The signature does not fit the body.', { cause });
    }
  }

  /** Reads a verified body. */
  readEvent(body: unknown): BillingEvent {
    return toBillingEvent(body, this.#settings.prices);
  }

  #planOf({ items }: Pick<Stripe.Subscription, 'items'>): PaidPlan | undefined {
    const priceIds = toItems(items).map(({ price }) => price.id);
    return findPlan(priceIds, this.#settings.prices);
  }

  #createPortal(
    customer: string,
    change?: RunningSubscription,
  ): Promise<Stripe.BillingPortal.Session> {
    return this.#stripe.billingPortal.sessions.create({
      customer,
      ...(this.#returnUrl === undefined ? {} : { return_url: this.#returnUrl }),
      ...(change === undefined ? {} : { flow_data: changeFlow(change) }),
    });
  }
}

function connect({ secretKey, apiUrl }: StripeSettings, timeout: number): Stripe {
  const { protocol, hostname, port } = new URL(apiUrl ?? 'https://api.stripe.com');
  return new StripeClient(secretKey, {
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    port: port || (protocol === 'http:' ? 80 : 443),
    timeout,
    maxNetworkRetries: RETRIES,
    httpClient: StripeClient.createFetchHttpClient(fetchObject),
    telemetry: false,
  });
}

/**
 * The Stripe library ends the process if an answer is JSON but no object, and reads an answer of
 * any length. What this rejects with becomes a `StripeConnectionError`, and the call is repeated.
 */
const fetchObject: typeof fetch = async (url, init) => {
  const response = await fetchBounded(url as string, init);
  const value: unknown = await response.clone().json();
  if (!isObject(value) || !isObject((value as { error?: unknown }).error ?? {}))
    throw new Error('the answer is no object');
  return response;
};

/** Replaces Stripe's errors: they may hold parts of a key, and whole answers. */
async function callStripe<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof StripeClient.errors.StripeError)) throw error;
    const { type, code, statusCode = 0, requestId } = error;
    const described = new Error(
      `Stripe: ${type}, status ${statusCode}, code ${code ?? 'none'}, request ${requestId ?? 'none'}`,
    );
    if (isUnknownCustomer(error)) throw new UnknownCustomerError(described.message);
    if (isTransient(error)) throw new AppError('unavailable', undefined, { cause: described });
    throw described;
  }
}

function isUnknownCustomer(error: unknown): boolean {
  return (
    error instanceof StripeClient.errors.StripeInvalidRequestError &&
    error.code === 'resource_missing' &&
    error.param === 'customer'
  );
}

function isTransient(error: InstanceType<typeof StripeClient.errors.StripeError>): boolean {
  const { statusCode = 0 } = error;
  return (
    error instanceof StripeClient.errors.StripeConnectionError ||
    statusCode >= 500 ||
    statusCode === 429 ||
    statusCode === 409
  );
}

/** For calls whose refusal is harmless. */
function unlessRefused(error: unknown): undefined {
  const isRefused = error instanceof StripeClient.errors.StripeInvalidRequestError;
  if (!isRefused || isUnknownCustomer(error)) throw error;
}

/** Stripe changes plans of paid subscriptions only; otherwise the portal shows the open invoice. */
function isChangeable({ status }: RunningSubscription): boolean {
  return status === 'active' || status === 'trialing';
}

function changeFlow({ subscriptionId: subscription }: RunningSubscription) {
  return { type: 'subscription_update', subscription_update: { subscription } } as const;
}

function toPage({ id, url }: { readonly id: string; readonly url: string | null }): BillingPage {
  // A browser opens it, so only the scheme of Stripe's pages is accepted.
  if (!requireText(url).startsWith('https://')) throw unreadable();
  return { sessionId: requireText(id), url: requireText(url) };
}

/** The items of a list, which are objects. */
function toItems<Item>({ data }: { readonly data: readonly Item[] }): readonly Item[] {
  const items: unknown = data;
  if (!Array.isArray(items) || !items.every((item) => isObject(item))) throw unreadable();
  return data;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function requireText(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw unreadable();
}

/** An answer under status 200 whose types are not Stripe's. */
function unreadable(): AppError {
  const cause = new Error('Stripe: an answer without its form');
  return new AppError('unavailable', undefined, { cause });
}
