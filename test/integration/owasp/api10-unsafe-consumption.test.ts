import assert from 'node:assert/strict';
import process from 'node:process';
import { StripeBilling } from '../../../adapters/billing/stripe.ts';
import { createCloudAccounts } from '../../../adapters/cloud-account/cloud-accounts.ts';
import { createAssumeRole, RoleRefusedError } from '../../../adapters/cloud-account/roles.ts';
import { createReadServiceAccount } from '../../../adapters/cloud-account/service-account.ts';
import { createTokenVerifier } from '../../../adapters/identity/token-verifier.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import { createStoreHttp } from '../../../adapters/object-store/http-client.ts';
import { createObjectStores } from '../../../adapters/object-store/s3-store.ts';
import { createStoreClocks } from '../../../adapters/object-store/store-clocks.ts';
import { startIdentityProvider, type IdentityProvider } from '../../../dev/identity/identity.ts';
import { AppError } from '../../../domain/common/errors.ts';
import {
  bomb,
  endless,
  redirectingTo,
  saying,
  startHostileServer,
  trickling,
  type Answer,
} from './hostile-server.ts';
import { withEnvironment } from '../../harness/environment.ts';
import { endpointsAt } from '../../harness/catalogue.ts';

/** The bound of an answer, what two sockets hold, and one repeat. */
const CLAIMS = { accountClaim: 'sub', roleClaim: undefined };
const MOST_SENT_BYTES = 24 * 2 ** 20;
/** A reader without a bound takes more of one endless answer within its time-out. */
const MOST_GROWTH_BYTES = 512 * 2 ** 20;
const TIMEOUT_MS = 3_000;
/** Stripe is asked twice, and waits in between. */
const IN_TIME_MS = 15_000;

const XML = 'application/xml';
const JSON_TYPE = 'application/json';
const ENTITIES = Array.from(
  { length: 9 },
  (_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`,
);
const LAUGHS = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e0 "ha">${ENTITIES.join('')}]>`;
const FILE = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e9 SYSTEM "file:///etc/passwd">]>';

const session = (accessKeyId: string, expiration = '2100-01-01T00:00:00Z') =>
  `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId>` +
  '<SecretAccessKey>b</SecretAccessKey><SessionToken>c</SessionToken>' +
  `<Expiration>${expiration}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;

const XML_ANSWERS: Readonly<Record<string, Answer>> = {
  'a billion laughs': saying(`${LAUGHS}${session('&e9;')}`, XML),
  'laughs in a page of keys': saying(
    `${LAUGHS}<ListBucketResult><Contents><Key>&e9;</Key></Contents></ListBucketResult>`,
    XML,
  ),
  'an entity that is a file': saying(`${FILE}${session('&e9;')}`, XML),
  '200,000 elements in each other': saying('<a>'.repeat(200_000), XML),
  'no XML': saying('<<<<>', XML),
  'a document that ends in its middle': saying('<ListBucketResult><Contents><Key>a', XML),
  'an endless document': endless('<ListBucketResult>', '<Contents><Key>a</Key></Contents>', XML),
  'a session without a date': saying(session('AKIA', 'yesterday'), XML),
  'a session with line ends': saying(session('AKIA&#13;&#10;x-injected: 1'), XML),
  'a refusal of endless length': saying(`<Error><Code>${'A'.repeat(2 ** 21)}`, XML, 403),
};

const JSON_ANSWERS: Readonly<Record<string, Answer>> = {
  'no JSON': saying('{"id":', JSON_TYPE),
  null: saying('null', JSON_TYPE),
  'a number': saying('5', JSON_TYPE),
  'a text': saying('"text"', JSON_TYPE),
  'a list': saying('[]', JSON_TYPE),
  'an object without anything': saying('{}', JSON_TYPE),
  'wrong types': saying('{"id":5,"url":{},"data":7,"keys":{"length":1}}', JSON_TYPE),
  'items that are no objects': saying('{"data":[null,5],"keys":[null,5]}', JSON_TYPE),
  'an address that is a script': saying('{"id":"a","url":"javascript:alert(1)"}', JSON_TYPE),
  '100,000 lists in each other': saying(
    `{"id":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    JSON_TYPE,
  ),
  'an error without a form': saying('{"error":5}', JSON_TYPE, 400),
  'an endless document': endless('{"keys":[', '{"kid":"a"},', JSON_TYPE),
};

/** For calls whose time-out a test can set. */
const SLOW_ANSWERS = { 'a document that trickles': trickling(XML) };

const ANY_ANSWERS: Readonly<Record<string, Answer>> = {
  'nothing in the body': saying('', XML),
  'a page for people': saying('<html><body>Sorry</body></html>', 'text/html'),
  'a page for people as an error': saying('<html><body>Sorry</body></html>', 'text/html', 503),
  'a compressed bomb': bomb(JSON_TYPE),
};

interface Consumer {
  readonly answers: Readonly<Record<string, Answer>>;
  /** Everything that is read of that server. */
  readonly calls: Readonly<Record<string, (origin: string) => Promise<unknown>>>;
}

const location = { provider: 'aws', bucketName: 'bucket', region: 'us-east-1' } as const;
const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
const role = { roleArn: 'arn:aws:iam::111122223333:role/r', externalId: 'external' };
const clocks = createStoreClocks();

describe('API10: what other servers answer', () => {
  const http = createStoreHttp();
  /** Before the first answer; other suites have run in this process by then. */
  let memory: number;
  let identity: IdentityProvider;
  let token: string;
  withEnvironment({ AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' });
  before(async () => {
    memory = process.memoryUsage().rss;
    identity = await startIdentityProvider();
    token = await identity.signToken({});
  });
  after(async () => {
    http.close();
    await identity.close();
  });

  const sts = (endpoint: string) => ({ endpoint, region: 'us-east-1', timeoutMs: TIMEOUT_MS });
  const assume = (endpoint: string) => createAssumeRole(sts(endpoint))(role);
  const identify = (endpoint: string) => createReadServiceAccount(sts(endpoint))();
  const store = (origin: string) =>
    createObjectStores({ http, findEndpoint: endpointsAt({ aws: origin }), clocks })(
      location,
      credentials,
    );
  const account = (origin: string) =>
    createCloudAccounts({
      http,
      findEndpoint: endpointsAt({ aws: origin }),
      usageEndpoints: { costExplorer: undefined, cloudWatch: undefined },
      clocks,
      assumeRole: async () => ({
        credentials: { ...credentials, sessionToken: 'c' },
        expiresAt: new Date(Date.now() + 3_600_000),
      }),
    });
  const bucket = (origin: string) =>
    account(origin)
      .open(role, () => {})
      .bucket({ name: 'bucket', region: 'us-east-1' });
  const verifier = (jwksUrl: string | undefined, issuer = identity.issuer) =>
    createTokenVerifier({ issuer, audience: identity.audience, jwksUrl, ...CLAIMS });
  const billing = (apiUrl: string) =>
    new StripeBilling(
      {
        secretKey: 'sk_test_hunter2',
        webhookSecret: 'whsec_1',
        prices: { starter: 'price_s', growth: 'price_g' },
        apiUrl,
      },
      { dashboardOrigin: 'https://app.example', timeoutMs: TIMEOUT_MS },
    );
  const bounds = { timeoutMs: TIMEOUT_MS };

  const CONSUMERS: Readonly<Record<string, Consumer>> = {
    STS: { answers: { ...XML_ANSWERS, ...SLOW_ANSWERS }, calls: { assume, identify } },
    'a store': {
      answers: { ...XML_ANSWERS, ...SLOW_ANSWERS },
      calls: {
        head: (origin) => store(origin).head('key', bounds),
        get: (origin) => store(origin).get('key', bounds),
        list: (origin) =>
          store(origin).list(
            { prefix: '', after: null },
            { signal: AbortSignal.timeout(TIMEOUT_MS) },
          ),
      },
    },
    "a customer's account": {
      answers: XML_ANSWERS,
      calls: {
        buckets: (origin) => account(origin).listBuckets(role),
        objects: (origin) => bucket(origin).listObjects({ after: null }),
      },
    },
    'the identity provider': {
      answers: { ...JSON_ANSWERS, ...SLOW_ANSWERS },
      calls: {
        keys: (origin) => verifier(`${origin}/jwks`)(token),
        discovery: (origin) => verifier(undefined, origin)(token),
      },
    },
    Stripe: {
      answers: { ...JSON_ANSWERS, ...SLOW_ANSWERS },
      calls: {
        customer: (origin) => billing(origin).createCustomer('acme'),
        subscriptions: (origin) => billing(origin).findRunning('cus_1'),
        checkouts: (origin) => billing(origin).closeCheckouts('cus_1'),
        checkout: (origin) =>
          billing(origin).openCheckout({ accountId: 'a', customerId: 'c', plan: 'starter' }),
        portal: (origin) => billing(origin).openPortal({ customerId: 'c' }),
      },
    },
  };

  /** Fails in the service's own words, or with a harmless result. */
  async function consume(what: string, call: () => Promise<unknown>): Promise<void> {
    const startedAt = performance.now();
    const result: unknown = await call().catch((error: unknown) => {
      // An aborted transfer ends with the reason of its caller's signal.
      if (error instanceof DOMException && error.name === 'TimeoutError') return undefined;
      const isOwn = [StoreError, RoleRefusedError, AppError].some((kind) => error instanceof kind);
      assert.ok(isOwn, `${what}: ${String((error as Error).stack)}`);
      if (error instanceof AppError) assert.equal(error.code, 'unavailable', what);
      return undefined;
    });
    assert.doesNotMatch(JSON.stringify(result) ?? '', /root:|javascript:|haha|\\r\\n/, what);
    const ms = performance.now() - startedAt;
    assert.ok(ms < IN_TIME_MS, `${what} took ${Math.round(ms)} ms`);
  }

  for (const [who, { answers, calls }] of Object.entries(CONSUMERS)) {
    const hostile = Object.entries({ ...answers, ...ANY_ANSWERS });

    const callAll = (origin: string) =>
      Promise.all(Object.entries(calls).map(([name, call]) => consume(name, () => call(origin))));

    for (const [what, answer] of hostile)
      it(`from ${who} harms nothing where it is ${what}`, async () => {
        const server = await startHostileServer(answer);
        await callAll(server.origin);
        assert.ok(server.requests() > 0, 'the server was asked');
        await server.close();
        const most = MOST_SENT_BYTES * Object.keys(calls).length;
        assert.ok(server.sentBytes() < most, `${server.sentBytes()} bytes were read`);
      });

    it(`from ${who} sends nothing elsewhere where it is a redirect`, async () => {
      for (const status of [301, 302, 307, 308]) {
        const elsewhere = await startHostileServer(saying('{"keys":[]}', JSON_TYPE));
        const server = await startHostileServer(redirectingTo(elsewhere.origin, status));
        await callAll(server.origin);
        assert.ok(server.requests() > 0);
        assert.equal(elsewhere.requests(), 0, `by ${status}`);
        await Promise.all([server.close(), elsewhere.close()]);
      }
    });
  }

  it('takes a bounded share of the memory, all of it together', () => {
    const grown = process.memoryUsage().rss - memory;
    assert.ok(grown < MOST_GROWTH_BYTES, `${Math.round(grown / 2 ** 20)} MiB`);
  });

  it('from the identity provider is no key where it is faulty, and the others stay in use', async () => {
    const [header = ''] = token.split('.');
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
    const { keys } = (await (await fetch(identity.jwksUrl)).json()) as { keys: { kid: string }[] };
    const rest = keys.filter((key) => key.kid !== kid);
    const other = identity.issueToken({ account: 'acme', algorithm: 'ES256' });
    for (const [what, key] of Object.entries({
      'no number': { n: '!!!', e: 'AQAB' },
      'too short': { n: 'AQAB', e: 'AQAB' },
      missing: {},
      'of wrong types': { n: 5, e: {} },
      'a shared secret': { kty: 'oct', k: 'AAAA' },
    })) {
      const faulty = { kty: 'RSA', ...key, kid };
      const serving = (...all: object[]) =>
        startHostileServer(saying(JSON.stringify({ keys: all }), JSON_TYPE));
      const [alone, mixed] = [await serving(faulty), await serving(faulty, ...rest)];
      await consume(what, () => verifier(alone.origin)(token));
      const verify = verifier(mixed.origin);
      assert.equal((await verify(other)).accountId, 'acme', what);
      await assert.rejects(verify(token), { code: 'unauthorized' }, what);
      await Promise.all([alone.close(), mixed.close()]);
    }
  });

  it('from the identity provider is not believed about another issuer', async () => {
    const document = { issuer: 'https://other.example', jwks_uri: identity.jwksUrl };
    const server = await startHostileServer(saying(JSON.stringify(document), JSON_TYPE));
    const settings = { audience: identity.audience, jwksUrl: undefined, ...CLAIMS };
    const verify = createTokenVerifier({ ...settings, issuer: server.origin });
    const claims = { iss: server.origin };
    await assert.rejects(verify(await identity.signToken(claims)), { code: 'unavailable' });
    await server.close();
  });
});
