import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import { one, other } from './tenant.ts';
import { bodyOf, call, requireRecent } from './wire.ts';

const UUID_V4 = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';

interface Shown {
  readonly masked: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

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
