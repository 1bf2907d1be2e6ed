import assert from 'node:assert/strict';
import { PROVIDERS, storeAccess, type Provider } from './target.ts';
import { one } from './tenant.ts';
import { bodyOf, call, requireInvalid, requireRefusal } from './wire.ts';

/**
 * Values that would direct a request of the service to another host, path or port than the provider's. What passes stays
 * below the provider's domain: `integration/owasp/api7`.
 */
const DETOURS = [
  'evil.com/',
  'a.b',
  'x:y@z',
  '127.0.0.1#',
  '127.0.0.1',
  '169.254.169.254',
  '[::1]',
  'localhost:80',
  String.raw`a\b`,
  'a?b',
  'a%2eb',
  'a b',
  'a\n',
  'a\r\nHost: b',
  'a\u0000',
  '..',
  '../..',
  '-a',
  'é',
  '\u2025',
  '\uff0e',
  '',
  'a'.repeat(64),
];
const REGIONS = ['us-east-1.evil.com', 'us-east-1/', 'us-east-1#', 'us-east-1\n', 'US-EAST-1'];
const BUCKETS = ['ab', 'UPPER', 'under_score', '../other'];
const CREDENTIALS = ['', 'a\r\nb', 'a\nb', 'a b', 'a\u0000b', 'é', 'x'.repeat(5000), 1, null];
const VALID_BUCKET = /^[a-z0-9][a-z0-9.]+$/;

/** Wrong values of each field, the same for each provider. */
const REFUSED: Readonly<Record<string, readonly unknown[]>> = {
  region: [undefined, ...DETOURS, ...REGIONS],
  bucketName: [undefined, ...BUCKETS].concat(
    DETOURS.filter((name) => !VALID_BUCKET.test(name) || name.length > 63),
  ),
  accessKeyId: [undefined, ...CREDENTIALS],
  secretAccessKey: [undefined, ...CREDENTIALS],
};

/** Of one provider: regions that are another's, and fields that it needs, or has not. */
const REFUSED_OF: Readonly<Record<Provider, Readonly<Record<string, readonly unknown[]>>>> = {
  aws: { region: ['auto', 'useast1'], accountId: ['abc'], jurisdiction: ['eu'] },
  r2: {
    region: ['us-east-1', 'AUTO', 'auto '],
    accountId: [undefined, ...DETOURS, 1, null],
    jurisdiction: [...DETOURS, 'EU', 'us-east-1', 'default', 'eu.evil', 1, null],
  },
  b2: { region: ['auto', 'useast1'], accountId: ['abc'], jurisdiction: ['eu'] },
};

describe('What is refused of a provider', () => {
  before(() => one.configure());
  afterEach(async () => {
    const answer = await call('GET', '/v1/providers', { token: one.dashboard() });
    assert.deepEqual(bodyOf(answer, 200), { items: [] }, 'nothing of it was stored');
  });

  for (const provider of PROVIDERS)
    for (const [field, values] of [
      ...Object.entries(REFUSED),
      ...Object.entries(REFUSED_OF[provider]),
    ]) {
      // spec: credentials.account-id, credentials.fields, credentials.region-auto
      it(`is each of ${values.length} wrong values of ${field}: ${provider}`, async () => {
        for (const value of values)
          requireInvalid(await one.save({ ...storeAccess(provider), [field]: value }), `/${field}`);
      });
    }

  // spec: credentials.provider, endpoints.provider-values
  it('is a provider that there is not', async () => {
    for (const provider of ['gcs', 'AWS', '', null, 1, '__proto__', 'constructor'])
      requireInvalid(await one.save({ ...storeAccess('aws'), provider }), '/provider');
  });

  // spec: credentials.write-only
  it('is not said with the secrets that came with it', async () => {
    const canary = `canary-${crypto.randomUUID()}`;
    const store = { ...storeAccess('aws'), secretAccessKey: canary, accessKeyId: canary };
    const headers = { 'content-type': 'application/json' };
    const torn = { token: one.dashboard(), headers, body: `{"secretAccessKey":"${canary}"` };
    for (const answer of [
      await one.save({ ...store, region: '!' }),
      await one.save({ ...store, unknown: canary }),
      await one.save({ ...store, bucketName: 'X' }),
      await one.save({ ...store, provider: canary }),
      await call('POST', '/v1/providers', torn),
    ]) {
      requireRefusal(answer, 400, 'invalid_request');
      assert.ok(!answer.text.includes(canary));
    }
  });
});

describe('What is taken of a provider', () => {
  afterEach(() => one.configure());

  it('is every jurisdiction of r2, which is shown, and none', async () => {
    for (const jurisdiction of ['eu', 'fedramp', undefined]) {
      const saved = bodyOf(await one.save({ ...storeAccess('r2'), jurisdiction }), 200);
      assert.equal((saved as { jurisdiction?: string }).jurisdiction, jurisdiction);
      const listed = bodyOf(await call('GET', '/v1/providers', { token: one.dashboard() }), 200);
      assert.deepEqual(listed, { items: [saved] });
    }
  });

  for (const [provider, regions] of Object.entries({
    aws: ['us-east-1', 'eu-central-1', 'ap-southeast-2', 'us-gov-west-1', 'me-central-1'],
    r2: ['auto'],
    b2: ['us-west-004', 'eu-central-003', 'us-east-005'],
  })) {
    // spec: credentials.region-auto, endpoints.provider-values
    it(`is every region that it has: ${provider}`, async () => {
      for (const region of regions)
        bodyOf(await one.save({ ...storeAccess(provider as Provider), region }), 200);
    });
  }
});
