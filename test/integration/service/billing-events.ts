import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { assertRefused, eventually, type Answer, type Customer } from '../../harness/customer.ts';
import {
  deliver,
  post,
  PRICES,
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
    harness.stripe.answers.clear();
  });

  const send = async (...events: StripeEvent[]) => {
    for (const event of events) await deliver(harness.service.baseUrl, event);
  };
  const outcomesOf = async (event: StripeEvent) =>
    (await harness.database.read('billingEvents', { _id: event.id })).map(({ outcome }) => outcome);
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
    it('without its signature changes nothing; with it, it counts by its bytes, and once', async () => {
      const customer = await harness.newCustomer();
      const event = { ...subscriptionEvent(customer), from_tomorrow: { x: ['é 日本'] } };
      const payload = JSON.stringify(event, undefined, 2);
      for (const [body, signature] of [
        [payload, undefined],
        [payload, sign(payload, 'whsec_other')],
        [JSON.stringify(event), sign(payload)],
      ] as const) {
        const answer = await post(harness.service.baseUrl, body, signature);
        assert.deepEqual(
          [answer.status, (answer.body as { code: string }).code],
          [400, 'invalid_request'],
        );
      }
      assert.deepEqual(await outcomesOf(event), []);
      assert.equal(await harness.planOf(customer), 'free');
      const urls = harness.service.apis.map(({ url }) => url);
      await Promise.all([...urls, ...urls].map((url) => deliver(url, event)));
      assert.equal(await harness.planOf(customer), 'growth');
      assert.equal((await storedBilling(harness, customer)).revision, 1);
      assert.deepEqual(await outcomesOf(event), ['applied']);
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

    it('of the second of another one is put in its order by Stripe, which is asked for the present state', async () => {
      const customer = await harness.newCustomer();
      const subscription = `sub_${customer.accountId.slice(-8)}`;
      const route = `GET /v1/subscriptions/${subscription}`;
      const items = { data: [{ price: { id: PRICES.growth } }] };
      const unpaid = subscriptionEvent(customer, { status: 'unpaid' });
      const active = subscriptionEvent(customer, { status: 'active' });
      await send(unpaid);
      harness.stripe.manner = 'cut';
      const payload = JSON.stringify(active);
      const { status } = await post(harness.service.baseUrl, payload, sign(payload));
      assert.equal(status, 503, 'Stripe will send it again');
      harness.stripe.manner = 'pass';
      harness.stripe.answers.set(route, { id: subscription, status: 'unpaid', items });
      await send(active);
      assert.deepEqual(await stateOf(customer), ['free', { status: 'unpaid', plan: 'growth' }]);
      // Paid within the same second, too.
      const paid = subscriptionEvent(customer, { status: 'active' });
      harness.stripe.answers.set(route, { id: subscription, status: 'active', items });
      await send(paid);
      assert.deepEqual(await stateOf(customer), ['growth', { status: 'active', plan: 'growth' }]);
      harness.stripe.requests.splice(0);
      await send(paid, subscriptionEvent(customer, { status: 'unpaid', at: 1 }));
      assert.equal(await harness.planOf(customer), 'free');
      assert.deepEqual(harness.stripe.requests, []);
    });

    it('with a price of no plan leaves the plan, and is logged', async () => {
      const customer = await harness.newCustomer();
      const unknown = subscriptionEvent(customer, { plan: 'unknown', at: 1 });
      await send(subscriptionEvent(customer), unknown);
      assert.equal(await harness.planOf(customer), 'growth');
      const log = async () => (await harness.service.apis[0]?.readLog()) ?? '';
      const isTold = (line: string) => line.includes(unknown.id) && line.includes('price');
      await eventually('it is logged', async () => (await log()).split('\n').some(isTold));
    });

    it('without an account is matched by its customer; one without either is stored', async () => {
      const customer = await harness.newCustomer();
      await customer.manage('POST /v1/billing/checkout', { plan: 'growth' });
      // Stripe's mock gives every account the same customer.
      const own = `cus_own_${customer.accountId}`;
      await harness.database.db
        .collection<{ _id: string }>('accounts')
        .updateOne({ _id: customer.accountId }, { $set: { 'billing.customerId': own } });
      const stray = subscriptionEvent(customer, { account: null, customer: 'cus_unknown' });
      const odd = { ...stray, id: `evt_${randomUUID()}`, data: { object: { id: 'x.y' } } };
      const other = { ...stray, id: `evt_${randomUUID()}`, type: 'invoice.paid' };
      await send(stray, odd, other);
      for (const event of [stray, odd, other])
        assert.deepEqual(await outcomesOf(event), ['ignored']);
      assert.equal(await harness.planOf(customer), 'free');
      await send(subscriptionEvent(customer, { account: null, customer: own }));
      assert.equal(await harness.planOf(customer), 'growth');
    });
  });
}

const CHECKOUT = 'POST /v1/billing/checkout';

/** What becomes of calls and events while Stripe is in trouble. Belongs last: it waits for one that hangs. */
export function billingTroubleSuite(harness: BillingHarness): void {
  let hung: Promise<Answer[]>;

  /** Two accounts, the second of which has a subscription, and all that they can ask for. */
  const createAskers = async () => {
    const [customer, known] = await Promise.all([harness.newCustomer(), harness.newCustomer()]);
    await deliver(harness.service.baseUrl, subscriptionEvent(known));
    const askAll = () =>
      Promise.all([
        customer.manage(CHECKOUT, { plan: 'growth' }),
        known.manage(CHECKOUT, { plan: 'growth' }),
        known.manage('POST /v1/billing/portal'),
      ]);
    return { customer, known, askAll };
  };
  before(async () => {
    const { customer, known, askAll } = await createAskers();
    for (const { accountId } of [customer, known]) harness.stripe.hungFor.add(accountId);
    hung = askAll();
    hung.catch(() => {});
  });
  afterEach(() => {
    harness.stripe.manner = 'pass';
  });

  describe('while Stripe is in trouble', () => {
    for (const [manner, status, code] of [
      ['cut', 503, 'unavailable'],
      ['fail', 503, 'unavailable'],
      ['refuse', 500, 'internal_error'],
    ] as const) {
      it(`(${manner}) a page is refused in time and in our own words, and events go on`, async () => {
        const { customer, askAll } = await createAskers();
        harness.stripe.manner = manner;
        for (const answer of await askAll()) {
          assertRefused(answer, { status, code });
          assert.doesNotMatch(answer.text, /stripe|hunter2|sk_/i);
        }
        await deliver(harness.service.baseUrl, subscriptionEvent(customer));
        assert.equal(await harness.planOf(customer), 'growth');
        const log = (await harness.service.apis[0]?.readLog()) ?? '';
        assert.doesNotMatch(log, /hunter2/);
      });
    }

    it('(hang) a page is refused in time', async () => {
      for (const answer of await hung) assertRefused(answer, { status: 503, code: 'unavailable' });
    });
  });
}
