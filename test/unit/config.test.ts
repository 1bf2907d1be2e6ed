import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readApiConfig } from '../../config/api.ts';
import { readCodecConfig } from '../../config/codec.ts';
import { ConfigError } from '../../config/environment.ts';
import { readWorkerConfig } from '../../config/worker.ts';
import { differences } from '../oracle/compare.ts';
import { complaintOf, type Environment, KEY, problemsOf, REQUIRED } from './config-problems.ts';

const base64 = (length: number) => Buffer.alloc(length, 'key material').toString('base64');
/** Values that are refused, by the variable. */
const INVALID: Record<string, string[]> = {
  PORT: ['-1', '65536', '80.5', '1e3', '0x50', ' 80', 'http', '9999999999999'],
  METRICS_PORT: ['-1', '65536', 'x'],
  UPLOAD_URL_SECONDS: ['0', '604801', '-5', 'hour'],
  UPLOAD_GRACE_SECONDS: ['-1', '2592001', 'day'],
  KEY_MODE: ['prod', 'LIVE', 'true'],
  DEFAULT_PLAN: ['gold', 'Free'],
  LOG_LEVEL: ['loud', 'INFO'],
  MONGODB_URI: ['http://db', 'db:27017', 'mongodb:db'],
  JWT_ISSUER: ['id.example', 'ftp://id.example', 'javascript:1'],
  JWT_JWKS_URL: ['id.example/keys', 'file:///keys'],
  PROVIDER_ENDPOINT_AWS: ['127.0.0.1:9000', 's3://x'],
  PROVIDER_ENDPOINT_R2: ['x'],
  PROVIDER_ENDPOINT_B2: ['//x'],
  STRIPE_API_URL: ['127.0.0.1:12111', 'stripe'],
  DASHBOARD_ORIGINS: [
    '*',
    'app.example.com',
    'https://app.example.com/',
    'https://app.example.com/page',
    'https://App.example.com',
    'https://app.example.com:443',
    'https://a.example https://b.example',
    'https://a.example,javascript:1',
    'ftp://a.example',
  ],
  WEBHOOK_PRIVATE_HOSTS: [
    'https://hooks.example.com',
    'hooks.example.com:8443',
    'hooks.example.com/path',
    'Hooks.example.com',
    '*.example.com',
    'hooks.example.com.',
    'a.example b.example',
    'a.example,b..example',
    '10.0.0.0/8',
    'fd00::1',
    '127.1',
  ],
  CONNECT_TEMPLATE_URL: ['http://a.example/role.yaml', 's3://bucket/role.yaml', 'role.yaml'],
  CREDENTIAL_KEYS: [
    ...[31, 33, 16, 0].map((length) => `k1:${base64(length)}`),
    ...['', ':', 'k 1:'].map((id) => `${id}${base64(32)}`),
    `k1:${base64(32)},k1:${base64(32)}`,
    `k1:${base64(32)},k2`,
    `k1:!!${base64(32)}??`,
  ],
};
const STRIPE: Environment = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  STRIPE_PRICE_STARTER: 'price_1',
  STRIPE_PRICE_GROWTH: 'price_2',
};

const isRequired = (name: string) => Object.hasOwn(REQUIRED, name);

describe('the configuration', () => {
  it('has the documented defaults', () => {
    const { plans, priceBook, leftAlone, ...config } = readApiConfig(REQUIRED);
    const [issuer, audience] = ['https://id.example', 'https://api.example'];
    const payloadKeys = { encrypts: false, keys: [] };
    assert.deepEqual(config, {
      host: '0.0.0.0',
      port: 8080,
      metricsPort: 9090,
      logLevel: 'info',
      traces: false,
      mongo: { uri: 'mongodb://db.example:27017', database: 'storage_routing' },
      temporal: { address: '127.0.0.1:7233', namespace: 'default', payloadKeys },
      identity: { issuer, audience, jwksUrl: undefined, accountClaim: 'sub', roleClaim: undefined },
      credentialKeys: [{ keyId: 'k1', key: KEY }],
      keyMode: 'test',
      defaultPlan: 'free',
      endpoints: {},
      sts: { endpoint: undefined, region: 'us-east-1', timeoutMs: 10_000 },
      usageEndpoints: { costExplorer: undefined, cloudWatch: undefined },
      webhookRules: { ports: [], privateHosts: [] },
      externalIds: 'enforce',
      ownAccountRoles: 'refuse',
      connectTemplateUrl: undefined,
      uploadUrlSeconds: 3_600,
      downloadUrlSeconds: 3_600,
      relocationDrainSeconds: 3_600,
      uploadGraceSeconds: 86_400,
      dashboard: { clientId: undefined, scope: 'openid', audienceParameter: 'resource' },
      dashboardOrigins: [],
      stripe: undefined,
      rateLimits: { key: 600, account: 600, unauthenticated: 60 },
      maxPendingFiles: 100_000,
      migrationMaxBytes: Number.POSITIVE_INFINITY,
      trustedProxies: 0,
    });
    const free = { gbRoutedPerMonth: 10, uploadsPerMonth: 1_000, providers: 2 };
    assert.deepEqual(plans.free, { ...free, scansPerMonth: 1, migrations: false });
    assert.ok(priceBook);
    assert.ok(leftAlone.toolOf('cdk-assets'));
    const isOn = (environment: Environment) =>
      readWorkerConfig({ ...REQUIRED, ...environment }).decision.withReport;
    assert.deepEqual([isOn({}), isOn({ FEATURE_DECISION_REPORT: 'false' })], [true, false]);
    const { minMonthlySavingsUsd, minMoveMonthlySavingsUsd } = readWorkerConfig(REQUIRED).decision;
    assert.deepEqual([minMonthlySavingsUsd, minMoveMonthlySavingsUsd], [1, 10]);
  });

  it('of a worker serves all queues, requires no identity provider, and no key without a store', () => {
    const { MONGODB_URI, CREDENTIAL_KEYS } = REQUIRED;
    const queuesOf = (env: Environment) => readWorkerConfig({ MONGODB_URI, ...env }).queues;
    assert.deepEqual(queuesOf({ CREDENTIAL_KEYS }), ['uploads', 'scans', 'migrations', 'webhooks']);
    const some = { CREDENTIAL_KEYS, WORKER_QUEUES: ' scans, uploads' };
    assert.deepEqual(queuesOf(some), ['uploads', 'scans']);
    assert.deepEqual(readWorkerConfig({ MONGODB_URI, WORKER_QUEUES: 'scans' }).credentialKeys, []);
    for (const WORKER_QUEUES of ['scans,uploads', 'migrations', 'webhooks', ''])
      assert.throws(() => queuesOf({ WORKER_QUEUES }), /CREDENTIAL_KEYS/, WORKER_QUEUES);
    const unknown = { ...REQUIRED, WORKER_QUEUES: 'uploads,emails' };
    assert.deepEqual(problemsOf(unknown, readWorkerConfig), [
      'WORKER_QUEUES may name uploads, scans, migrations, webhooks; not emails',
    ]);
  });

  // The other variables are set by the tests of the service itself.
  it('reads an address, values up to their bounds, several origins, and the claims of an identity provider', () => {
    const given = {
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS_PORT: '65535',
      KEY_MODE: 'live',
      UPLOAD_URL_SECONDS: '604800',
      UPLOAD_GRACE_SECONDS: '0',
      LOG_LEVEL: 'silent',
      JWT_JWKS_URL: 'https://id.example/keys',
      JWT_ACCOUNT_CLAIM: 'org_id',
      DASHBOARD_ORIGINS: 'https://a.example, https://b.example,',
      STRIPE_API_URL: 'http://127.0.0.1:12111',
      WEBHOOK_PRIVATE_HOSTS: 'localhost, hooks_1.internal,10.1.2.3,[fd00::1]',
    };
    const config = readApiConfig({ ...REQUIRED, ...given });
    const expected = {
      host: given.HOST,
      port: 0,
      metricsPort: 65_535,
      keyMode: given.KEY_MODE,
      uploadUrlSeconds: 604_800,
      uploadGraceSeconds: 0,
      logLevel: given.LOG_LEVEL,
      identity: { jwksUrl: given.JWT_JWKS_URL, accountClaim: 'org_id' },
      dashboardOrigins: ['https://a.example', 'https://b.example'],
      webhookRules: {
        ports: [],
        privateHosts: ['localhost', 'hooks_1.internal', '10.1.2.3', '[fd00::1]'],
      },
    };
    assert.deepEqual(differences(config, expected), []);
    assert.equal(config.stripe, undefined, 'its address alone configures no billing');
  });

  it('accepts several keys, the first of which encrypts', () => {
    const second = randomBytes(32);
    const keys = `2026-11:${second.toString('base64')}, k1:${KEY.toString('base64')}`;
    const { credentialKeys } = readApiConfig({ ...REQUIRED, CREDENTIAL_KEYS: keys });
    const [first, ...others] = credentialKeys;
    assert.deepEqual(first, { keyId: '2026-11', key: second });
    assert.deepEqual(others, [{ keyId: 'k1', key: KEY }]);
  });

  it('treats an empty value as unset', () => {
    const servers = 'HOST MONGODB_DATABASE TEMPORAL_ADDRESS TEMPORAL_NAMESPACE WORKER_QUEUES';
    const names = `${servers} JWT_ACCOUNT_CLAIM DASHBOARD_ORIGINS`.split(' ');
    names.push(...Object.keys(STRIPE), ...Object.keys(INVALID).filter((name) => !isRequired(name)));
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    assert.deepEqual(
      JSON.stringify(readApiConfig({ ...REQUIRED, ...empty })),
      JSON.stringify(readApiConfig(REQUIRED)),
    );
    const { priceBook, leftAlone, ...config } = readWorkerConfig({ ...REQUIRED, ...empty });
    const { priceBook: same, leftAlone: patterns, ...expected } = readWorkerConfig(REQUIRED);
    assert.deepEqual(config, expected);
    assert.equal(priceBook.version, same.version);
    assert.deepEqual(Object.keys(leftAlone), Object.keys(patterns));
    for (const name of Object.keys(REQUIRED))
      assert.deepEqual(problemsOf({ ...REQUIRED, [name]: '' }), [`${name} is required`]);
  });

  it('names every problem at once', () => {
    const first = Object.entries(INVALID).map(([name, values]) => [name, values[0]]);
    const problems = problemsOf(Object.fromEntries(first) as Environment);
    const named = new Set(problems.map((problem) => problem.split(' ')[0]));
    assert.deepEqual(named, new Set([...Object.keys(INVALID), 'JWT_AUDIENCE']));
  });

  for (const [name, values] of Object.entries(INVALID))
    it(`refuses ${name} with a value that does not fit`, () => {
      for (const value of values) {
        const problems = problemsOf({ ...REQUIRED, [name]: value });
        assert.equal(problems.length, 1, value);
        assert.ok(problems[0]?.startsWith(`${name} `), problems[0]);
      }
    });

  it('requires all Stripe variables or none', () => {
    for (const name of Object.keys(STRIPE)) {
      const { [name]: _left, ...rest } = STRIPE;
      const others = Object.keys(rest);
      const problem = `${name} is required if ${others[0]} is set`;
      assert.deepEqual(problemsOf({ ...REQUIRED, ...rest }), [problem]);
      const missing = others.map((each) => `${each} is required if ${name} is set`);
      assert.deepEqual(problemsOf({ ...REQUIRED, [name]: 'sk_1' }), missing);
    }
    const same = { ...REQUIRED, ...STRIPE, STRIPE_PRICE_GROWTH: 'price_1' };
    const another = 'STRIPE_PRICE_GROWTH must be another price than STRIPE_PRICE_STARTER';
    assert.deepEqual(problemsOf(same), [another]);
  });

  it('shows no secret in its error messages', () => {
    const secret = randomBytes(40).toString('base64');
    const names = Object.keys(INVALID).map((name) => [name, secret]);
    const message = complaintOf({
      ...(Object.fromEntries(names) as Environment),
      MONGODB_URI: `mysql://user:${secret}@db`,
      JWT_ISSUER: `ftp://${secret}`,
      CREDENTIAL_KEYS: `k1:${secret},${secret}:k2,k1:${secret}`,
    });
    assert.ok(!message.includes(secret.slice(0, 12)));
  });
});

describe('the configuration of encryption', () => {
  const text = KEY.toString('base64');
  const read = (TEMPORAL_PAYLOAD_KEYS: string) =>
    readWorkerConfig({ ...REQUIRED, TEMPORAL_PAYLOAD_KEYS }).temporal.payloadKeys;
  const CODEC: Environment = {
    CODEC_JWT_ISSUER: 'https://id.example',
    CODEC_JWT_AUDIENCE: 'https://temporal.example',
    TEMPORAL_PAYLOAD_KEYS: `k1:${text}`,
  };

  it('encrypts with the first key, or with none after "plain"', () => {
    const keys = [{ keyId: 'k1', key: KEY }];
    assert.deepEqual(read(`k1:${text}`), { encrypts: true, keys });
    assert.deepEqual(read(`plain,k1:${text}`), { encrypts: false, keys });
    assert.deepEqual(read(''), { encrypts: false, keys: [] });
    assert.throws(() => read(`k1:${text},plain`), ConfigError);
  });

  it('requires keys, issuer and audience of the codec endpoint, and all at once', () => {
    const required = ['TEMPORAL_PAYLOAD_KEYS', 'CODEC_JWT_ISSUER', 'CODEC_JWT_AUDIENCE'];
    const missing = required.map((name) => `${name} is required`);
    assert.deepEqual(problemsOf({}, readCodecConfig), missing);
    assert.equal(readCodecConfig(CODEC).port, 8081);
    const [problem] = problemsOf(
      { ...CODEC, CODEC_ORIGINS: 'https://ui.example/' },
      readCodecConfig,
    );
    assert.match(problem ?? '', /^CODEC_ORIGINS must be origins/);
    const ofCustomers = { ...CODEC, JWT_AUDIENCE: 'https://temporal.example' };
    const another = 'CODEC_JWT_AUDIENCE must be another audience than JWT_AUDIENCE';
    assert.deepEqual(problemsOf(ofCustomers, readCodecConfig), [another]);
  });
});
