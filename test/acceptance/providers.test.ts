import assert from 'node:assert/strict';
import type { ProviderDescription, ProviderInfo, ProviderTest } from '../../sdk/src/index.ts';
import { listKeys } from './store.ts';
import { PROVIDERS, storeAccess } from './target.ts';
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
      assert.deepEqual(await read(), [shown]);
    });
  }

  it('are described by the catalogue, by which each can be configured', async () => {
    const items = await read<ProviderDescription>('/catalogue');
    const limits = (singlePutBytes: number, objectBytes: number) => ({
      singlePutBytes,
      objectBytes,
    });
    const [aws, r2, b2] = [
      limits(5_368_709_120, 53_687_091_200_000),
      limits(5_363_466_240, 5_492_189_429_760),
      limits(5_368_709_120, 10_000_000_000_000),
    ];
    assert.deepEqual(
      items.map((item) => [item.provider, item.title, item.kind, item.jurisdictions, item.limits]),
      [
        ['aws', 'AWS S3', 'hyperscaler', [], aws],
        ['r2', 'Cloudflare R2', 'edge', ['eu', 'fedramp'], r2],
        ['b2', 'Backblaze B2', 'archive', [], b2],
      ],
    );
    for (const item of items) {
      const access = storeAccess(item.provider);
      assert.match(item.regionExample, new RegExp(item.regionPattern));
      assert.match(access.region, new RegExp(item.regionPattern));
      assert.equal(item.needsAccountId, access.accountId !== undefined);
      assert.match(item.documentation, /^https:\/\//);
    }
  });

  // spec: endpoint.providers-save
  it('keep the moment of their creation when they are replaced, also by another place while unused', async () => {
    const before = await save(storeAccess('aws'));
    const moved = { ...wrongSecret('aws'), bucketName: 'another-bucket', region: 'eu-west-1' };
    const after = await save(moved);
    assert.deepEqual([after.bucketName, after.region], ['another-bucket', 'eu-west-1']);
    assert.equal(after.createdAt, before.createdAt);
    assert.ok(after.updatedAt > before.updatedAt);
    assert.deepEqual(await read(), [after]);
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
      assert.deepEqual(names, ['write', 'head', 'read', 'delete']);
      for (const { ok: isOk, latencyMs, error } of checks) {
        assert.deepEqual([isOk, error], [true, undefined]);
        assert.ok(Number.isFinite(latencyMs) && latencyMs >= 0);
      }
      if (before) assert.deepEqual(await listKeys(provider), before);
    });

    it(`asks whether a page may upload, and names the rule where it may not: ${provider}`, async () => {
      const origin = `https://${crypto.randomUUID()}.example.com`;
      const { checks, ok } = await check({ provider, origin });
      const names = checks.map(({ name }) => name);
      assert.deepEqual(names, ['write', 'head', 'read', 'delete', 'cors']);
      const cors = checks.at(-1);
      assert.ok(cors && Number.isFinite(cors.latencyMs));
      assert.equal(ok, cors.ok);
      if (cors.ok) return;
      assert.match(JSON.stringify(cors.error), /origin/);
      assert.ok(JSON.stringify(cors.corsRule).includes(`["${origin}"]`));
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
      assert.equal(checks.length, 4);
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

  it('takes the origin of a page and nothing else', async () => {
    for (const origin of [
      '*',
      'null',
      '',
      'https://',
      'https://app.example.com/',
      'https://user@app.example.com',
      'https://app.example.com?x',
      'https://app.example.com:port',
      'https://app.example.com:99999',
      'https://*.example.com',
      'http://app.example.com',
      'http://localhost.example.com',
      'http://localhost@example.com',
      'http://127.0.0.1:3000',
      'http://169.254.169.254',
      'app.example.com',
      'file://x',
      'gopher://a',
      'https://a.example.com, https://b.example.com',
      'https://a.example.com\r\nx: y',
      1,
      null,
    ])
      requireInvalid(await askToTest({ provider: 'aws', origin }), '/origin');
    for (const origin of [
      'https://app.example.com:8443',
      'http://localhost',
      'http://localhost:3000',
    ])
      await check({ provider: 'aws', origin });
  });

  // spec: endpoint.providers-test
  it('is refused for a provider that is not configured', async () => {
    await one.configure('r2');
    requireRefusal(await askToTest({ provider: 'b2' }), 400, 'provider_not_configured');
  });
});
