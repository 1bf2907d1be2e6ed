import assert from 'node:assert/strict';
import { listKeys } from './store.ts';
import { PROVIDERS, storeAccess, type Provider } from './target.ts';
import { one, other, wrongSecret } from './tenant.ts';
import { bodyOf, call, requireRefusal, type Answer, type ErrorBody } from './wire.ts';

interface Shown {
  readonly provider: string;
  readonly bucketName: string;
  readonly region: string;
  readonly accountId?: string;
  readonly accessKeyIdMasked: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface Tested {
  readonly provider: string;
  readonly ok: boolean;
  readonly checks: readonly {
    name: string;
    ok: boolean;
    latencyMs: number;
    error?: unknown;
    corsRule?: unknown;
  }[];
}

interface CatalogueItem {
  readonly provider: Provider;
  readonly title: string;
  readonly kind: string;
  readonly regionPattern: string;
  readonly regionExample: string;
  readonly needsAccountId: boolean;
  readonly jurisdictions: readonly string[];
  readonly limits: { readonly singlePutBytes: number; readonly objectBytes: number };
  readonly documentation: string;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const token = () => one.dashboard();
const list = async () => {
  const answer = await call('GET', '/v1/providers', { token: token() });
  return (bodyOf(answer, 200) as { items: Shown[] }).items;
};
const remove = (name: string): Promise<Answer> =>
  call('DELETE', `/v1/providers/${name}`, { token: token() });
const check = async (provider: string): Promise<Tested> =>
  bodyOf(
    await call('POST', '/v1/providers/test', { token: token(), json: { provider } }),
    200,
  ) as Tested;

describe('Providers', () => {
  beforeEach(() => one.configure());

  for (const provider of PROVIDERS) {
    // spec: credentials.provider, credentials.write-only, endpoint.providers-save
    it(`are shown as they were configured, but for the secrets: ${provider}`, async () => {
      const access = storeAccess(provider);
      const { secretAccessKey: _secret, accessKeyId, ...place } = access;
      const shown = bodyOf(await one.save(access), 200) as Shown;
      const { accessKeyIdMasked, createdAt, updatedAt, ...rest } = shown;
      assert.deepEqual(rest, place);
      assert.match(createdAt, TIME);
      assert.equal(updatedAt, createdAt);
      assert.ok(accessKeyIdMasked.length > 0 && !accessKeyIdMasked.includes(accessKeyId));
      assert.deepEqual(await list(), [shown]);
    });
  }

  it('are listed in catalogue order', async () => {
    await one.configure('b2', 'r2', 'aws');
    assert.deepEqual(
      (await list()).map(({ provider }) => provider),
      ['aws', 'r2', 'b2'],
    );
    assert.deepEqual((await one.me()).providers, ['aws', 'r2', 'b2']);
  });

  it('are described by the catalogue, by which each can be configured', async () => {
    const answer = await call('GET', '/v1/providers/catalogue', { token: token() });
    const { items } = bodyOf(answer, 200) as { items: CatalogueItem[] };
    const limits = (singlePutBytes: number, objectBytes: number) => ({
      singlePutBytes,
      objectBytes,
    });
    assert.deepEqual(
      items.map((item) => [item.provider, item.title, item.kind, item.jurisdictions, item.limits]),
      [
        ['aws', 'AWS S3', 'hyperscaler', [], limits(5_368_709_120, 53_687_091_200_000)],
        [
          'r2',
          'Cloudflare R2',
          'edge',
          ['eu', 'fedramp'],
          limits(5_363_466_240, 5_492_189_429_760),
        ],
        ['b2', 'Backblaze B2', 'archive', [], limits(5_368_709_120, 10_000_000_000_000)],
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
  it('keep the moment of their creation when they are replaced', async () => {
    const before = bodyOf(await one.save(storeAccess('b2')), 200) as Shown;
    const after = bodyOf(await one.save(wrongSecret('b2')), 200) as Shown;
    assert.equal(after.createdAt, before.createdAt);
    assert.ok(after.updatedAt > before.updatedAt);
    assert.equal((await list()).length, 1);
  });

  it('accept another bucket and region while unused', async () => {
    bodyOf(await one.save(storeAccess('aws')), 200);
    const moved = { ...storeAccess('aws'), bucketName: 'another-bucket', region: 'eu-west-1' };
    const shown = bodyOf(await one.save(moved), 200) as Shown;
    assert.deepEqual([shown.bucketName, shown.region], ['another-bucket', 'eu-west-1']);
  });

  it('are removed by a delete, which also succeeds for a missing provider', async () => {
    await one.configure('r2');
    for (let times = 0; times < 3; times += 1) {
      const answer = await remove('r2');
      assert.deepEqual([answer.status, answer.text], [204, '']);
    }
    assert.deepEqual(await list(), []);
    assert.equal((await remove('b2')).status, 204);
  });

  it('have a new creation time when they are configured again after a delete', async () => {
    const before = bodyOf(await one.save(storeAccess('r2')), 200) as Shown;
    assert.equal((await remove('r2')).status, 204);
    const after = bodyOf(await one.save(storeAccess('r2')), 200) as Shown;
    assert.ok(after.createdAt > before.createdAt);
  });

  it('belong to one account', async () => {
    await other.configure('aws', 'r2', 'b2');
    assert.deepEqual(await list(), []);
    assert.equal((await remove('aws')).status, 204);
    assert.deepEqual((await other.me()).providers, ['aws', 'r2', 'b2']);
  });

  it('saved at the same time are all stored', async () => {
    const saved = await Promise.all(PROVIDERS.map((name) => one.save(storeAccess(name))));
    for (const answer of saved) bodyOf(answer, 200);
    assert.equal((await list()).length, 3);
    const removed = await Promise.all(PROVIDERS.map(remove));
    for (const answer of removed) assert.equal(answer.status, 204);
    assert.deepEqual(await list(), []);
  });
});

describe('A test of a provider', () => {
  before(() => one.configure('aws', 'r2', 'b2'));
  after(() => one.configure('aws', 'r2', 'b2'));

  for (const provider of PROVIDERS) {
    // spec: endpoint.providers-test
    it(`writes, looks, reads and deletes, and leaves nothing behind: ${provider}`, async () => {
      const before = provider === 'aws' ? await listKeys(provider) : undefined;
      const { ok, checks, ...rest } = await check(provider);
      assert.deepEqual(rest, { provider });
      assert.equal(ok, true, JSON.stringify(checks));
      assert.deepEqual(
        checks.map(({ name }) => name),
        ['write', 'head', 'read', 'delete'],
      );
      for (const each of checks) {
        assert.equal(each.ok, true);
        assert.ok(Number.isFinite(each.latencyMs) && each.latencyMs >= 0);
        assert.ok(each.error === undefined || each.error === null);
      }
      if (before) assert.deepEqual(await listKeys(provider), before);
    });
  }

  for (const [what, change, words] of [
    ['a wrong secret', wrongSecret, /credential|permi|denied|refus/i],
    [
      'a key that the store does not know',
      (name: 'aws') => ({ ...storeAccess(name), accessKeyId: 'AKIAUNKNOWNACCESSKEY' }),
      /credential|permi|denied|refus/i,
    ],
    [
      'a bucket that is not there',
      (name: 'aws') => ({ ...storeAccess(name), bucketName: `none-${crypto.randomUUID()}` }),
      /bucket/i,
    ],
  ] as const) {
    // spec: endpoint.providers-test
    it(`is an answer and not an error with ${what}, and says why in plain words`, async () => {
      bodyOf(await one.save(change('aws')), 200);
      const { ok, checks } = await check('aws');
      assert.equal(ok, false);
      assert.equal(checks.length, 4);
      const failed = checks.filter((each) => !each.ok);
      assert.ok(failed.some(({ name }) => name === 'write'));
      for (const { error } of failed) {
        const said = JSON.stringify(error);
        assert.match(said, words);
        assert.doesNotMatch(
          said,
          /Signature|NoSuch|InvalidAccess|<\?xml|HTTP \d|https?:|undefined/,
        );
      }
    });
  }

  for (const provider of PROVIDERS) {
    it(`asks whether a page may upload, and names the rule where it may not: ${provider}`, async () => {
      await one.configure('aws', 'r2', 'b2');
      const origin = `https://${crypto.randomUUID()}.example.com`;
      const json = { provider, origin };
      const tested = bodyOf(
        await call('POST', '/v1/providers/test', { token: token(), json }),
        200,
      ) as Tested;
      const { checks, ok } = tested;
      assert.deepEqual(
        checks.map(({ name }) => name),
        ['write', 'head', 'read', 'delete', 'cors'],
      );
      const cors = checks.at(-1);
      assert.ok(cors && Number.isFinite(cors.latencyMs));
      assert.equal(ok, cors.ok);
      if (cors.ok) return;
      assert.match(JSON.stringify(cors.error), /origin/);
      assert.ok(Array.isArray(cors.corsRule));
      assert.ok(JSON.stringify(cors.corsRule).includes(`["${origin}"]`));
    });
  }

  it('takes the origin of a page and nothing else', async () => {
    for (const origin of [
      '*',
      'null',
      '',
      'https://',
      'https://app.example.com/',
      'https://app.example.com/path',
      'https://user@app.example.com',
      'https://app.example.com?x',
      'https://app.example.com:port',
      'https://app.example.com:99999',
      'https://*.example.com',
      'http://app.example.com',
      'http://localhost.example.com',
      'http://localhost@example.com',
      'http://127.0.0.1:3000',
      'app.example.com',
      'file://x',
      'https://a.example.com, https://b.example.com',
      'https://a.example.com\r\nx: y',
      1,
      null,
    ]) {
      const json = { provider: 'aws', origin };
      const answer = await call('POST', '/v1/providers/test', { token: token(), json });
      requireRefusal(answer, 400, 'invalid_request');
      const { details = [] } = answer.json() as ErrorBody;
      assert.deepEqual(
        details.map(({ path }) => path),
        ['/origin'],
        String(origin),
      );
    }
    for (const origin of [
      'https://app.example.com:8443',
      'http://localhost',
      'http://localhost:3000',
    ]) {
      const json = { provider: 'aws', origin };
      bodyOf(await call('POST', '/v1/providers/test', { token: token(), json }), 200);
    }
  });

  // spec: endpoint.providers-test
  it('is refused for a provider that is not configured', async () => {
    await one.configure('r2');
    const json = { provider: 'b2' };
    const answer = await call('POST', '/v1/providers/test', { token: token(), json });
    requireRefusal(answer, 400, 'provider_not_configured');
  });
});

describe('The error of a failed check', () => {
  before(() => one.configure('aws', 'r2', 'b2'));
  after(() => one.configure('aws', 'r2', 'b2'));

  it('is a code and a message, like every error inside a resource', async () => {
    bodyOf(await one.save(wrongSecret('aws')), 200);
    const [write] = (await check('aws')).checks;
    assert.ok(
      typeof write?.error === 'object' && write.error !== null,
      `expected { code, message }, got ${JSON.stringify(write?.error)}`,
    );
    assert.deepEqual(Object.keys(write.error).sort(), ['code', 'message']);
  });
});
