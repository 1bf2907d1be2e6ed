import assert from 'node:assert/strict';
import { PROVIDERS, storeAccess, type Provider } from './target.ts';
import { one } from './tenant.ts';
import { bodyOf, call, requireRefusal, type ErrorBody } from './wire.ts';

/** Values that would direct a request of the service to another host, path or port than the provider's. */
const DETOURS = [
  'evil.com/',
  'evil.com',
  'a.b',
  'x@y',
  'x:y@z',
  '127.0.0.1#',
  '127.0.0.1',
  '[::1]',
  'localhost:80',
  'a/b',
  String.raw`a\b`,
  'a?b',
  'a#b',
  'a%2eb',
  'a b',
  'a\n',
  'a\r\nHost: b',
  '..',
  '.',
  '-a',
  'é',
  '',
  'a'.repeat(64),
];

async function requireFieldRefused(store: object, field: string): Promise<void> {
  const answer = await one.save(store);
  requireRefusal(answer, 400, 'invalid_request');
  const { details = [] } = answer.json() as ErrorBody;
  assert.ok(
    details.some(({ path }) => path === `/${field}`),
    JSON.stringify(details),
  );
}

describe('What is refused of a provider', () => {
  before(() => one.configure());
  afterEach(async () => {
    const answer = await call('GET', '/v1/providers', { token: one.dashboard() });
    assert.deepEqual(bodyOf(answer, 200), { items: [] }, 'nothing of it was stored');
  });

  for (const provider of PROVIDERS) {
    // spec: credentials.region-auto
    it(`is a region that is none: ${provider}`, async () => {
      const more =
        provider === 'r2' ? ['us-east-1', 'AUTO', 'auto '] : ['auto', 'US-EAST-1', 'useast1'];
      const regions = [
        ...DETOURS,
        ...more,
        'us-east-1.evil.com',
        'us-east-1/',
        'us-east-1#',
        'us-east-1\n',
      ];
      for (const region of regions)
        await requireFieldRefused({ ...storeAccess(provider), region }, 'region');
    });

    // spec: credentials.fields
    it(`is a bucket that is none: ${provider}`, async () => {
      const names = DETOURS.filter(
        (name) => !/^[a-z0-9][a-z0-9.]+$/.test(name) || name.length > 63,
      );
      for (const bucketName of [...names, 'ab', 'UPPER', 'under_score', '../other'])
        await requireFieldRefused({ ...storeAccess(provider), bucketName }, 'bucketName');
    });

    it(`are credentials that could break out of a header: ${provider}`, async () => {
      for (const value of [
        '',
        'a\r\nb',
        'a\nb',
        'a b',
        'a\u0000b',
        'é',
        'x'.repeat(5000),
        1,
        null,
      ]) {
        await requireFieldRefused({ ...storeAccess(provider), accessKeyId: value }, 'accessKeyId');
        const secret = { ...storeAccess(provider), secretAccessKey: value };
        await requireFieldRefused(secret, 'secretAccessKey');
      }
    });

    // spec: credentials.fields
    it(`is a missing field, each of them: ${provider}`, async () => {
      for (const field of ['accessKeyId', 'secretAccessKey', 'bucketName', 'region']) {
        const { [field]: _left, ...rest } = { ...storeAccess(provider) } as Record<string, unknown>;
        await requireFieldRefused(rest, field);
      }
    });
  }

  it('is a malformed account id', async () => {
    for (const accountId of [...DETOURS, 1, null])
      await requireFieldRefused({ ...storeAccess('r2'), accountId }, 'accountId');
  });

  // spec: credentials.account-id
  it('is a missing account id, where the provider needs one', async () => {
    const { accountId: _left, ...rest } = storeAccess('r2');
    await requireFieldRefused(rest, 'accountId');
  });

  // spec: credentials.account-id
  it('is an account id, where the provider has none', async () => {
    for (const provider of ['aws', 'b2'] as const)
      await requireFieldRefused({ ...storeAccess(provider), accountId: 'abc' }, 'accountId');
  });

  it('is a jurisdiction that is none', async () => {
    for (const jurisdiction of [...DETOURS, 'EU', 'us-east-1', 'default', 'eu.evil', 1, null])
      await requireFieldRefused({ ...storeAccess('r2'), jurisdiction }, 'jurisdiction');
  });

  it('is a jurisdiction, where the provider has none', async () => {
    for (const provider of ['aws', 'b2'] as const)
      await requireFieldRefused({ ...storeAccess(provider), jurisdiction: 'eu' }, 'jurisdiction');
  });

  // spec: credentials.provider, endpoints.provider-values
  it('is a provider that there is not', async () => {
    for (const provider of ['gcs', 'AWS', '', null, 1, '__proto__', 'constructor'])
      await requireFieldRefused({ ...storeAccess('aws'), provider }, 'provider');
  });

  // spec: credentials.write-only
  it('is not said with the secrets that came with it', async () => {
    const canary = `canary-${crypto.randomUUID()}`;
    for (const broken of [
      { region: '!' },
      { unknown: canary },
      { bucketName: 'X' },
      { provider: canary },
    ]) {
      const store = {
        ...storeAccess('aws'),
        secretAccessKey: canary,
        accessKeyId: canary,
        ...broken,
      };
      const answer = await one.save(store);
      requireRefusal(answer, 400, 'invalid_request');
      assert.ok(!answer.text.includes(canary));
    }
    const headers = { 'content-type': 'application/json' };
    const body = `{"secretAccessKey":"${canary}"`;
    const answer = await call('POST', '/v1/providers', { token: one.dashboard(), headers, body });
    requireRefusal(answer, 400, 'invalid_request');
    assert.ok(!answer.text.includes(canary));
  });
});

describe('What is taken of a provider', () => {
  afterEach(() => one.configure());

  it('is every jurisdiction of r2, which is shown, and none', async () => {
    for (const jurisdiction of ['eu', 'fedramp'] as const) {
      const saved = bodyOf(await one.save({ ...storeAccess('r2'), jurisdiction }), 200);
      assert.deepEqual((saved as { jurisdiction?: string }).jurisdiction, jurisdiction);
      const listed = bodyOf(await call('GET', '/v1/providers', { token: one.dashboard() }), 200);
      assert.deepEqual(listed, { items: [saved] });
    }
    const saved = bodyOf(await one.save(storeAccess('r2')), 200);
    assert.ok(!('jurisdiction' in (saved as object)));
  });

  const regions: Readonly<Record<Provider, readonly string[]>> = {
    aws: ['us-east-1', 'eu-central-1', 'ap-southeast-2', 'us-gov-west-1', 'me-central-1'],
    r2: ['auto'],
    b2: ['us-west-004', 'eu-central-003', 'us-east-005'],
  };
  for (const provider of PROVIDERS) {
    // spec: credentials.region-auto, endpoints.provider-values
    it(`is every region that it has: ${provider}`, async () => {
      for (const region of regions[provider])
        bodyOf(await one.save({ ...storeAccess(provider), region }), 200);
    });
  }
});
