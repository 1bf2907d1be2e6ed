import assert from 'node:assert/strict';
import { localServers, localService } from '../../servers.ts';
import { call } from '../../harness/customer.ts';
import { billingEventsSuite } from './billing-events.ts';
import { openBillingHarness, post, type BillingHarness } from './billing-harness.ts';
import { billingPagesSuite } from './billing-pages.ts';
import { billingPlansSuite } from './billing-plans.ts';
import { billingTroubleSuite } from './billing-trouble.ts';

describe('billing', () => {
  let harness: BillingHarness;
  before(async () => {
    harness = await openBillingHarness();
  });
  after(() => harness?.close());

  billingPagesSuite(() => harness);
  billingEventsSuite(() => harness);
  billingPlansSuite(() => harness);
  billingTroubleSuite(() => harness);
});

describe('without billing', () => {
  // spec: endpoint.billing-checkout
  it('its routes report it after all other errors of a call', async () => {
    const [{ baseUrl }, { stack }] = await Promise.all([localService(), localServers()]);
    const token = stack.identity?.issueToken({ account: 'penniless', algorithm: 'ES256' }) ?? '';
    const codeOf = async (route: string, body?: unknown, bearer = token) => {
      const answer = await call(baseUrl, route.replace('/', '/v1/billing/'), { body, bearer });
      return answer.body['code'];
    };
    for (const [route, wrong, right] of [
      ['POST /checkout', { plan: 'gold' }, { plan: 'growth' }],
      ['POST /portal', { plan: 'gold' }, {}],
    ] as const) {
      assert.equal(await codeOf(route, wrong, 'none'), 'unauthorized');
      assert.equal(await codeOf(route, wrong), 'invalid_request');
      assert.equal(await codeOf(route, right), 'billing_not_configured');
    }
    assert.equal(await codeOf('GET /subscription', undefined, 'none'), 'unauthorized');
    assert.equal(await codeOf('GET /subscription?plan=growth'), 'invalid_request');
    assert.equal(await codeOf('GET /subscription'), 'billing_not_configured');
    const event = JSON.stringify({ id: 'evt_1', type: 'customer.subscription.deleted' });
    const { status, body } = await post(baseUrl, event, 't=1,v1=x');
    assert.deepEqual([status, (body as { code: string }).code], [503, 'billing_not_configured']);
    assert.equal((await post(baseUrl, '{}', undefined)).status, 400);
    assert.equal((await call(baseUrl, 'GET /v1/providers', { bearer: token })).status, 200);
  });
});
