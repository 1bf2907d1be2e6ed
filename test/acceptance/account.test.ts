import assert from 'node:assert/strict';
import type { Me } from '../../sdk/src/index.ts';
import { one, other } from './tenant.ts';
import { bodyOf, call } from './wire.ts';

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
  for (const path of ['/health', '/ready']) {
    // spec: endpoint.health, versioning.architecture
    it(`says what it is and what it stands on (${path})`, async () => {
      assert.deepEqual(bodyOf(await call('GET', path), 200), {
        status: 'ok',
        version: '0.1',
        architecture: '2.0',
        dependencies: { mongodb: 'up', temporal: 'up' },
      });
    });
  }
});
