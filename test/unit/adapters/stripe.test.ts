import assert from 'node:assert/strict';
import StripeClient from 'stripe';
import { StripeBilling } from '../../../adapters/billing/stripe.ts';
import { toBillingEvent } from '../../../adapters/billing/stripe-events.ts';

const PRICES = { starter: 'price_s', growth: 'price_g' };
const SECRET = 'whsec_1';

const billing = new StripeBilling(
  { secretKey: 'sk_test_1', webhookSecret: SECRET, prices: PRICES, apiUrl: undefined },
  { dashboardOrigin: undefined, timeoutMs: 200 },
);

/** Its signature, its fields and their effects: `test/integration/service/billing-events.ts`. */
describe('an event of Stripe', () => {
  const object = {
    id: 'sub_1',
    status: 'active',
    customer: 'cus_1',
    metadata: { accountId: 'acme' },
    items: { data: [{ price: { id: 'price_g' } }] },
  };
  const type = 'customer.subscription.updated';
  const event = { id: 'evt_1', type, created: 1_790_000_000, data: { object } };
  const read = (fields: object, type = event.type) =>
    toBillingEvent({ ...event, type, data: { object: { ...object, ...fields } } }, PRICES);

  it('is taken up to five minutes after it was signed', () => {
    const payload = JSON.stringify(event);
    const take = (age: number) => {
      const timestamp = Math.floor(Date.now() / 1_000) - age;
      const signed = { payload, secret: SECRET, timestamp };
      return billing.verify(payload, StripeClient.webhooks.generateTestHeaderString(signed));
    };
    take(290);
    assert.throws(() => take(310), { code: 'invalid_request' });
  });

  it('has its moment, and may carry its customer whole, several prices, or none of ours', () => {
    const whole = read({ customer: { id: 'cus_2' }, metadata: null });
    assert.ok(whole.about === 'subscription');
    assert.deepEqual([whole.accountId, whole.customerId], [undefined, 'cus_2']);
    assert.deepEqual(whole.change.happenedAt, new Date(1_790_000_000_000));
    const planOf = (...ids: string[]) => {
      const told = read({ items: { data: ids.map((id) => ({ price: { id } })) } });
      return told.about === 'subscription' ? told.change.plan : assert.fail();
    };
    const plans = [planOf('price_x', 'price_s'), planOf('price_s', 'price_g'), planOf('price_x')];
    assert.deepEqual([...plans, planOf()], ['starter', 'growth', undefined, undefined]);
  });

  it('that makes no sense is told apart from one that is of no concern', () => {
    const ids = ['x', 'sub_1.status', '$where', 7].map((id) => ({ id }));
    for (const odd of [...ids, { status: 'new' }, { status: undefined }])
      assert.equal(read(odd).about, 'unreadable');
    const data = [null, {}, { object: [] }, 'text'].map((each) => ({ data: each }));
    for (const odd of [...data, { created: 'now' }])
      assert.equal(toBillingEvent({ ...event, ...odd }, PRICES).about, 'unreadable');
    assert.equal(read({}, 'invoice.paid').about, 'other');
    const completed = 'checkout.session.completed';
    assert.equal(read({ mode: 'payment' }, completed).about, 'other');
    assert.equal(read({ mode: 'subscription' }, completed).about, 'checkout');
  });
});
