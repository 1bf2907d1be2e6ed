import assert from 'node:assert/strict';
import StripeClient from 'stripe';
import { createStripeBilling } from '../../../adapters/billing/stripe.ts';
import { toBillingEvent } from '../../../adapters/billing/stripe-events.ts';

const PRICES = { starter: 'price_s', growth: 'price_g' };
const SECRET = 'whsec_1';

const billing = createStripeBilling(
  { secretKey: 'sk_test_1', webhookSecret: SECRET, prices: PRICES, apiUrl: undefined },
  { dashboardOrigin: undefined, timeoutMs: 200 },
);

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

  it('is taken with the right signature only, and not after five minutes', () => {
    const payload = JSON.stringify(event);
    const signed = (age: number, secret = SECRET) =>
      StripeClient.webhooks.generateTestHeaderString({
        payload,
        secret,
        timestamp: Math.floor(Date.now() / 1_000) - age,
      });
    const take = (signature: string, body = payload) => billing.verify(body, signature);
    take(signed(290));
    for (const [signature, body] of [
      [signed(310)],
      [signed(0, 'whsec_2')],
      [''],
      [signed(0), payload.replace('acme', 'acmf')],
    ] as [string, string?][])
      assert.throws(() => take(signature, body), { code: 'invalid_request' });
  });

  it('is read by its fields', () => {
    const owner = { accountId: 'acme', customerId: 'cus_1', priceIds: ['price_g'] };
    const state = { subscriptionId: 'sub_1', status: 'active', plan: 'growth' };
    const happenedAt = new Date(1_790_000_000_000);
    assert.deepEqual(read({}), {
      eventId: 'evt_1',
      type: 'customer.subscription.updated',
      about: 'subscription',
      ...owner,
      change: { eventId: 'evt_1', kind: 'updated', happenedAt, ...state },
    });
  });

  it('may carry its customer whole, several prices, or none of ours', () => {
    const whole = read({ customer: { id: 'cus_2' }, metadata: null });
    assert.ok(whole.about === 'subscription');
    assert.deepEqual([whole.accountId, whole.customerId], [undefined, 'cus_2']);
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
