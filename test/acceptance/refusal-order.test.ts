import assert from 'node:assert/strict';
import { one } from './tenant.ts';
import { bodyOf, call, requireRefusal, type CallOptions } from './wire.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const TEXT_TYPE = { 'content-type': 'text/plain' };
const LARGE = `"${'a'.repeat(70_000)}"`;
const unknownFile = () => `/v1/file/${crypto.randomUUID()}`;
const FITTING = { fileName: 'a', contentType: 'text/plain', fileSizeBytes: 1 };

const UNAUTHORISED: readonly [what: string, method: string, path: string, CallOptions?][] = [
  ['malformed JSON', 'POST', '/v1/upload/init', { headers: JSON_TYPE, body: '{' }],
  ['a body that is too large', 'POST', '/v1/keys/rotate', { headers: JSON_TYPE, body: LARGE }],
  ['another media type', 'POST', '/v1/providers', { headers: TEXT_TYPE, body: 'a' }],
  ['an unknown query parameter', 'GET', '/v1/me?unknown=1'],
  ['an id that is none', 'GET', '/v1/file/none'],
  ['a provider that is none', 'DELETE', '/v1/providers/none'],
  ['an unknown file', 'DELETE', unknownFile()],
  ['a store that is not configured', 'POST', '/v1/providers/test', { json: { provider: 'b2' } }],
];

/** What is wrong with an init, and how it is refused without any store. */
const WITHOUT_STORES: readonly [what: string, change: object, status: number, code: string][] = [
  ['a size that is none', { fileSizeBytes: -1 }, 400, 'invalid_request'],
  ['an unknown field', { unknown: 1 }, 400, 'invalid_request'],
  ['nothing', {}, 400, 'no_providers_configured'],
  ['nothing (hot)', { priority: 'hot' }, 400, 'no_providers_configured'],
  ['nothing (cold)', { priority: 'cold' }, 400, 'no_providers_configured'],
  ['nothing (archive)', { priority: 'archive' }, 400, 'no_providers_configured'],
  ['too large a size', { fileSizeBytes: 6 * 1024 ** 3 }, 400, 'no_providers_configured'],
];

/** More bytes than the monthly quota of this account. */
async function moreThanTheQuota(): Promise<number> {
  const { usage, plan } = await one.me();
  assert.ok(
    usage.gbQuota !== null && usage.gbQuota * 1e9 < Number.MAX_SAFE_INTEGER,
    `This test needs a plan with a monthly quota in gigabytes; the account's plan is ${plan}.`,
  );
  return usage.gbQuota * 1e9 + 1;
}

describe('The order of refusals', () => {
  for (const [what, method, path, options] of UNAUTHORISED) {
    // spec: upload-sequence.order
    it(`puts missing credentials before ${what}`, async () => {
      requireRefusal(await call(method, path, options), 401, 'unauthorized');
    });
  }

  it('puts an invalid query or body before an unknown file', async () => {
    const token = await one.key();
    for (const method of ['GET', 'DELETE'])
      requireRefusal(await call(method, `${unknownFile()}?a=1`, { token }), 400, 'invalid_request');
    const json = { fileId: crypto.randomUUID(), unknown: 1 };
    const answer = await call('POST', '/v1/upload/complete', { token, json });
    requireRefusal(answer, 400, 'invalid_request');
  });
});

describe('The order of refusals without any store', () => {
  before(() => one.configure());

  for (const [what, change, status, code] of WITHOUT_STORES) {
    // spec: errors.no-providers, routing.fails-without-any-store, state.none-pending-plan
    // spec: upload-sequence.order
    it(`answers an init with ${what} by ${code}, and books nothing`, async () => {
      const before = await one.usage();
      requireRefusal(await one.announce({ ...FITTING, ...change }), status, code);
      assert.deepEqual(await one.usage(), before);
    });
  }

  // spec: upload-sequence.order
  it('puts the plan before the missing stores, and books nothing', async () => {
    const before = await one.usage();
    const fileSizeBytes = await moreThanTheQuota();
    requireRefusal(await one.announce({ ...FITTING, fileSizeBytes }), 402, 'plan_limit');
    assert.deepEqual(await one.usage(), before);
  });

  it('puts an unknown file before a store that is not configured', async () => {
    const fileId = crypto.randomUUID();
    for (const ask of [one.complete, one.get, one.delete])
      requireRefusal(await ask(fileId), 404, 'file_not_found');
  });
});

describe('The order of refusals with stores', () => {
  before(() => one.configure('aws', 'r2', 'b2'));
  after(() => one.clear());

  // spec: errors.plan-limit, state.none-pending-plan
  it('puts the plan before a size that no store takes; neither books anything', async () => {
    const before = await one.usage();
    const large = await one.announce({ ...FITTING, fileSizeBytes: await moreThanTheQuota() });
    requireRefusal(large, 402, 'plan_limit');
    const refused = await one.announce({ ...FITTING, fileSizeBytes: 5_368_709_121 });
    requireRefusal(refused, 400, 'file_too_large');
    assert.deepEqual(await one.usage(), before);
    bodyOf(await one.announce(FITTING), 201);
  });
});
