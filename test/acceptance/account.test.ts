import assert from 'node:assert/strict';
import type { Me } from '../../sdk/src/index.ts';
import { eventually } from './eventually.ts';
import { one, other } from './tenant.ts';
import { bodyOf, call, requireInvalid, requireRecent, requireRefusal } from './wire.ts';

const QUOTAS = {
  free: [10, 1_000],
  starter: [500, 50_000],
  growth: [10_000, 1_000_000],
  enterprise: [null, null],
} as const;

describe('Who am I', () => {
  before(() => one.configure('aws', 'b2'));

  // spec: endpoint.me, limits.plan-quotas, plans.entitlements, scan.further-fields
  it('is an account with its stores, its plan, its quotas and the UTC month', async () => {
    const { accountId, keyMode, plan, providers, usage } = await one.me();
    assert.ok(accountId.length > 0);
    assert.ok(['live', 'test'].includes(keyMode));
    assert.deepEqual(providers, ['aws', 'b2']);
    assert.deepEqual([usage.gbQuota, usage.uploadQuota], QUOTAS[plan]);
    assert.equal(usage.period, new Date().toISOString().slice(0, 7));
  });

  // spec: endpoint.me
  it('is the same answer for a dashboard token, and another one for another account', async () => {
    const read = async (token: string) =>
      bodyOf(await call('GET', '/v1/account', { token }), 200) as Me;
    assert.deepEqual(await read(one.dashboard()), await one.me());
    assert.deepEqual(await read(other.dashboard()), await other.me());
    assert.notEqual((await one.me()).accountId, (await other.me()).accountId);
  });
});

describe('Health', () => {
  // spec: endpoint.health, versioning.architecture
  it('says what it is and what it stands on, at both paths', async () => {
    for (const path of ['/health', '/ready'])
      assert.deepEqual(bodyOf(await call('GET', path), 200), {
        status: 'ok',
        version: '0.1',
        architecture: '2.0',
        dependencies: { mongodb: 'up', temporal: 'up' },
        clock: 'ok',
      });
  });
});

const UUID_V4 = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';

type Shown = Readonly<Record<'masked' | 'createdAt' | 'lastUsedAt', string | null>>;

/** Does not make a rotation give the same key again. */
const REPEATED = { 'idempotency-key': crypto.randomUUID() };
/** Issues a key with this body, by each of the two ways. */
const ISSUE = {
  rotation: async (options: { json?: unknown } = { json: {} }) => {
    const given = { token: one.dashboard(), headers: REPEATED, ...options };
    const answer = await call('POST', '/v1/keys/rotate', given);
    const { newApiKey = '', rotatedAt } = bodyOf(answer, 200) as Record<string, string>;
    return issued(newApiKey, rotatedAt);
  },
  regeneration: async (options: { json?: unknown } = { json: {} }) => {
    const path = '/v1/providers/api-key/regenerate';
    const answer = await call('POST', path, { token: one.dashboard(), ...options });
    const { apiKey = '', createdAt } = bodyOf(answer, 200) as Record<string, string>;
    return issued(apiKey, createdAt);
  },
} as const;

function issued(key: string, at: string | undefined): string {
  requireRecent(at);
  one.useKey(key);
  return key;
}

async function shown(): Promise<Shown> {
  const answer = await call('GET', '/v1/providers/api-key', { token: one.dashboard() });
  const { apiKey } = bodyOf(answer, 200) as { apiKey: Shown | null };
  return apiKey ?? assert.fail('the account has no key');
}

const statusWith = async (token: string) => (await call('GET', '/v1/me', { token })).status;

describe('API keys', () => {
  before(() => one.key());

  for (const [name, issue] of Object.entries(ISSUE)) {
    // spec: api-key.format, api-key.rotation-invalidates, auth.keys-in-the-dashboard
    // spec: endpoint.api-key-regenerate, endpoint.keys-rotate, endpoints.regenerate-issues
    // spec: retries.no-idempotency-key, retries.rotate, rotation-result.fields
    // spec: versioning.not-in-v1
    it(`are issued by ${name}, for an empty object or no body, and stop working with its answer`, async () => {
      const { keyMode } = await one.me();
      for (const options of [{ json: {} }, {}]) {
        const old = await one.key();
        assert.equal(await statusWith(old), 200);
        const next = await issue(options);
        assert.match(next, new RegExp(`^svc_${keyMode}_${UUID_V4}$`));
        assert.notEqual(next, old);
        const statuses = await Promise.all(Array.from({ length: 20 }, () => statusWith(old)));
        assert.deepEqual(new Set(statuses), new Set([401]));
        assert.equal(await statusWith(next), 200);
      }
    });
  }

  // spec: api-key.one-active, auth.rotation-at-once
  it('leave exactly one that works after many at once, and the key of another account', async () => {
    const { rotation, regeneration } = ISSUE;
    const keys = await Promise.all(
      Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? rotation() : regeneration())),
    );
    const statuses = await Promise.all(keys.map(statusWith));
    const [working = '', ...more] = keys.filter((_, index) => statuses[index] === 200);
    assert.deepEqual(more, [], `statuses were ${statuses.join(', ')}`);
    one.useKey(working);
    assert.equal((await shown()).masked, mask(working));
    assert.equal(await statusWith(await other.key()), 200);
  });

  // spec: api-key.shown-masked, dashboard.api-key-view, auth.keys-in-the-dashboard, endpoint.api-key
  it('are shown by twelve first and four last characters, with the time of their last use', async () => {
    const old = await one.key();
    const key = await ISSUE.rotation();
    assert.equal(await statusWith(old), 401);
    const { masked, createdAt, lastUsedAt } = await shown();
    assert.equal(masked, mask(key));
    requireRecent(createdAt);
    assert.equal(lastUsedAt, null, 'a refused call is no use');
    assert.equal(await statusWith(key), 200);
    await eventually(async () => requireRecent((await shown()).lastUsedAt));
  });
});

function mask(key: string): string {
  return `${key.slice(0, 12)}…${key.slice(-4)}`;
}

describe('Billing', () => {
  const token = one.dashboard;
  const checkOut = (plan: unknown) =>
    call('POST', '/v1/billing/checkout', { token: token(), json: { plan } });

  // spec: dashboard.analytics-and-billing, endpoint.billing-checkout-plans
  it('refuses a plan that is not sold, and names the field', async () => {
    for (const plan of ['free', 'enterprise', 'Starter', ' growth', '', null, 1, [], '__proto__'])
      requireInvalid(await checkOut(plan), '/plan');
  });

  // spec: dashboard.analytics-and-billing, endpoint.billing-checkout
  // spec: endpoint.billing-checkout-starter, endpoint.billing-portal
  it('opens pages and takes signed events, or says of each call that nothing is sold', async () => {
    const before = (await one.me()).plan;
    const json = { id: 'evt_1', type: 'customer.subscription.deleted' };
    const headers = { 'stripe-signature': 't=1,v1=x' };
    const [unsigned, subscription, portal, ...checkouts] = [
      await call('POST', '/v1/billing/webhook', { headers, json }),
      await call('GET', '/v1/billing/subscription', { token: token() }),
      await call('POST', '/v1/billing/portal', { token: token(), json: {} }),
      await checkOut('starter'),
      await checkOut('growth'),
    ];
    if (portal.status === 503)
      for (const answer of [unsigned, subscription, portal, ...checkouts])
        requireRefusal(answer, 503, 'billing_not_configured');
    else {
      requireRefusal(unsigned, 400, 'invalid_request');
      bodyOf(subscription, 200);
      // Without a purchase there is no portal.
      if (portal.status === 409) requireRefusal(portal, 409, 'no_subscription');
      else checkouts.push(portal);
      for (const answer of checkouts)
        assert.match((bodyOf(answer, 200) as { url: string }).url, /^https?:\/\/\S+$/);
    }
    assert.equal((await one.me()).plan, before, 'an open checkout is no payment');
  });
});
