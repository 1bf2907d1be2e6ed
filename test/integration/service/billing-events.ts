import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  deliver,
  post,
  sign,
  storedBilling,
  subscriptionEvent,
  type BillingHarness,
  type StripeEvent,
  type EventOptions,
} from './billing-harness.ts';

const MEBIBYTE = 1024 * 1024;

/** Stripe's events in any order and number, and their effects. */
export function billingEventsSuite(worldOf: () => BillingHarness): void {
  let harness: BillingHarness;
  let urls: string[];
  before(() => {
    harness = worldOf();
    urls = harness.service.apis.map(({ url }) => url);
  });

  const at = (index: number) => urls[index % urls.length] ?? '';
  const send = async (...events: StripeEvent[]) => {
    for (const event of events) await deliver(at(0), event);
  };
  const sendAtOnce = async (events: readonly StripeEvent[]) =>
    await Promise.all(events.map((event, index) => deliver(at(index), event)));
  const eventsOf = async (event: StripeEvent) =>
    await harness.database.read('billingEvents', { _id: event.id });

  describe('an event', () => {
    it('without its signature changes nothing', async () => {
      const customer = await harness.newCustomer();
      const event = subscriptionEvent(customer);
      const payload = JSON.stringify(event);
      const altered = payload.replace('active', 'Active');
      const now = Math.floor(Date.now() / 1_000);
      const bad: [body: string, signature: string | undefined][] = [
        [payload, undefined],
        [payload, ''],
        [payload, 'nonsense'],
        [payload, 't=1,v1='],
        [payload, sign(payload, { secret: 'whsec_other' })],
        [payload, sign(payload, { timestamp: now - 310 })],
        [altered, sign(payload)],
        [`${payload} `, sign(payload)],
      ];
      for (const [body, signature] of bad) {
        const answer = await post(at(0), body, signature);
        assert.equal(answer.status, 400, `${signature}`);
        assert.equal((answer.body as { code: string }).code, 'invalid_request');
      }
      assert.deepEqual(await eventsOf(event), []);
      assert.equal(await harness.planOf(customer), 'free');
      const late = sign(payload, { timestamp: now - 290 });
      assert.equal((await post(at(0), payload, late)).status, 200);
      assert.equal(await harness.planOf(customer), 'growth');
    });

    it('may be a mebibyte long and contain unknown fields', async () => {
      const customer = await harness.newCustomer();
      const event = { ...subscriptionEvent(customer), from_tomorrow: { x: [1] }, padding: '' };
      const rest = MEBIBYTE - JSON.stringify(event).length;
      const largest = JSON.stringify({
        ...event,
        padding: 'é'.repeat(rest >> 1) + 'x'.repeat(rest % 2),
      });
      assert.equal(Buffer.byteLength(largest), MEBIBYTE);
      assert.equal((await post(at(0), `${largest} `, sign(`${largest} `))).status, 413);
      assert.equal(await harness.planOf(customer), 'free');
      assert.equal((await post(at(0), largest, sign(largest))).status, 200);
      assert.equal(await harness.planOf(customer), 'growth');
    });

    it('delivered twenty times at once is applied once', async () => {
      const customer = await harness.newCustomer();
      const event = subscriptionEvent(customer);
      await sendAtOnce(Array.from({ length: 20 }, () => event));
      assert.equal(await harness.planOf(customer), 'growth');
      assert.equal((await storedBilling(harness, customer)).revision, 1);
      const [row, ...others] = await eventsOf(event);
      assert.deepEqual(others, []);
      assert.equal(row?.['outcome'], 'applied');
    });

    it('among twenty at once counts by when it happened', async () => {
      const customer = await harness.newCustomer();
      const options: EventOptions[] = Array.from({ length: 20 }, (_, index) => ({
        at: index,
        status: index % 3 === 0 ? 'unpaid' : 'active',
        plan: index % 2 === 0 ? 'growth' : 'starter',
      }));
      const events = options.map((each) => subscriptionEvent(customer, each));
      const order = events.map((event, index) => [(index * 7) % 20, event] as const);
      await sendAtOnce(order.sort(([a], [b]) => a - b).map(([, event]) => event));
      assert.equal(await harness.planOf(customer), 'starter');
      await sendAtOnce(events.toReversed());
      assert.equal(await harness.planOf(customer), 'starter');
    });

    it('that a process died over is finished by its next delivery', async () => {
      const customer = await harness.newCustomer();
      const [first, second] = [{ status: 'active' }, { status: 'unpaid' }].map((options) =>
        subscriptionEvent(customer, options),
      );
      assert.ok(first && second);
      await harness.database.db
        .collection<{ _id: string; type: string; receivedAt: Date }>('billingEvents')
        .insertOne({ _id: first.id, type: first.type, receivedAt: new Date() });
      await send(second, first);
      assert.equal(await harness.planOf(customer), 'free', 'it had arrived before the other one');
      const [row] = await eventsOf(first);
      assert.equal(row?.['outcome'], 'applied');
    });

    it('after the end of a subscription does not bring it back', async () => {
      const customer = await harness.newCustomer();
      const late = subscriptionEvent(customer, { at: 9 });
      await send(
        subscriptionEvent(customer),
        subscriptionEvent(customer, { kind: 'deleted', at: 5 }),
      );
      assert.equal(await harness.planOf(customer), 'free');
      await send(late, subscriptionEvent(customer, { kind: 'created', at: 10 }));
      assert.equal(await harness.planOf(customer), 'free');
    });

    it('of each status keeps the plan or ends it', async () => {
      const customer = await harness.newCustomer();
      const statuses = {
        trialing: 'growth',
        unpaid: 'free',
        active: 'growth',
        past_due: 'growth',
        canceled: 'free',
        incomplete: 'free',
        incomplete_expired: 'free',
        paused: 'free',
      };
      for (const [index, [status, plan]] of Object.entries(statuses).entries()) {
        await send(subscriptionEvent(customer, { status, at: index }));
        assert.equal(await harness.planOf(customer), plan, status);
      }
    });

    it('of a second subscription counts beside the first', async () => {
      const customer = await harness.newCustomer();
      const [one, two] = ['sub_one', 'sub_two'];
      await send(
        subscriptionEvent(customer, { subscription: two, plan: 'growth' }),
        subscriptionEvent(customer, { subscription: one, plan: 'starter' }),
      );
      assert.equal(await harness.planOf(customer), 'growth');
      await harness.untilLogged((line) => line.includes('pays more than once'));
      await send(subscriptionEvent(customer, { subscription: two, kind: 'deleted' }));
      assert.equal(await harness.planOf(customer), 'starter');
    });

    it('never lowers what the operator has given', async () => {
      const customer = await harness.newCustomer();
      const { accountId } = customer;
      await harness.database.db
        .collection<{ _id: string }>('accounts')
        .updateOne({ _id: accountId }, { $set: { plan: 'enterprise' } });
      await send(
        subscriptionEvent(customer, { status: 'incomplete_expired' }),
        subscriptionEvent(customer, { plan: 'starter', at: 1 }),
        subscriptionEvent(customer, { kind: 'deleted', at: 2 }),
      );
      assert.equal(await harness.planOf(customer), 'enterprise');
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
      await harness.database.db
        .collection<{ _id: string }>('accounts')
        .updateOne({ _id: customer.accountId }, { $set: { 'billing.customerId': own } });
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
