import assert from 'node:assert/strict';
import {
  checkoutEvent,
  deliver,
  PRICES,
  storedBilling,
  subscriptionEvent,
  type BillingHarness,
  type StripeEvent,
} from './billing-harness.ts';
import type { PaidPlan } from '../../../domain/account/subscription.ts';
import { assertRefused, type Customer } from '../../harness/customer.ts';

const CHECKOUT = 'POST /v1/billing/checkout';
const PORTAL = 'POST /v1/billing/portal';

/** The pages that a person is sent to. */
export function billingPagesSuite(harness: BillingHarness): void {
  let urls: string[];
  before(() => {
    urls = harness.service.apis.map(({ url }) => url);
  });
  beforeEach(() => {
    harness.stripe.requests.splice(0);
    harness.stripe.answers.clear();
    harness.stripe.answersOnce = false;
  });

  const at = (index: number) => urls[index % urls.length] ?? '';
  const send = async (...events: StripeEvent[]) => {
    for (const event of events) await deliver(at(0), event);
  };
  /** Asks for a plan, and is led to a checkout (`cs_`) or to the portal (`bps_`). */
  const checkOut = async (customer: Customer, session: RegExp, plan: PaidPlan = 'growth') => {
    const answer = await customer.manage(CHECKOUT, { plan });
    assert.equal(answer.status, 200, answer.text);
    assert.match(String(answer.body['sessionId']), session);
  };
  const routes = () => harness.stripe.requests.map(({ route }) => route);

  describe('a checkout', () => {
    // spec: endpoint.billing-checkout
    it('is opened for the plan and names the account', async () => {
      const customer = await harness.newCustomer();
      const answer = await customer.manage(CHECKOUT, { plan: 'growth' });
      assert.equal(answer.status, 200, answer.text);
      assert.match(String(answer.body['url']), /^https:\/\/checkout\.stripe\.com\//);
      assert.match(String(answer.body['sessionId']), /^cs_/);
      const [made, opened, ...more] = harness.stripe.requests;
      assert.deepEqual(more, []);
      assert.equal(made?.route, 'POST /v1/customers');
      assert.equal(made?.form['metadata[accountId]'], customer.accountId);
      assert.equal(opened?.route, 'POST /v1/checkout/sessions');
      const { customerId } = await storedBilling(harness, customer);
      assert.deepEqual(opened?.form, {
        mode: 'subscription',
        customer: customerId,
        client_reference_id: customer.accountId,
        'line_items[0][price]': PRICES.growth,
        'line_items[0][quantity]': '1',
        'metadata[accountId]': customer.accountId,
        'subscription_data[metadata][accountId]': customer.accountId,
        success_url: 'https://app.example/dashboard/plan?checkout=done',
        cancel_url: 'https://app.example/dashboard/plan?checkout=cancelled',
      });
      assert.equal(await harness.planOf(customer), 'free', 'nothing has been paid');
    });

    it('opened ten times at once makes one customer', async () => {
      const customer = await harness.newCustomer();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          customer.manage(CHECKOUT, { plan: 'starter' }, at(index)),
        ),
      );
      for (const { status, text } of answers) assert.equal(status, 200, text);
      const made = harness.stripe.requests.filter(({ route }) => route === 'POST /v1/customers');
      assert.equal(new Set(made.map(({ idempotencyKey }) => idempotencyKey)).size, 1);
      const { customerId } = await storedBilling(harness, customer);
      const opened = harness.stripe.requests.filter(({ form }) => form['mode'] === 'subscription');
      assert.deepEqual(new Set(opened.map(({ form }) => form['customer'])), new Set([customerId]));
    });

    it('closes those opened before it', async () => {
      const customer = await harness.newCustomer();
      await customer.manage(CHECKOUT, { plan: 'growth' });
      harness.stripe.requests.splice(0);
      const open = { data: [{ id: 'cs_before', status: 'open' }] };
      harness.stripe.answers.set('GET /v1/checkout/sessions', open);
      await checkOut(customer, /^cs_/, 'starter');
      assert.deepEqual(routes(), [
        'GET /v1/checkout/sessions',
        'POST /v1/checkout/sessions/cs_before/expire',
        'GET /v1/subscriptions',
        'POST /v1/checkout/sessions',
      ]);
    });

    it('of an account that pays already leads to where its plan is changed', async () => {
      const customer = await harness.newCustomer();
      await send(subscriptionEvent(customer, { plan: 'starter', subscription: 'sub_first' }));
      await checkOut(customer, /^bps_/);
      assert.deepEqual(
        harness.stripe.requests.map(({ route, form }) => [route, form]),
        [
          [
            'POST /v1/billing_portal/sessions',
            {
              customer: `cus_${customer.accountId}`,
              return_url: 'https://app.example/dashboard/plan',
              'flow_data[type]': 'subscription_update',
              'flow_data[subscription_update][subscription]': 'sub_first',
            },
          ],
        ],
      );
    });

    it('of an account that has paid a moment ago does so too, before any event', async () => {
      const customer = await harness.newCustomer();
      await customer.manage(CHECKOUT, { plan: 'growth' });
      const items = { data: [{ price: { id: PRICES.growth } }] };
      const paid = { data: [{ id: 'sub_paid', status: 'active', items }] };
      harness.stripe.answers.set('GET /v1/subscriptions', paid);
      await checkOut(customer, /^bps_/);
    });

    for (const [status, leadsTo] of [
      ['past_due', /^bps_/],
      ['unpaid', /^bps_/],
      ['paused', /^bps_/],
      ['canceled', /^cs_/],
    ] as const) {
      it(`of an account whose subscription is ${status} leads to what is open, or to a new one`, async () => {
        const customer = await harness.newCustomer();
        await send(subscriptionEvent(customer, { status }));
        await checkOut(customer, leadsTo);
        assert.equal(harness.stripe.requests[0]?.form['flow_data[type]'], undefined);
      });
    }

    it('of a customer that Stripe has deleted is opened for a new one', async () => {
      const customer = await harness.newCustomer();
      await send(subscriptionEvent(customer, { customer: `cus_gone_${customer.accountId}` }));
      const error = { type: 'invalid_request_error', code: 'resource_missing', param: 'customer' };
      harness.stripe.answers.set('POST /v1/billing_portal/sessions', { error });
      const none = { status: 409, code: 'no_subscription' };
      assertRefused(await customer.manage(PORTAL), none);
      await checkOut(customer, /^cs_/);
      const { customerId } = await storedBilling(harness, customer);
      assert.doesNotMatch(customerId ?? '', /gone/);
      assert.equal(harness.stripe.requests.at(-1)?.form['customer'], customerId);
    });

    it('leads to the portal’s first page where Stripe lets no plan be changed', async () => {
      const customer = await harness.newCustomer();
      await send(subscriptionEvent(customer));
      const error = { type: 'invalid_request_error', message: 'not enabled' };
      harness.stripe.answers.set('POST /v1/billing_portal/sessions', { error });
      harness.stripe.answersOnce = true;
      await checkOut(customer, /^bps_/, 'starter');
      assert.deepEqual(
        harness.stripe.requests.map(({ form }) => 'flow_data[type]' in form),
        [true, false],
      );
    });
  });

  describe('the portal', () => {
    // spec: endpoint.billing-portal
    it('opens once a checkout was completed, and stays open after its subscription: the invoices are there', async () => {
      const customer = await harness.newCustomer();
      const refusal = { status: 409, code: 'no_subscription' };
      assertRefused(await customer.manage(PORTAL), refusal);
      await customer.manage(CHECKOUT, { plan: 'growth' });
      assertRefused(await customer.manage(PORTAL), refusal);
      await send(subscriptionEvent(customer, { kind: 'created', status: 'incomplete' }));
      assertRefused(await customer.manage(PORTAL), refusal);
      const { customerId } = await storedBilling(harness, customer);
      await send(checkoutEvent(customer, customerId));
      const answer = await customer.manage(PORTAL, {});
      assert.equal(answer.status, 200, answer.text);
      const form = { customer: customerId, return_url: 'https://app.example/dashboard/plan' };
      assert.deepEqual(harness.stripe.requests.at(-1)?.form, form);
      await send(subscriptionEvent(customer, { kind: 'deleted' }));
      assert.equal((await customer.manage(PORTAL)).status, 200);
    });
  });
}
