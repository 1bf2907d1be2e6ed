import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import StripeClient from 'stripe';
import type { PaidPlan } from '../../../domain/accounts/subscription.ts';
import { localServers, startIsolatedService } from '../../servers.ts';
import {
  createCustomer,
  openDatabase,
  type Customer,
  type ProviderName,
} from '../../harness/customer.ts';
import { openStripeProxy } from '../../harness/stripe-proxy.ts';

const WEBHOOK_SECRET = `whsec_${randomUUID()}`;
export const PRICES = { starter: 'price_of_starter', growth: 'price_of_growth' } as const;

export interface EventOptions {
  kind?: 'created' | 'updated' | 'deleted';
  status?: string;
  plan?: PaidPlan | 'unknown';
  /** Seconds after a moment that all events share. */
  at?: number;
  subscription?: string;
  customer?: string;
  /** Null: the event does not name the account. */
  account?: string | null;
}

export interface StripeEvent {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly data: { readonly object: object };
}

/** The service with billing configured, and a source of Stripe events. */
export type BillingHarness = Awaited<ReturnType<typeof openBillingHarness>>;

/** The settings under which the service accepts the events of this file. */
export function stripeEnvironment(apiUrl: string) {
  return {
    STRIPE_SECRET_KEY: 'sk_test_hunter2',
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_PRICE_STARTER: PRICES.starter,
    STRIPE_PRICE_GROWTH: PRICES.growth,
    STRIPE_API_URL: apiUrl,
  };
}

export async function openBillingHarness() {
  const stripe = await openStripeProxy((await localServers()).stack);
  const environment = {
    DEFAULT_PLAN: 'free',
    DASHBOARD_ORIGINS: 'https://app.example,https://other.example',
    ...stripeEnvironment(stripe.url),
  };
  const { stack, service } = await startIsolatedService({
    environment,
    apiCount: 2,
    workerCount: 0,
  });
  const database = await openDatabase(stack);
  /** What every process of the API says, which is the same. */
  const agreed = async <T>(ask: (url: string) => Promise<T>): Promise<T> => {
    const [first, second] = await Promise.all(service.apis.map(({ url }) => ask(url)));
    assert.deepEqual(second, first);
    return first as T;
  };
  const given = { stack, service, stripe, database, agreed };
  return {
    ...given,
    newCustomer: (providers: readonly ProviderName[] = []) =>
      createCustomer(stack, service.baseUrl, providers),
    planOf: (customer: Customer): Promise<unknown> =>
      agreed(async (url) => (await customer.call('GET /v1/me', undefined, url)).body['plan']),
    async close() {
      await database.close();
      await service.stop();
      await stripe.close();
    },
  };
}

export async function storedBilling(
  { database }: BillingHarness,
  { accountId }: Pick<Customer, 'accountId'>,
): Promise<{ customerId?: string; revision?: number }> {
  const [account] = await database.read('accounts', { _id: accountId });
  return account?.['billing'] ?? {};
}

const EPOCH_SECONDS = 1_790_000_000;

export function subscriptionEvent(
  { accountId }: Pick<Customer, 'accountId'>,
  options: EventOptions = {},
): StripeEvent {
  const { kind = 'updated', status = 'active', plan = 'growth', at = 0 } = options;
  const { subscription = `sub_${accountId.slice(-8)}`, account = accountId } = options;
  const id = plan === 'unknown' ? 'price_of_another_thing' : PRICES[plan];
  return {
    id: `evt_${randomUUID()}`,
    type: `customer.subscription.${kind}`,
    created: EPOCH_SECONDS + at,
    data: {
      object: {
        id: subscription,
        object: 'subscription',
        status: kind === 'deleted' ? 'canceled' : status,
        customer: options.customer ?? `cus_${accountId}`,
        metadata: account === null ? {} : { accountId: account },
        items: { data: [{ id: 'si_1', price: { id } }] },
      },
    },
  };
}

export function checkoutEvent({ accountId }: Customer, customer = `cus_${accountId}`): StripeEvent {
  const about = { client_reference_id: accountId, metadata: { accountId } };
  return {
    id: `evt_${randomUUID()}`,
    type: 'checkout.session.completed',
    created: EPOCH_SECONDS,
    data: { object: { id: 'cs_1', mode: 'subscription', customer, ...about } },
  };
}

export const sign = (payload: string, secret = WEBHOOK_SECRET) =>
  StripeClient.webhooks.generateTestHeaderString({ payload, secret });

export async function post(
  baseUrl: string,
  body: string,
  signature: string | undefined,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${baseUrl}/v1/billing/webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(signature === undefined ? {} : { 'stripe-signature': signature }),
    },
    body,
  });
  return { status: response.status, body: await response.json() };
}

export async function deliver(baseUrl: string, event: StripeEvent): Promise<void> {
  const payload = JSON.stringify(event, undefined, 2);
  const { status, body } = await post(baseUrl, payload, sign(payload));
  assert.deepEqual([status, body], [200, { received: true }]);
}
