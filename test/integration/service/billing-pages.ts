import assert from 'node:assert/strict';
import {
  checkoutEvent,
  deliver,
  PRICES,
  storedBilling,
  subscriptionEvent,
  type BillingHarness,
  type EventOptions,
} from './billing-harness.ts';
import type { PaidPlan } from '../../../domain/accounts/subscription.ts';
import { assertRefused, type Customer } from '../../harness/customer.ts';

const CHECKOUT = 'POST /v1/billing/checkout';
const PORTAL = 'POST /v1/billing/portal';
const PORTAL_SESSIONS = 'POST /v1/billing_portal/sessions';
const NO_SUBSCRIPTION = { status: 409, code: 'no_subscription' };
/** A session of a checkout, and of the portal. */
const [CHECKOUT_PAGE, PORTAL_PAGE] = [/^cs_/, /^bps_/];

export function billingPagesSuite(harness: BillingHarness): void {
  beforeEach(() => {
    harness.stripe.requests.splice(0);
    harness.stripe.answers.clear();
    harness.stripe.answersOnce = false;
  });

  /** A new customer, of whom Stripe has told this. */
  const customerWith = async (...events: EventOptions[]) => {
    const customer = await harness.newCustomer();
    for (const event of events)
      await deliver(harness.service.baseUrl, subscriptionEvent(customer, event));
    return customer;
  };
  const checkOut = async (customer: Customer, session: RegExp, plan: PaidPlan = 'growth') => {
    const answer = await customer.manage(CHECKOUT, { plan });
    assert.equal(answer.status, 200, answer.text);
    assert.match(String(answer.body['sessionId']), session);
    return answer.body;
  };
  const routes = () => harness.stripe.requests.map(({ route }) => route);

  describe('a checkout', () => {
    // spec: endpoint.billing-checkout
    it('is opened for the plan and names the account', async () => {
      const customer = await customerWith();
      const { url } = await checkOut(customer, CHECKOUT_PAGE);
      assert.match(String(url), /^https:\/\/checkout\.stripe\.com\//);
      assert.deepEqual(routes(), ['POST /v1/customers', 'POST /v1/checkout/sessions']);
      const [made, opened] = harness.stripe.requests;
      assert.equal(made?.form['metadata[accountId]'], customer.accountId);
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
      const customer = await customerWith();
      const urls = harness.service.apis.map(({ url }) => url);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          customer.manage(CHECKOUT, { plan: 'starter' }, urls[at % urls.length]),
        ),
      );
      for (const { status, text } of answers) assert.equal(status, 200, text);
      const { requests } = harness.stripe;
      const made = requests.filter(({ route }) => route === 'POST /v1/customers');
      assert.equal(new Set(made.map(({ idempotencyKey }) => idempotencyKey)).size, 1);
      const { customerId } = await storedBilling(harness, customer);
      const opened = requests.filter(({ form }) => form['mode'] === 'subscription');
      assert.deepEqual(new Set(opened.map(({ form }) => form['customer'])), new Set([customerId]));
    });

    it('closes those opened before it, and leads to the portal once one of them was paid', async () => {
      const customer = await customerWith();
      await checkOut(customer, CHECKOUT_PAGE);
      harness.stripe.requests.splice(0);
      const open = { data: [{ id: 'cs_before', status: 'open' }] };
      harness.stripe.answers.set('GET /v1/checkout/sessions', open);
      await checkOut(customer, CHECKOUT_PAGE, 'starter');
      assert.deepEqual(routes(), [
        'GET /v1/checkout/sessions',
        'POST /v1/checkout/sessions/cs_before/expire',
        'GET /v1/subscriptions',
        'POST /v1/checkout/sessions',
      ]);
      const items = { data: [{ price: { id: PRICES.growth } }] };
      const paid = { data: [{ id: 'sub_paid', status: 'active', items }] };
      harness.stripe.answers.set('GET /v1/subscriptions', paid);
      await checkOut(customer, PORTAL_PAGE);
    });

    it('of an account that pays already leads to where its plan is changed', async () => {
      const customer = await customerWith({ plan: 'starter', subscription: 'sub_first' });
      await checkOut(customer, PORTAL_PAGE);
      assert.deepEqual(routes(), [PORTAL_SESSIONS]);
      assert.deepEqual(harness.stripe.requests[0]?.form, {
        customer: `cus_${customer.accountId}`,
        return_url: 'https://app.example/dashboard/plan',
        'flow_data[type]': 'subscription_update',
        'flow_data[subscription_update][subscription]': 'sub_first',
      });
      // Where Stripe lets no plan be changed, to its first page.
      const error = { type: 'invalid_request_error', message: 'not enabled' };
      harness.stripe.answers.set(PORTAL_SESSIONS, { error });
      harness.stripe.answersOnce = true;
      await checkOut(customer, PORTAL_PAGE, 'growth');
      const changes = harness.stripe.requests.map(({ form }) => 'flow_data[type]' in form);
      assert.deepEqual(changes, [true, true, false]);
    });

    for (const [status, leadsTo] of [
      ['past_due', PORTAL_PAGE],
      ['unpaid', PORTAL_PAGE],
      ['paused', PORTAL_PAGE],
      ['canceled', CHECKOUT_PAGE],
    ] as const) {
      it(`of an account whose subscription is ${status} leads to what is open, or to a new one`, async () => {
        await checkOut(await customerWith({ status }), leadsTo);
        assert.equal(harness.stripe.requests[0]?.form['flow_data[type]'], undefined);
      });
    }

    it('of a customer that Stripe has deleted is opened for a new one', async () => {
      const customer = await customerWith({ customer: `cus_gone_${Date.now()}` });
      const error = { type: 'invalid_request_error', code: 'resource_missing', param: 'customer' };
      harness.stripe.answers.set(PORTAL_SESSIONS, { error });
      assertRefused(await customer.manage(PORTAL), NO_SUBSCRIPTION);
      await checkOut(customer, CHECKOUT_PAGE);
      const { customerId } = await storedBilling(harness, customer);
      assert.doesNotMatch(customerId ?? '', /gone/);
      assert.equal(harness.stripe.requests.at(-1)?.form['customer'], customerId);
    });
  });

  it('a checkout of an account whose first customer Stripe has deleted since is opened for another', async () => {
    const customer = await customerWith();
    // Stripe repeats the answer to a creation for a day.
    const gone = { id: `cus_gone_${Date.now()}` };
    harness.stripe.answers.set('POST /v1/customers', gone);
    const error = { type: 'invalid_request_error', code: 'resource_missing', param: 'customer' };
    harness.stripe.answers.set('POST /v1/checkout/sessions', { error });
    harness.stripe.answersOnce = true;
    await checkOut(customer, CHECKOUT_PAGE);
    const { customerId } = await storedBilling(harness, customer);
    assert.notEqual(customerId, gone.id);
    assert.equal(harness.stripe.requests.at(-1)?.form['customer'], customerId);
    const keys = harness.stripe.requests.flatMap(({ route, idempotencyKey }) =>
      route === 'POST /v1/customers' ? [idempotencyKey] : [],
    );
    assert.equal(new Set(keys).size, 2);
  });

  // spec: endpoint.billing-portal
  it('the portal opens once a checkout was completed, and stays open after its subscription: the invoices are there', async () => {
    const customer = await customerWith();
    assertRefused(await customer.manage(PORTAL), NO_SUBSCRIPTION);
    await checkOut(customer, CHECKOUT_PAGE);
    const { baseUrl } = harness.service;
    await deliver(baseUrl, subscriptionEvent(customer, { kind: 'created', status: 'incomplete' }));
    assertRefused(await customer.manage(PORTAL), NO_SUBSCRIPTION);
    const { customerId } = await storedBilling(harness, customer);
    await deliver(baseUrl, checkoutEvent(customer, customerId));
    const answer = await customer.manage(PORTAL, {});
    assert.equal(answer.status, 200, answer.text);
    const form = { customer: customerId, return_url: 'https://app.example/dashboard/plan' };
    assert.deepEqual(harness.stripe.requests.at(-1)?.form, form);
    await deliver(baseUrl, subscriptionEvent(customer, { kind: 'deleted' }));
    assert.equal((await customer.manage(PORTAL)).status, 200);
  });
}
