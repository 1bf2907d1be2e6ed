import assert from 'node:assert/strict';
import { one } from './tenant.ts';
import { bodyOf, call, requireInvalid, requireRefusal, type Answer } from './wire.ts';

const SOLD = ['starter', 'growth'];
const NOT_SOLD = ['free', 'enterprise', 'Starter', ' growth', '', null, 1, [], '__proto__'];

describe('Billing', () => {
  const ask = (path: string, json: unknown) =>
    call('POST', `/v1/billing/${path}`, { token: one.dashboard(), json });
  /** Whether this deployment has a payment service. */
  let isSelling: boolean;

  before(async () => {
    isSelling = (await ask('portal', {})).status !== 503;
  });

  const requirePage = (answer: Answer) =>
    assert.match((bodyOf(answer, 200) as { url: string }).url, /^https?:\/\/\S+$/);

  // spec: dashboard.analytics-and-billing, endpoint.billing-checkout-plans
  it('refuses a plan that is not sold, and names the field', async () => {
    for (const plan of NOT_SOLD) requireInvalid(await ask('checkout', { plan }), '/plan');
  });

  // spec: dashboard.analytics-and-billing, endpoint.billing-checkout
  // spec: endpoint.billing-checkout-starter
  it('opens a checkout of a plan that is sold, or says that nothing is', async () => {
    for (const plan of SOLD) {
      const answer = await ask('checkout', { plan });
      if (isSelling) requirePage(answer);
      else requireRefusal(answer, 503, 'billing_not_configured');
    }
  });

  // spec: dashboard.analytics-and-billing, endpoint.billing-portal
  it('opens the portal for an account with a purchase, or answers that billing is not configured', async () => {
    const answer = await ask('portal', {});
    if (!isSelling) requireRefusal(answer, 503, 'billing_not_configured');
    else if (answer.status === 409) requireRefusal(answer, 409, 'no_subscription');
    else requirePage(answer);
  });

  it('shows the subscription, or answers that billing is not configured', async () => {
    const answer = await call('GET', '/v1/billing/subscription', { token: one.dashboard() });
    if (isSelling) bodyOf(answer, 200);
    else requireRefusal(answer, 503, 'billing_not_configured');
  });

  it('takes no event that is signed by another, or where billing is not configured', async () => {
    const json = { id: 'evt_1', type: 'customer.subscription.deleted' };
    const headers = { 'stripe-signature': 't=1,v1=x' };
    const answer = await call('POST', '/v1/billing/webhook', { headers, json });
    if (isSelling) requireRefusal(answer, 400, 'invalid_request');
    else requireRefusal(answer, 503, 'billing_not_configured');
  });

  // spec: dashboard.analytics-and-billing, endpoint.billing-checkout
  it('does not take a checkout that is open for a payment', async () => {
    const { plan } = await one.me();
    await ask('checkout', { plan: SOLD.find((sold) => sold !== plan) });
    assert.equal((await one.me()).plan, plan);
  });
});
