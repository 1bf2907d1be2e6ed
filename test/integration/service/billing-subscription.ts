import assert from 'node:assert/strict';
import { EXAMPLES } from '../../../api/routes.ts';
import type { Customer } from '../../harness/customer.ts';
import {
  deliver,
  subscriptionEvent,
  type BillingHarness,
  type EventOptions,
} from './billing-harness.ts';

const SUBSCRIPTION = 'GET /v1/billing/subscription';

/** What an account is told of its subscription. */
export function billingSubscriptionSuite(worldOf: () => BillingHarness): void {
  let harness: BillingHarness;
  before(() => {
    harness = worldOf();
  });

  const send = async (customer: Customer, options: EventOptions) =>
    await deliver(harness.service.baseUrl, subscriptionEvent(customer, options));
  /** As every process of the API says. */
  const told = async (customer: Customer) => {
    const bodies = await Promise.all(
      harness.service.apis.map(async ({ url }) => {
        const answer = await customer.manage(SUBSCRIPTION, undefined, url);
        assert.equal(answer.status, 200, answer.text);
        return answer.body;
      }),
    );
    for (const body of bodies) assert.deepEqual(body, bodies[0]);
    return bodies[0]?.['subscription'];
  };

  describe('the subscription that an account is told of', () => {
    afterEach(() => {
      harness.stripe.manner = 'pass';
    });

    it('is null before the first one, then follows each event, and stays when it has ended', async () => {
      const customer = await harness.newCustomer();
      assert.equal(await told(customer), null);
      const statuses = ['incomplete', 'trialing', 'paused', 'active', 'past_due', 'unpaid'];
      for (const [at, status] of statuses.entries()) {
        await send(customer, { status, at });
        assert.deepEqual(await told(customer), { status, plan: 'growth' });
      }
      await send(customer, { kind: 'deleted', at: statuses.length });
      assert.deepEqual(await told(customer), { status: 'canceled', plan: null });
    });

    it('is the one that grants the best plan', async () => {
      const customer = await harness.newCustomer();
      await send(customer, { subscription: 'sub_late', plan: 'growth', status: 'past_due' });
      await send(customer, { subscription: 'sub_paid', plan: 'starter', status: 'active' });
      assert.deepEqual(await told(customer), { status: 'past_due', plan: 'growth' });
      await send(customer, { subscription: 'sub_late', plan: 'growth', status: 'unpaid', at: 1 });
      assert.deepEqual(await told(customer), { status: 'active', plan: 'starter' });
    });

    it('is never another account’s', async () => {
      const [customer, other] = await Promise.all([harness.newCustomer(), harness.newCustomer()]);
      await send(customer, { status: 'past_due' });
      assert.equal(await told(other), null);
      await send(other, { status: 'active', plan: 'starter' });
      assert.deepEqual(await told(customer), { status: 'past_due', plan: 'growth' });
    });

    it('is told without a call of the payment service, so also while that is away', async () => {
      const customer = await harness.newCustomer();
      harness.stripe.manner = 'cut';
      harness.stripe.requests.splice(0);
      await send(customer, { status: 'past_due' });
      assert.deepEqual(await told(customer), { status: 'past_due', plan: 'growth' });
      assert.deepEqual(harness.stripe.requests, []);
    });

    it('is told as the example of the description shows', async () => {
      const customer = await harness.newCustomer();
      await send(customer, { status: 'past_due', plan: 'growth' });
      assert.deepEqual(
        { subscription: await told(customer) },
        EXAMPLES[SUBSCRIPTION]?.replies[200],
      );
    });
  });
}
