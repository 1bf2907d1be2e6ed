import assert from 'node:assert/strict';
import { one } from './tenant.ts';
import { bodyOf, call, requireRefusal, type CallOptions } from './wire.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const unknownFile = () => `/v1/file/${crypto.randomUUID()}`;
const init = async (json: unknown) =>
  call('POST', '/v1/upload/init', { token: await one.key(), json });
const fitting = { fileName: 'a', contentType: 'text/plain', fileSizeBytes: 1 };

describe('The order of refusals', () => {
  const unauthorised: readonly [
    what: string,
    method: string,
    path: string,
    options: CallOptions,
  ][] = [
    ['malformed JSON', 'POST', '/v1/upload/init', { headers: JSON_TYPE, body: '{' }],
    [
      'a body that is too large',
      'POST',
      '/v1/keys/rotate',
      { headers: JSON_TYPE, body: `"${'a'.repeat(70_000)}"` },
    ],
    [
      'another media type',
      'POST',
      '/v1/providers',
      { headers: { 'content-type': 'text/plain' }, body: 'a' },
    ],
    ['an unknown query parameter', 'GET', '/v1/me?unknown=1', {}],
    ['an id that is none', 'GET', '/v1/file/none', {}],
    ['a provider that is none', 'DELETE', '/v1/providers/none', {}],
    ['an unknown file', 'DELETE', unknownFile(), {}],
    ['a store that is not configured', 'POST', '/v1/providers/test', { json: { provider: 'b2' } }],
  ];
  for (const [what, method, path, options] of unauthorised) {
    // spec: upload-sequence.order
    it(`puts missing credentials before ${what}`, async () => {
      requireRefusal(await call(method, path, options), 401, 'unauthorized');
    });
  }

  it('puts an invalid query before an unknown file', async () => {
    const token = await one.key();
    for (const method of ['GET', 'DELETE'])
      requireRefusal(await call(method, `${unknownFile()}?a=1`, { token }), 400, 'invalid_request');
  });

  it('puts an invalid body before an unknown file', async () => {
    const json = { fileId: crypto.randomUUID(), unknown: 1 };
    const answer = await call('POST', '/v1/upload/complete', { token: await one.key(), json });
    requireRefusal(answer, 400, 'invalid_request');
  });
});

describe('The order of refusals without any store', () => {
  before(() => one.configure());

  it('puts an invalid body before the missing stores', async () => {
    requireRefusal(await init({ ...fitting, fileSizeBytes: -1 }), 400, 'invalid_request');
    requireRefusal(await init({ ...fitting, unknown: 1 }), 400, 'invalid_request');
  });

  // spec: errors.no-providers, routing.fails-without-any-store, state.none-pending-plan
  it('says of an init that fits that no store is configured', async () => {
    for (const priority of [undefined, 'hot', 'cold', 'archive'])
      requireRefusal(await init({ ...fitting, priority }), 400, 'no_providers_configured');
  });

  // spec: upload-sequence.order
  it('puts the missing stores before a size that no store takes', async () => {
    const fileSizeBytes = 6 * 1024 ** 3;
    requireRefusal(await init({ ...fitting, fileSizeBytes }), 400, 'no_providers_configured');
  });

  // spec: upload-sequence.order
  it('puts the plan before the missing stores', async () => {
    const fileSizeBytes = await moreThanTheQuota();
    requireRefusal(await init({ ...fitting, fileSizeBytes }), 402, 'plan_limit');
  });

  it('puts an unknown file before a store that is not configured', async () => {
    const token = await one.key();
    const fileId = crypto.randomUUID();
    const complete = await call('POST', '/v1/upload/complete', { token, json: { fileId } });
    requireRefusal(complete, 404, 'file_not_found');
    for (const method of ['GET', 'DELETE'])
      requireRefusal(await call(method, unknownFile(), { token }), 404, 'file_not_found');
  });

  it('books nothing for refused calls', async () => {
    const before = await one.usage();
    await init({ ...fitting, fileSizeBytes: -1 });
    await init(fitting);
    await init({ ...fitting, fileSizeBytes: 6 * 1024 ** 3 });
    await init({ ...fitting, fileSizeBytes: await moreThanTheQuota() });
    assert.deepEqual(await one.usage(), before);
  });
});

describe('The order of refusals with stores', () => {
  before(() => one.configure('aws', 'r2', 'b2'));
  after(() => one.clear());

  // spec: errors.plan-limit, state.none-pending-plan
  it('puts the plan before a size that no store takes', async () => {
    const fileSizeBytes = await moreThanTheQuota();
    requireRefusal(await one.announce({ ...fitting, fileSizeBytes }), 402, 'plan_limit');
  });

  it('refuses a size that no store accepts, and books nothing', async () => {
    const before = await one.usage();
    const fileSizeBytes = 5_368_709_121;
    requireRefusal(await one.announce({ ...fitting, fileSizeBytes }), 400, 'file_too_large');
    assert.deepEqual(await one.usage(), before);
  });

  it('accepts a valid init', async () => {
    bodyOf(await one.announce(fitting), 201);
  });
});

/** More bytes than the monthly quota of this account. */
async function moreThanTheQuota(): Promise<number> {
  const { usage, plan } = await one.me();
  assert.ok(
    usage.gbQuota !== null && usage.gbQuota * 1e9 < Number.MAX_SAFE_INTEGER,
    `This test needs a plan with a monthly quota in gigabytes; the account's plan is ${plan}.`,
  );
  return usage.gbQuota * 1e9 + 1;
}
