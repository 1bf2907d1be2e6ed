import assert from 'node:assert/strict';
import type { ProviderDescription, ProviderInfo, ProviderTest } from '../../sdk/src/index.ts';
import { listKeys } from './store.ts';
import { PROVIDERS, storeAccess, type Provider } from './target.ts';
import { one, other, wrongSecret } from './tenant.ts';
import { bodyOf, call, requireInvalid, requireRecent, requireRefusal } from './wire.ts';

const read = async <T>(path = '') => {
  const answer = await call('GET', `/v1/providers${path}`, { token: one.dashboard() });
  return (bodyOf(answer, 200) as { items: T[] }).items;
};
const save = async (store: object) => bodyOf(await one.save(store), 200) as ProviderInfo;
const remove = async (name: string) => {
  const answer = await call('DELETE', `/v1/providers/${name}`, { token: one.dashboard() });
  assert.deepEqual([answer.status, answer.text], [204, '']);
};
const askToTest = (json: object) =>
  call('POST', '/v1/providers/test', { token: one.dashboard(), json });
const check = async (json: object) => bodyOf(await askToTest(json), 200) as ProviderTest;

describe('Providers', () => {
  beforeEach(() => one.configure());

  for (const provider of PROVIDERS) {
    // spec: credentials.provider, credentials.write-only, endpoint.providers-save
    it(`are shown as they were configured, but for the secrets: ${provider}`, async () => {
      const { secretAccessKey: _secret, accessKeyId, ...place } = storeAccess(provider);
      const shown = await save(storeAccess(provider));
      const { accessKeyIdMasked, createdAt, updatedAt, ...rest } = shown;
      assert.deepEqual(rest, place);
      requireRecent(createdAt);
      assert.equal(updatedAt, createdAt);
      assert.ok(accessKeyIdMasked.length > 0 && !accessKeyIdMasked.includes(accessKeyId));
      assert.deepEqual(await read(), [{ ...shown, paused: null, formerPlaces: [] }]);
    });
  }

  it('are described by the catalogue, by which each can be configured', async () => {
    const items = await read<ProviderDescription>('/catalogue');
    assert.deepEqual(
      items.map((item) => [item.provider, item.title, item.kind, item.jurisdictions]),
      [
        ['aws', 'AWS S3', 'hyperscaler', []],
        ['r2', 'Cloudflare R2', 'edge', ['eu', 'fedramp']],
        ['b2', 'Backblaze B2', 'archive', []],
        ['wasabi', 'Wasabi', 'general', []],
        ['tigris', 'Tigris', 'edge', []],
      ],
    );
    assert.deepEqual(
      items.map(({ limits }) => [limits.singlePutBytes, limits.objectBytes]),
      [
        [5_368_709_120, 53_687_091_200_000],
        [5_363_466_240, 5_492_189_429_760],
        [5_368_709_120, 10_000_000_000_000],
        [5_368_709_120, 5_497_558_138_880],
        [5_368_709_120, 5_497_558_138_880],
      ],
    );
    for (const item of items) {
      assert.match(item.regionExample, new RegExp(item.regionPattern));
      const provider = PROVIDERS.find((name) => name === item.provider);
      if (!provider) continue;
      const access = storeAccess(provider);
      assert.match(access.region, new RegExp(item.regionPattern));
      assert.equal(item.needsAccountId, access.accountId !== undefined);
      assert.match(item.documentation ?? '', /^https:\/\//);
    }
  });

  // spec: endpoint.providers-save
  it('keep the moment of their creation when they are replaced, also by another place, beside which the former one is shown', async () => {
    const before = await save(storeAccess('aws'));
    const moved = { ...wrongSecret('aws'), bucketName: 'another-bucket', region: 'eu-west-1' };
    const after = await save(moved);
    assert.deepEqual([after.bucketName, after.region], ['another-bucket', 'eu-west-1']);
    assert.equal(after.createdAt, before.createdAt);
    assert.ok(after.updatedAt > before.updatedAt);
    const [{ formerPlaces, ...shown } = assert.fail()] = await read<ProviderInfo>();
    assert.deepEqual(shown, { ...after, paused: null });
    const { bucketName, region, accessKeyIdMasked } = before;
    const [{ since, ...former } = assert.fail(), ...others] = formerPlaces;
    assert.deepEqual(former, { bucketName, region, accessKeyIdMasked, files: 0, bytes: 0 });
    requireRecent(since);
    assert.deepEqual(others, []);
  });

  it('are removed by a delete, as often as it is asked for, and are new ones after it', async () => {
    const before = await save(storeAccess('r2'));
    for (const provider of ['r2', 'r2', 'b2']) await remove(provider);
    assert.deepEqual(await read(), []);
    assert.ok((await save(storeAccess('r2'))).createdAt > before.createdAt);
  });

  it('saved and removed at the same time are all stored, in catalogue order, in their account only', async () => {
    await other.configure('aws', 'r2', 'b2');
    await Promise.all(PROVIDERS.toReversed().map((name) => save(storeAccess(name))));
    const names = (await read<ProviderInfo>()).map(({ provider }) => provider);
    assert.deepEqual(names, PROVIDERS);
    assert.deepEqual((await one.me()).providers, PROVIDERS);
    await Promise.all(PROVIDERS.map(remove));
    assert.deepEqual(await read(), []);
    assert.deepEqual((await other.me()).providers, PROVIDERS);
  });
});

const CALLS: readonly string[] = ['write', 'head', 'read', 'delete', 'missing_object'];
const CAPABILITIES: readonly string[] = [
  'conditional_put',
  'conditional_delete',
  'content_md5',
  'list_order',
  'conditional_overwrite',
  'conditional_complete',
  'key_and_folder',
  'object_lock',
];

describe('A test of a provider', () => {
  beforeEach(() => one.configure('aws', 'r2', 'b2'));
  after(() => one.configure('aws', 'r2', 'b2'));

  for (const provider of PROVIDERS) {
    // spec: endpoint.providers-test
    it(`writes, looks, reads and deletes, and leaves nothing behind: ${provider}`, async () => {
      const before = provider === 'aws' ? await listKeys(provider) : undefined;
      const { ok, checks, ...rest } = await check({ provider });
      assert.deepEqual(rest, { provider });
      assert.equal(ok, true, JSON.stringify(checks));
      const names = checks.map(({ name }) => name);
      assert.deepEqual(names, [...CALLS, ...CAPABILITIES]);
      for (const { name, ok: isOk, latencyMs, supported, error } of checks) {
        assert.deepEqual([isOk, error], [true, undefined]);
        assert.equal(typeof supported, CAPABILITIES.includes(name) ? 'boolean' : 'undefined');
        assert.ok(Number.isFinite(latencyMs) && latencyMs >= 0);
      }
      if (before) assert.deepEqual(await listKeys(provider), before);
    });
  }

  const refused = /credential|permi|denied|refus/i;
  const wrong: readonly [what: string, change: object, words: RegExp][] = [
    ['a wrong secret', { secretAccessKey: `not-it-${crypto.randomUUID()}` }, refused],
    ['a key that the store does not know', { accessKeyId: 'AKIAUNKNOWNACCESSKEY' }, refused],
    ['a bucket that is not there', { bucketName: `none-${crypto.randomUUID()}` }, /bucket/i],
  ];
  for (const [what, change, words] of wrong) {
    // spec: endpoint.providers-test
    it(`is an answer and not an error with ${what}, and says why in plain words`, async () => {
      await save({ ...storeAccess('aws'), ...change });
      const { ok, checks } = await check({ provider: 'aws' });
      assert.equal(ok, false);
      assert.equal(checks.length, CALLS.length + CAPABILITIES.length);
      const failed = checks.filter((each) => !each.ok);
      assert.ok(failed.some(({ name }) => name === 'write'));
      for (const { error } of failed) {
        const said = JSON.stringify(error);
        assert.match(said, words);
        const internal = /Signature|NoSuch|InvalidAccess|<\?xml|HTTP \d|https?:|undefined/;
        assert.doesNotMatch(said, internal);
      }
    });
  }

  // spec: endpoint.providers-test
  it('takes the origin of a page and nothing else, and is refused without the provider', async () => {
    await remove('b2');
    requireRefusal(await askToTest({ provider: 'b2' }), 400, 'provider_not_configured');
    for (const origin of [
      ['*', 'null', '', 'https://', 'app.example.com', 'file://x', 'gopher://a', 1, null],
      ['com/', 'com?x', 'com:port', 'com:99999', 'com\r\nx: y'].map((end) => `https://a.${end}`),
      ['https://user@app.example.com', 'https://*.example.com', 'https://a.com, https://b.com'],
      ['app.example.com', 'localhost.example.com', 'localhost@example.com', '127.0.0.1:3000']
        .concat('169.254.169.254')
        .map((host) => `http://${host}`),
    ].flat())
      requireInvalid(await askToTest({ provider: 'aws', origin }), '/origin');
    for (const origin of ['https://a.com:8443', 'http://localhost', 'http://localhost:3000'])
      await check({ provider: 'aws', origin });
    await save({ ...storeAccess('aws'), bucketName: `none-${crypto.randomUUID()}` });
    const { checks } = await check({ provider: 'aws', origin: 'https://a.com' });
    assert.match(checks.find(({ name }) => name === 'cors')?.error?.message ?? '', /bucket/i);
  });
});

/**
 * Values that would direct a request of the service to another host, path or port than the provider's. What passes stays
 * below the provider's domain: `integration/owasp/api7`.
 */
const DETOURS = [
  ['evil.com/', 'a.b', 'x:y@z', '127.0.0.1#', '127.0.0.1', '169.254.169.254', '[::1]'],
  ['localhost:80', String.raw`a\b`, 'a?b', 'a%2eb', 'a b', 'a\n', 'a\r\nHost: b', 'a\0'],
  ['..', '../..', '-a', 'é', '\u2025', '\uff0e', '', 'a'.repeat(64)],
].flat();
const REGIONS = ['us-east-1.evil.com', 'us-east-1/', 'us-east-1#', 'us-east-1\n', 'US-EAST-1'];
const BUCKETS = ['ab', 'UPPER', 'under_score', '../other'];
const CREDENTIALS = ['', 'a\r\nb', 'a\nb', 'a b', 'a\u0000b', 'é', 'x'.repeat(5000), 1, null];
const VALID_BUCKET = /^[a-z0-9][a-z0-9.]+$/;

const REFUSED: Readonly<Record<string, readonly unknown[]>> = {
  region: [undefined, ...DETOURS, ...REGIONS],
  bucketName: [undefined, ...BUCKETS].concat(
    DETOURS.filter((name) => !VALID_BUCKET.test(name) || name.length > 63),
  ),
  accessKeyId: [undefined, ...CREDENTIALS],
  secretAccessKey: [undefined, ...CREDENTIALS],
};

/** Some of them would name another host: that of a jurisdiction, of which `r2` is a label. */
const NO_R2_ACCOUNTS = [
  'eu',
  'fedramp',
  'us',
  'r2',
  'my-account',
  'a'.repeat(31),
  'a'.repeat(33),
].concat(['A'.repeat(32), 'g'.repeat(32), `${'a'.repeat(30)}-a`]);

/** Of one provider: regions that are another's, and fields that it needs, or has not. */
const REFUSED_OF: Readonly<Record<Provider, Readonly<Record<string, readonly unknown[]>>>> = {
  aws: { region: ['auto', 'useast1'], accountId: ['abc'], jurisdiction: ['eu'] },
  r2: {
    region: ['us-east-1', 'AUTO', 'auto '],
    accountId: [undefined, ...DETOURS, 1, null, ...NO_R2_ACCOUNTS],
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
});

describe('What is taken of a provider', () => {
  afterEach(() => one.configure());

  it('is every jurisdiction of r2, which is shown, and none', async () => {
    for (const jurisdiction of ['eu', 'fedramp', undefined]) {
      const saved = bodyOf(await one.save({ ...storeAccess('r2'), jurisdiction }), 200);
      assert.equal((saved as { jurisdiction?: string }).jurisdiction, jurisdiction);
      const listed = bodyOf(await call('GET', '/v1/providers', { token: one.dashboard() }), 200);
      const [{ formerPlaces: _former, ...shown } = assert.fail()] = (
        listed as { items: readonly ProviderInfo[] }
      ).items;
      assert.deepEqual(shown, { ...(saved as object), paused: null });
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
