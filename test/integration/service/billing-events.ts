import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Customer } from '../../harness/customer.ts';
import {
  deliver,
  post,
  sign,
  storedBilling,
  subscriptionEvent,
  type BillingHarness,
  type StripeEvent,
} from './billing-harness.ts';

/**
 * Stripe's events and their effects, as every process of the API shows them. Their order and number:
 * `unit/domain/subscription`; the deaths of a process over them: `adapters/billing-events`.
 */
export function billingEventsSuite(harness: BillingHarness): void {
  afterEach(() => {
    harness.stripe.manner = 'pass';
  });

  const send = async (...events: StripeEvent[]) => {
    for (const event of events) await deliver(harness.service.baseUrl, event);
  };
  const eventsOf = async (event: StripeEvent) =>
    await harness.database.read('billingEvents', { _id: event.id });
  const setOnAccount = async ({ accountId }: Customer, fields: object) =>
    await harness.database.db
      .collection<{ _id: string }>('accounts')
      .updateOne({ _id: accountId }, { $set: fields });
  /** The plan, and what the account is told of its subscription. */
  const stateOf = async (customer: Customer) => [
    await harness.planOf(customer),
    await harness.agreed(async (url) => {
      const answer = await customer.manage('GET /v1/billing/subscription', undefined, url);
      assert.equal(answer.status, 200, answer.text);
      return answer.body['subscription'];
    }),
  ];

  describe('an event', () => {
    it('without its signature changes nothing; with it, it counts by its bytes', async () => {
      const customer = await harness.newCustomer();
      const event = { ...subscriptionEvent(customer), from_tomorrow: { x: ['é 日本'] } };
      const payload = JSON.stringify(event, undefined, 2);
      for (const [body, signature] of [
        [payload, undefined],
        [payload, sign(payload, { secret: 'whsec_other' })],
        [JSON.stringify(event), sign(payload)],
      ] as const) {
        const answer = await post(harness.service.baseUrl, body, signature);
        assert.deepEqual(
          [answer.status, (answer.body as { code: string }).code],
          [400, 'invalid_request'],
        );
      }
      assert.deepEqual(await eventsOf(event), []);
      assert.equal(await harness.planOf(customer), 'free');
      await send(event);
      assert.equal(await harness.planOf(customer), 'growth');
    });

    it('delivered twenty times at once is applied once', async () => {
      const customer = await harness.newCustomer();
      const event = subscriptionEvent(customer);
      const { apis } = harness.service;
      await Promise.all(
        Array.from({ length: 20 }, (_, at) => deliver(apis[at % 2]?.url ?? '', event)),
      );
      assert.equal(await harness.planOf(customer), 'growth');
      assert.equal((await storedBilling(harness, customer)).revision, 1);
      const outcomes = (await eventsOf(event)).map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, ['applied']);
    });

    it('of each status keeps the plan or ends it, and is told to its account alone, without asking Stripe', async () => {
      const [customer, other] = await Promise.all([harness.newCustomer(), harness.newCustomer()]);
      harness.stripe.manner = 'cut';
      harness.stripe.requests.splice(0);
      assert.deepEqual(await stateOf(customer), ['free', null]);
      for (const [at, [status, plan]] of Object.entries({
        incomplete: 'free',
        trialing: 'growth',
        paused: 'free',
        active: 'growth',
        unpaid: 'free',
        past_due: 'growth',
      }).entries()) {
        await send(subscriptionEvent(customer, { status, at }));
        assert.deepEqual(await stateOf(customer), [plan, { status, plan: 'growth' }]);
      }
      await send(subscriptionEvent(customer, { kind: 'deleted', at: 9 }));
      assert.deepEqual(await stateOf(customer), ['free', { status: 'canceled', plan: null }]);
      assert.deepEqual(await stateOf(other), ['free', null]);
      assert.deepEqual(harness.stripe.requests, []);
    });

    it('with a price of no plan leaves the plan, and is logged', async () => {
      const customer = await harness.newCustomer();
      const unknown = subscriptionEvent(customer, { plan: 'unknown', at: 1 });
      await send(subscriptionEvent(customer), unknown);
      assert.equal(await harness.planOf(customer), 'growth');
      await harness.untilLogged((line) => line.includes(unknown.id) && line.includes('price'));
    });

    it('without an account is matched by its customer; one without either is stored', async () => {
      const customer = await harness.newCustomer();
      await customer.manage('POST /v1/billing/checkout', { plan: 'growth' });
      const own = `cus_own_${customer.accountId}`;
      await setOnAccount(customer, { 'billing.customerId': own });
      const stray = subscriptionEvent(customer, { account: null, customer: 'cus_unknown' });
      const odd = { ...stray, id: `evt_${randomUUID()}`, data: { object: { id: 'x.y' } } };
      const other = { ...stray, id: `evt_${randomUUID()}`, type: 'invoice.paid' };
      await send(stray, odd, other);
      for (const event of [stray, odd, other])
        assert.equal((await eventsOf(event))[0]?.['outcome'], 'ignored');
      assert.equal(await harness.planOf(customer), 'free');
      await send(subscriptionEvent(customer, { account: null, customer: own }));
      assert.equal(await harness.planOf(customer), 'growth');
    });
  });
}
