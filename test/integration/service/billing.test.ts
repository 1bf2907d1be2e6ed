import assert from 'node:assert/strict';
import type { Example } from '../../../api/http/examples.ts';
import { EXAMPLES } from '../../../api/routes.ts';
import { localServers, localService } from '../../servers.ts';
import { billingEventsSuite } from './billing-events.ts';
import { billingPagesSuite } from './billing-pages.ts';
import { billingPlansSuite } from './billing-plans.ts';
import { billingSubscriptionSuite } from './billing-subscription.ts';
import { billingTroubleSuite } from './billing-trouble.ts';
import {
  checkoutEvent,
  deliver,
  openBillingHarness,
  post,
  subscriptionEvent,
  type BillingHarness,
  type StripeEvent,
} from './billing-harness.ts';
import { call } from '../../harness/customer.ts';
import { openMongoProxy, type MongoProxy } from '../../harness/mongo-proxy.ts';

describe('billing', () => {
  let harness: BillingHarness;
  let line: MongoProxy | undefined;
  before(async () => {
    harness = await openBillingHarness();
  });
  after(async () => {
    await harness?.close();
    await line?.close();
  });

  billingPagesSuite(() => harness);
  billingEventsSuite(() => harness);
  billingPlansSuite(() => harness);
  billingSubscriptionSuite(() => harness);
  billingTroubleSuite(() => harness);

  it('applies an event by its repetition where the process died between taking it in and applying it', async () => {
    line = await openMongoProxy(harness.stack.environment['MONGODB_URI'] ?? '');
    const api = await harness.service.addApi({ MONGODB_URI: line.uri });
    const customer = await harness.newCustomer();
    const event = subscriptionEvent(customer);
    const stored = async () => await harness.database.read('billingEvents', { _id: event.id });
    const reached = line.stopAt({ command: 'update', collection: 'accounts', when: 'before' });
    const lost = deliver(api.url, event).then(
      () => 'answered',
      () => 'lost',
    );
    await reached;
    await api.kill('SIGKILL');
    assert.equal(await lost, 'lost');
    const [received] = await stored();
    assert.ok(received?.['receivedAt'] && !received['appliedAt'], JSON.stringify(received));
    line.mend();
    await api.restart();
    assert.equal(await harness.planOf(customer), 'free');
    await Promise.all(harness.service.apis.map(({ url }) => deliver(url, event)));
    assert.equal(await harness.planOf(customer), 'growth');
    const [applied, ...more] = await stored();
    assert.ok(applied?.['appliedAt']);
    assert.deepEqual(more, []);
  });

  it('does what the examples of its description show', async () => {
    const customer = await harness.newCustomer();
    const delivered = shown('webhook');
    await deliver(harness.service.baseUrl, delivered.body as StripeEvent);
    for (const event of [checkoutEvent(customer), subscriptionEvent(customer)])
      await deliver(harness.service.baseUrl, event);
    for (const page of ['checkout', 'portal']) {
      const { body, replies } = shown(page);
      const answer = await customer.manage(`POST /v1/billing/${page}`, body);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(Object.keys(answer.body), Object.keys(replies[200] ?? {}));
    }
  });
});

const shown = (page: string): Example =>
  EXAMPLES[`POST /v1/billing/${page}`] ?? assert.fail(`there is no example of ${page}`);

describe('without billing', () => {
  const unset = { status: 503, code: 'billing_not_configured' };
  const event = JSON.stringify({ id: 'evt_1', type: 'customer.subscription.deleted' });

  // spec: endpoint.billing-checkout
  it('its routes report it after all other errors of a call', async () => {
    const [{ baseUrl }, { stack }] = await Promise.all([localService(), localServers()]);
    const bearer = stack.identity?.issueToken({ account: 'penniless', algorithm: 'ES256' }) ?? '';
    const send = async (route: string, body: unknown, token?: string) => {
      const { status, body: said } = await call(baseUrl, route, {
        body,
        ...(token === undefined ? {} : { bearer: token }),
      });
      return { status, code: said['code'] };
    };
    const ask = (path: string, body: unknown, token?: string) =>
      send(`POST /v1/billing/${path}`, body, token);
    const SUBSCRIPTION = 'GET /v1/billing/subscription';
    const unauthorized = { status: 401, code: 'unauthorized' };
    const invalid = { status: 400, code: 'invalid_request' };
    assert.deepEqual(await ask('checkout', { plan: 'gold' }), unauthorized);
    assert.deepEqual(await ask('portal', { plan: 'gold' }), unauthorized);
    assert.deepEqual(await ask('checkout', { plan: 'gold' }, bearer), invalid);
    assert.deepEqual(await ask('portal', { plan: 'gold' }, bearer), invalid);
    assert.deepEqual(await ask('checkout', { plan: 'growth' }, bearer), unset);
    assert.deepEqual(await ask('portal', {}, bearer), unset);
    assert.deepEqual(await send(SUBSCRIPTION, undefined), unauthorized);
    assert.deepEqual(await send(`${SUBSCRIPTION}?plan=growth`, undefined, bearer), invalid);
    assert.deepEqual(await send(SUBSCRIPTION, undefined, bearer), unset);
    const delivered = await post(baseUrl, event, 't=1,v1=x');
    assert.deepEqual(
      [delivered.status, (delivered.body as { code: string }).code],
      Object.values(unset),
    );
    assert.equal((await post(baseUrl, '{}', undefined)).status, 400);
    assert.equal((await call(baseUrl, 'GET /v1/providers', { bearer })).status, 200);
  });
});
