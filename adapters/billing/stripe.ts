import { createHash } from 'node:crypto';
import type { Stripe } from 'stripe';
import StripeClient from 'stripe';
import { AppError } from '../../domain/common/errors.ts';
import { isRunning, type RunningSubscription } from '../../domain/accounts/subscription.ts';
import { fetchBounded } from '../bounded-fetch.ts';
import { UnknownCustomerError, type Billing, type BillingPage } from './billing.ts';
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

/** With one retry: a hanging Stripe is reported after about eight seconds. */
const TIMEOUT_MS = 4_000;
const RETRIES = 1;
const SIGNATURE_TOLERANCE_SECONDS = 300;
const MOST_PER_PAGE = 100;
/** A checkout requires a return address; docs/decisions/0014 explains this one. */
const NO_DASHBOARD = 'https://stripe.com';

/** @see Billing */
export function createStripeBilling(settings: StripeSettings, options: StripeOptions): Billing {
  const { prices, webhookSecret } = settings;
  const stripe = connect(settings, options.timeoutMs ?? TIMEOUT_MS);
  const { signature: signatures } = stripe.webhooks;
  if (!signatures) throw new Error('this build of the Stripe library verifies no signatures');
  const returnPage = (query: string) =>
    options.dashboardOrigin && `${options.dashboardOrigin}/dashboard/plan${query}`;
  const doneUrl = returnPage('?checkout=done') ?? NO_DASHBOARD;
  const cancelUrl = returnPage('?checkout=cancelled');
  const returnUrl = returnPage('');

  const planOf = ({ items }: Pick<Stripe.Subscription, 'items'>) =>
    findPlan(
      toItems(items).map(({ price }) => price.id),
      prices,
    );

  async function openPortal(
    customer: string,
    change?: RunningSubscription,
  ): Promise<Stripe.BillingPortal.Session> {
    return await stripe.billingPortal.sessions.create({
      customer,
      ...(returnUrl === undefined ? {} : { return_url: returnUrl }),
      ...(change === undefined ? {} : { flow_data: changeFlow(change) }),
    });
  }

  return {
    createCustomer: (accountId, insteadOf = '') =>
      callStripe(async () => {
        const name = createHash('sha256').update(`${accountId}\n${insteadOf}`).digest('hex');
        const idempotencyKey = `customer-${name}`;
        const { id } = await stripe.customers.create(
          { metadata: { accountId } },
          { idempotencyKey },
        );
        return requireText(id);
      }),

    closeCheckouts: (customer) =>
      callStripe(async () => {
        const list = { customer, status: 'open', limit: MOST_PER_PAGE } as const;
        const sessions = toItems(await stripe.checkout.sessions.list(list));
        // A closed checkout was paid or has expired; both arrive as events.
        const open = sessions.filter(({ status }) => status === 'open');
        await Promise.all(
          open.map(({ id }) => stripe.checkout.sessions.expire(id).catch(unlessRefused)),
        );
      }),

    findRunning: (customer) =>
      callStripe(async () => {
        const list = { customer, limit: MOST_PER_PAGE };
        const subscriptions = toItems(await stripe.subscriptions.list(list));
        const running = subscriptions.flatMap((found): RunningSubscription[] => {
          const status = toStatus(found.status);
          if (!status || !planOf(found) || !isRunning(status)) return [];
          return [{ subscriptionId: found.id, status }];
        });
        return running[0];
      }),

    readSubscription: (subscriptionId) =>
      callStripe(async () => {
        const found = await stripe.subscriptions.retrieve(subscriptionId).catch(unlessRefused);
        const status = toStatus(found?.status);
        return found && status && { status, plan: planOf(found) };
      }),

    openCheckout: ({ accountId, customerId, plan }) =>
      callStripe(async () => {
        const metadata = { accountId };
        return toPage(
          await stripe.checkout.sessions.create({
            mode: 'subscription',
            customer: customerId,
            client_reference_id: accountId,
            line_items: [{ price: prices[plan], quantity: 1 }],
            metadata,
            subscription_data: { metadata },
            success_url: doneUrl,
            ...(cancelUrl === undefined ? {} : { cancel_url: cancelUrl }),
          }),
        );
      }),

    openPortal: ({ customerId, change }) =>
      callStripe(async () => {
        // Whether the portal changes plans is a Stripe setting; the portal itself always opens.
        const changing =
          change && isChangeable(change)
            ? await openPortal(customerId, change).catch(unlessRefused)
            : undefined;
        return toPage(changing ?? (await openPortal(customerId)));
      }),

    verify(text, signature) {
      const tolerance = SIGNATURE_TOLERANCE_SECONDS;
      try {
        signatures.verifyHeader(text, signature, webhookSecret, tolerance);
      } catch (cause) {
        throw new AppError('invalid_request', 'The signature does not fit the body.', { cause });
      }
    },

    readEvent: (body) => toBillingEvent(body, prices),
  };
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
 * The Stripe library ends the process if an answer is JSON but no object, and reads an answer of any length.
 * What this rejects with becomes a `StripeConnectionError`, and the call is repeated.
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
