import assert from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  Connection,
  ConnectRequest,
  Me,
  Provider,
  ProviderDescription,
  ProviderInfo,
  SaveProviderRequest,
  Subscription,
} from '../../../sdk/src/index.ts';
import { StorageRoutingError } from '../../../sdk/src/index.ts';
import { API_KEY, CREDENTIALS, emptyFolder, srs, TOKEN, type FakeClient } from './terminal.ts';

const EXTERNAL_ID = 'canary-external-id';
const SECRET = 'canary-secret-access-key';
const NEW_KEY = 'svc_test_new';
const saved: ProviderInfo = {
  provider: 'b2',
  bucketName: 'mine\u001B[2J',
  region: 'us-west-004',
  accessKeyIdMasked: 'AK…9',
  createdAt: 'then',
  updatedAt: 'now',
};
const connection: Connection = {
  connectionId: 'c0770000-0000-4000-8000-000000000001',
  roleArn: 'arn:aws:iam::1:role/r',
  externalId: EXTERNAL_ID,
  regions: ['us-east-1'],
  bucketCount: 2,
  warnings: ['no condition'],
  createdAt: 'then',
};

const me: Me = {
  accountId: 'acme',
  plan: 'free',
  keyMode: 'test',
  providers: ['r2'],
  usage: {
    period: '2026-11',
    gbRouted: 1.5,
    uploads: 3,
    gbBooked: 2,
    uploadsBooked: 4,
    gbQuota: 10,
    uploadQuota: null,
  },
};

const store = (
  provider: Provider,
  others: Partial<ProviderDescription> = {},
): ProviderDescription => ({
  provider,
  title: provider,
  kind: 'archive',
  regionPattern: '^[a-z]{2}-[a-z]+-\\d+$',
  regionExample: 'us-west-004',
  needsAccountId: false,
  jurisdictions: [],
  limits: { singlePutBytes: 5, objectBytes: 10 },
  documentation: 'https://provider.example/',
  ...others,
});
const CATALOGUE = [
  store('aws'),
  store('r2', {
    regionPattern: '^auto$',
    regionExample: 'auto',
    needsAccountId: true,
    jurisdictions: ['eu'],
  }),
  store('b2'),
];

const october = { month: '2026-10', uploads: 3, gbRouted: 2.5, savedVsAwsUsd: 0.05 };

function accountClient() {
  const asked: { saved: SaveProviderRequest[]; connected: ConnectRequest[]; rotated: number } = {
    saved: [],
    connected: [],
    rotated: 0,
  };
  const client: FakeClient = {
    me: () => Promise.resolve(me),
    account: () => Promise.resolve({ ...me, accountId: 'of-the-token' }),
    billing: { subscription: () => Promise.resolve({ subscription: null }) },
    analytics: {
      summary: () =>
        Promise.resolve({
          files: { pending: 1, active: 2, deleted: 1, expired: 0 },
          gbRouted: 2.5,
          savedVsAwsUsd: 0.05,
          byProvider: [{ provider: 'r2', files: 3, gbRouted: 2.5, savedVsAwsUsd: 0.05 }],
          currentMonth: october,
        }),
      monthly: () =>
        Promise.resolve({
          months: [
            { ...october, month: '2026-09', uploads: 0, byProvider: [] },
            { ...october, byProvider: [] },
          ],
        }),
    },
    providers: {
      catalogue: () => Promise.resolve({ items: CATALOGUE }),
      list: () => Promise.resolve({ items: [saved] }),
      save: (request) => {
        asked.saved.push(request);
        return Promise.resolve(saved);
      },
      test: (provider, { origin } = {}) =>
        Promise.resolve({
          provider,
          ok: provider === 'r2',
          checks: [
            { name: 'write', ok: false, latencyMs: 1, error: { code: 'x', message: 'no' } },
            ...(origin === undefined ? [] : [failedCors(origin)]),
          ],
        }),
      delete: () => Promise.resolve(),
    },
    apiKey: { get: () => Promise.resolve({ apiKey: null }) },
    keys: {
      rotate: () => {
        asked.rotated += 1;
        return Promise.resolve({ newApiKey: NEW_KEY, rotatedAt: 'now' });
      },
    },
    scanner: {
      connect: (request) => {
        asked.connected.push(request);
        return Promise.resolve(connection);
      },
      connections: () => Promise.resolve({ items: [connection] }),
      disconnect: () => Promise.resolve(),
    },
  };
  return { client, asked };
}

const connect = ['connect', '--role-arn', connection.roleArn, '--regions', 'us-east-1, eu-west-1'];
const set = ['providers', 'set', 'b2', '--bucket', 'mine', '--region', 'us-west-004'];
const withKeys = {
  ...CREDENTIALS,
  SRS_PROVIDER_ACCESS_KEY_ID: 'id',
  SRS_PROVIDER_SECRET_ACCESS_KEY: SECRET,
  SRS_EXTERNAL_ID: EXTERNAL_ID,
};

const failedCors = (origin: string) => ({
  name: 'cors' as const,
  ok: false,
  latencyMs: 1,
  error: { code: 'cors_refused', message: 'no rule' },
  corsRule: [{ allowedOrigins: [origin] }],
});

describe('every account command', () => {
  for (const [args, exitCode] of [
    [['me'], 0],
    [['account'], 0],
    [['usage'], 0],
    [['providers'], 0],
    [['providers', 'list'], 0],
    [set, 0],
    [['providers', 'test', 'r2'], 0],
    [['providers', 'test', 'b2'], 1],
    [['providers', 'rm', 'b2'], 0],
    [['keys', 'show'], 0],
    [connect, 0],
    [['connections'], 0],
    [['disconnect', 'c0770000-0000-4000-8000-000000000001'], 0],
  ] as const) {
    it(`${args.slice(0, 3).join(' ')} prints one document with --json, text without, and no secret`, async () => {
      const { client } = accountClient();
      const asJson = await srs([...args, '--json'], { client, env: withKeys });
      assert.deepEqual([asJson.exitCode, asJson.stderr], [exitCode, '']);
      assert.equal(asJson.documents().length, 1);
      const asText = await srs(args, { client, env: withKeys });
      assert.equal(asText.exitCode, exitCode);
      assert.notEqual(asText.stdout, '');
      for (const output of [asJson.stdout, asText.stdout, asText.stderr]) {
        assert.doesNotMatch(output.replaceAll('\n', ''), /\p{Cc}/u);
        for (const secret of [EXTERNAL_ID, SECRET, API_KEY, TOKEN])
          assert.ok(!output.includes(secret), output);
      }
    });
  }

  it('shows the usage of the month and the plan', async () => {
    const { client } = accountClient();
    const { SRS_DASHBOARD_TOKEN: _token, ...env } = CREDENTIALS;
    const { stdout, stderr } = await srs(['usage'], { client, env });
    const month =
      '2026-11, plan free\nuploads  3 done, 4 booked\nGB       1.5 routed, 2 of 10 booked\n';
    assert.equal(stdout, month);
    assert.match(stderr, /dashboard token/);
    const whole = (await srs(['usage'], { client })).stdout;
    assert.ok(whole.startsWith(month));
    const savings = [
      'so far   2.5 GB routed, $0.050000 a month saved against S3',
      'files    1 pending, 2 active, 1 deleted, 0 expired',
      'routed   r2 3 files',
    ];
    assert.ok(whole.includes(savings.join('\n')), whole);
    assert.match(whole, /2026-10 +3 +2\.5 +\$0\.050000/);
    assert.ok(!whole.includes('2026-09'), 'months before the first upload are omitted');
  });

  it('shows the state of the payment where there is a subscription', async () => {
    const accountWith = async (subscription: Subscription) => {
      const billing = { subscription: () => Promise.resolve({ subscription }) };
      const client = { ...accountClient().client, billing };
      const [document] = (await srs(['account', '--json'], { client })).documents();
      assert.deepEqual(document?.['subscription'], subscription);
      return (await srs(['account'], { client })).stdout;
    };
    const late = await accountWith({ status: 'past_due', plan: 'growth' });
    assert.match(late, /^plan .*\npayment {2}growth: late, check the card \(srs open\)\nstores /m);
    const ended = await accountWith({ status: 'canceled', plan: null });
    assert.match(ended, /^payment {2}none, the subscription has ended$/m);
  });

  it('shows no payment without a subscription, nor where the service sells no plans', async () => {
    const { client } = accountClient();
    const without = await srs(['account'], { client });
    assert.doesNotMatch(without.stdout, /payment/);
    const failWith = (code: string) => () =>
      Promise.reject(new StorageRoutingError({ code, message: code, status: 503 }));
    const sellsNone = await srs(['account'], {
      client: { ...client, billing: { subscription: failWith('billing_not_configured') } },
    });
    assert.deepEqual([sellsNone.exitCode, sellsNone.stdout], [0, without.stdout]);
    const failed = await srs(['account'], {
      client: { ...client, billing: { subscription: failWith('unavailable') } },
    });
    assert.equal(failed.exitCode, 6);
  });

  it('shows routed totals with the token alone', async () => {
    const { client } = accountClient();
    const { SRS_API_KEY: _key, ...env } = CREDENTIALS;
    const [document] = (await srs(['usage', '--json'], { client, env })).documents();
    assert.deepEqual(Object.keys(document ?? {}), ['summary', 'months']);
  });

  for (const args of [
    ['nothing-of-ours'],
    [],
    ['providers', 'set', 'r2', '--bucket', 'b'],
    ['providers', 'set', 'r2', '--bucket', 'b', '--account-id', 'a', '--region', 'x'],
    ['providers', 'set', 'aws', '--bucket', 'b'],
    ['providers', 'set', 'aws', '--bucket', 'b', '--region', 'x'],
    ['providers', 'set', 'aws', '--bucket', 'b', '--region', 'us-east-1', '--account-id', 'a'],
    ['providers', 'set', 'aws', '--bucket', 'b', '--region', 'us-east-1', '--jurisdiction', 'eu'],
    ['providers', 'set', 'r2', '--bucket', 'b', '--account-id', 'a', '--jurisdiction', 'mars'],
    ['providers', 'set', 'gcs', '--bucket', 'b'],
    ['providers', 'test', 'gcs'],
    ['providers', 'rm', 'gcs'],
    ['connect', '--regions', 'x'],
    ['connect', '--role-arn', 'x'],
    ['rm'],
    ['get'],
  ]) {
    it(`refuses: srs ${args.join(' ')}`, async () => {
      const { client, asked } = accountClient();
      assert.equal((await srs(args, { client, env: withKeys })).exitCode, 2);
      assert.deepEqual([asked.saved, asked.connected], [[], []]);
    });
  }

  for (const args of [['--help'], ['put', '--help'], ['--version'], ['help', 'scan']]) {
    it(`answers: srs ${args.join(' ')}`, async () => {
      const { exitCode, stdout } = await srs(args);
      assert.equal(exitCode, 0);
      assert.notEqual(stdout, '');
    });
  }
});

describe('the test of a store', () => {
  it('asks about an origin, and prints the rule to paste', async () => {
    const { client } = accountClient();
    const args = ['providers', 'test', 'b2', '--origin', 'https://app.example.com'];
    const { stdout, exitCode } = await srs(args, { client });
    assert.equal(exitCode, 1);
    assert.match(stdout, /cors +failed: no rule/);
    const [, rule] = stdout.split('in addition to those that are there:\n');
    assert.deepEqual(JSON.parse(rule ?? ''), [{ allowedOrigins: ['https://app.example.com'] }]);
    const [document] = (await srs([...args, '--json'], { client })).documents();
    assert.deepEqual(
      (document as { checks: unknown[] }).checks[1],
      failedCors('https://app.example.com'),
    );
  });
});

describe('the input of secrets', () => {
  it('reads the access key from the environment', async () => {
    const { client, asked } = accountClient();
    await srs(['providers', 'set', 'r2', '--bucket', 'b', '--account-id', 'a'], {
      client,
      env: withKeys,
    });
    assert.deepEqual(asked.saved, [
      {
        provider: 'r2',
        bucketName: 'b',
        region: 'auto',
        accountId: 'a',
        accessKeyId: 'id',
        secretAccessKey: SECRET,
      },
    ]);
  });

  it('sends the jurisdiction of a bucket', async () => {
    const { client, asked } = accountClient();
    const args = ['providers', 'set', 'r2', '--bucket', 'b', '--account-id', 'a'];
    await srs([...args, '--jurisdiction', 'eu'], { client, env: withKeys });
    assert.deepEqual(
      asked.saved.map((saved) => saved.jurisdiction),
      ['eu'],
    );
  });

  it('reads the access key from a terminal without echo', async () => {
    const { client, asked } = accountClient();
    const ran = await srs(set, { client, answers: ['typed-id\r', `${SECRET}\r`] });
    assert.deepEqual(
      asked.saved.map(({ accessKeyId, secretAccessKey }) => [accessKeyId, secretAccessKey]),
      [['typed-id', SECRET]],
    );
    assert.ok(!(ran.stdout + ran.stderr).includes(SECRET));
  });

  it('fails without an access key', async () => {
    const { client, asked } = accountClient();
    assert.equal((await srs(set, { client })).exitCode, 2);
    assert.deepEqual(asked.saved, []);
  });

  it('repeats no secret in an error', async () => {
    const { client } = accountClient();
    const error = new StorageRoutingError({
      code: 'x',
      message: `${SECRET}, ${API_KEY}, ${TOKEN}`,
    });
    const save = () => Promise.reject(error);
    const ran = await srs([...set, '--json'], {
      client: {
        ...client,
        providers: {
          catalogue: () => Promise.resolve({ items: CATALOGUE }),
          save,
        },
      },
      env: withKeys,
    });
    assert.deepEqual(ran.failures(), [{ error: '…, …, …', code: 'x' }]);
  });

  it('reads the external id from a file, the environment or a terminal', async () => {
    const file = join(await emptyFolder(), 'id');
    await writeFile(file, `${EXTERNAL_ID}\n`);
    for (const [args, options] of [
      [['--external-id-file', file], {}],
      [[], { env: withKeys }],
      [[], { answers: [`${EXTERNAL_ID}\r`] }],
    ] as const) {
      const { client, asked } = accountClient();
      const ran = await srs([...connect, ...args], { client, ...options });
      assert.equal(ran.exitCode, 0);
      assert.deepEqual(asked.connected, [
        {
          roleArn: connection.roleArn,
          externalId: EXTERNAL_ID,
          regions: ['us-east-1', 'eu-west-1'],
        },
      ]);
      assert.ok(!(ran.stdout + ran.stderr).includes(EXTERNAL_ID));
    }
    const { client } = accountClient();
    assert.equal((await srs(connect, { client })).exitCode, 2);
  });
});

describe('srs keys rotate', () => {
  it('prints the new key once, and nothing else', async () => {
    const { client } = accountClient();
    const env = { ...CREDENTIALS, SRS_API_KEY: '' };
    const ran = await srs(['keys', 'rotate'], { client, env });
    assert.deepEqual([ran.exitCode, ran.stdout, ran.stderr], [0, `${NEW_KEY}\n`, '']);
  });

  it('saves it with --save, and keeps the other credentials', async () => {
    const path = join(await emptyFolder(), 'c.json');
    const baseUrl = CREDENTIALS.SRS_BASE_URL;
    await writeFile(path, JSON.stringify({ baseUrl, apiKey: 'old', dashboardToken: TOKEN }), {
      mode: 0o600,
    });
    const { client } = accountClient();
    const ran = await srs(['keys', 'rotate', '--save'], {
      client,
      env: { SRS_CREDENTIALS_FILE: path },
    });
    assert.equal(ran.exitCode, 0);
    assert.ok(!(ran.stdout + ran.stderr).includes(NEW_KEY));
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), {
      baseUrl,
      apiKey: NEW_KEY,
      dashboardToken: TOKEN,
    });
  });

  it('revokes no key before the new one can be saved', async () => {
    const folder = await emptyFolder();
    const path = join(folder, 'c.json');
    await writeFile(path, JSON.stringify({ baseUrl: 'https://elsewhere.example.com' }), {
      mode: 0o600,
    });
    const env = { ...CREDENTIALS, SRS_CREDENTIALS_FILE: path };
    const { client, asked } = accountClient();
    assert.equal((await srs(['keys', 'rotate', '--save'], { client, env })).exitCode, 2);
    await chmod(path, 0o644);
    assert.equal((await srs(['keys', 'rotate', '--save'], { client, env })).exitCode, 2);
    const nowhere = { ...env, SRS_CREDENTIALS_FILE: join(folder, 'c.json', 'x') };
    assert.notEqual(
      (await srs(['keys', 'rotate', '--save'], { client, env: nowhere })).exitCode,
      0,
    );
    assert.equal(asked.rotated, 0);
  });
});
