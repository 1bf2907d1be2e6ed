import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import { one, other } from './tenant.ts';
import { bodyOf, call, requireRefusal } from './wire.ts';

const UUID_V4 = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Masked {
  readonly apiKey: { masked: string; createdAt: string; lastUsedAt: string | null } | null;
}

async function rotate(options: { json?: unknown } = { json: {} }): Promise<string> {
  const answer = await call('POST', '/v1/keys/rotate', { token: one.dashboard(), ...options });
  const { newApiKey, rotatedAt, ...rest } = bodyOf(answer, 200) as Record<string, string>;
  assert.deepEqual(rest, {});
  assert.match(rotatedAt ?? '', TIME);
  one.useKey(String(newApiKey));
  return String(newApiKey);
}

async function regenerate(options: { json?: unknown } = { json: {} }): Promise<string> {
  const path = '/v1/providers/api-key/regenerate';
  const answer = await call('POST', path, { token: one.dashboard(), ...options });
  const { apiKey, createdAt, ...rest } = bodyOf(answer, 200) as Record<string, string>;
  assert.deepEqual(rest, {});
  assert.match(createdAt ?? '', TIME);
  one.useKey(String(apiKey));
  return String(apiKey);
}

async function masked(): Promise<NonNullable<Masked['apiKey']>> {
  const answer = await call('GET', '/v1/providers/api-key', { token: one.dashboard() });
  const body = bodyOf(answer, 200) as Masked;
  assert.deepEqual(Object.keys(body), ['apiKey']);
  assert.ok(body.apiKey, 'the account has a key');
  return body.apiKey;
}

const statusWith = async (key: string) => (await call('GET', '/v1/me', { token: key })).status;

describe('API keys', () => {
  before(() => one.key());

  // spec: api-key.format, rotation-result.fields
  it('are a random UUID behind the name of the mode that the service tells', async () => {
    const { keyMode } = await one.me();
    for (const key of [await rotate(), await regenerate()])
      assert.match(key, new RegExp(`^svc_${keyMode}_${UUID_V4}$`));
  });

  // spec: auth.keys-in-the-dashboard, endpoint.api-key-regenerate, endpoint.keys-rotate
  // spec: endpoints.regenerate-issues
  it('are issued for an empty object and for no body at all', async () => {
    const issued = [
      await rotate({ json: {} }),
      await rotate({}),
      await regenerate({ json: {} }),
      await regenerate({}),
    ];
    assert.equal(new Set(issued).size, 4);
    assert.equal(await statusWith(issued[3] ?? ''), 200);
  });

  for (const [name, issue] of [
    ['a rotation', rotate],
    ['a regeneration', regenerate],
  ] as const) {
    // spec: api-key.rotation-invalidates, endpoint.api-key-regenerate, endpoint.keys-rotate
    // spec: endpoints.regenerate-issues
    it(`stop working with the answer to ${name}, however often they are tried`, async () => {
      const old = await one.key();
      assert.equal(await statusWith(old), 200);
      const next = await issue();
      const statuses = await Promise.all(Array.from({ length: 20 }, () => statusWith(old)));
      assert.deepEqual(new Set(statuses), new Set([401]));
      assert.equal(await statusWith(next), 200);
    });
  }

  // spec: auth.rotation-at-once
  it('stop working on every endpoint that takes one', async () => {
    const old = await one.key();
    await rotate();
    const fileId = crypto.randomUUID();
    for (const [method, path, json] of [
      ['GET', '/v1/me', undefined],
      ['POST', '/v1/upload/init', {}],
      ['POST', '/v1/upload/complete', { fileId }],
      ['GET', `/v1/file/${fileId}`, undefined],
      ['DELETE', `/v1/file/${fileId}`, undefined],
    ] as const)
      requireRefusal(await call(method, path, { token: old, json }), 401, 'unauthorized');
  });

  // spec: api-key.one-active
  it('leave exactly one that works after many rotations at once', async () => {
    const issued = await Promise.all(
      Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? rotate() : regenerate())),
    );
    const statuses = await Promise.all(issued.map(statusWith));
    const working = issued.filter((_, index) => statuses[index] === 200);
    assert.equal(working.length, 1, `statuses were ${statuses.join(', ')}`);
    one.useKey(working[0] ?? '');
    assert.equal((await masked()).masked, mask(working[0] ?? ''));
  });

  it("do not touch another account's key when they are rotated", async () => {
    await rotate();
    assert.equal(await statusWith(await other.key()), 200);
    assert.notEqual((await one.me()).accountId, (await other.me()).accountId);
  });

  // spec: api-key.shown-masked, auth.keys-in-the-dashboard, endpoint.api-key
  it('are shown by their first twelve and last four characters only', async () => {
    const key = await rotate();
    const shown = await masked();
    assert.deepEqual(Object.keys(shown).sort(), ['createdAt', 'lastUsedAt', 'masked']);
    assert.equal(shown.masked, mask(key));
    assert.match(shown.createdAt, TIME);
    assert.ok(Math.abs(Date.parse(shown.createdAt) - Date.now()) < 60_000);
  });

  // spec: endpoint.api-key
  it('tell when they were last used, and nothing before the first use', async () => {
    const key = await rotate();
    assert.equal((await masked()).lastUsedAt, null);
    assert.equal(await statusWith(key), 200);
    const { lastUsedAt } = await eventually(async () => {
      const shown = await masked();
      assert.notEqual(shown.lastUsedAt, null, 'lastUsedAt stays null after a use');
      return shown;
    });
    assert.match(String(lastUsedAt), TIME);
    assert.ok(Math.abs(Date.parse(String(lastUsedAt)) - Date.now()) < 90_000);
  });

  it('record no use for a refused call', async () => {
    const old = await one.key();
    await rotate();
    assert.equal(await statusWith(old), 401);
    assert.equal((await masked()).lastUsedAt, null);
  });
});

function mask(key: string): string {
  return `${key.slice(0, 12)}…${key.slice(-4)}`;
}
