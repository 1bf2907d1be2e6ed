import assert from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Subscription, StorageRoutingError } from '../../../sdk/src/index.ts';
import { accountClient, connection, EXTERNAL_ID, failedCors, NEW_KEY } from './account-client.ts';
import * as terminal from './terminal.ts';
import { API_KEY, CREDENTIALS, emptyFolder, srs, TOKEN } from './terminal.ts';

const SECRET = 'canary-secret-access-key';
const connect = `connect --role-arn ${connection.roleArn} --regions us-east-1,eu-west-1`;
const set = 'providers set b2 --bucket mine --region us-west-004';
const withKeys = {
  ...CREDENTIALS,
  SRS_PROVIDER_ACCESS_KEY_ID: 'id',
  SRS_PROVIDER_SECRET_ACCESS_KEY: SECRET,
  SRS_EXTERNAL_ID: EXTERNAL_ID,
};
const without = (name: keyof typeof CREDENTIALS) => ({ ...CREDENTIALS, [name]: undefined });

describe('every account command', () => {
  const commands =
    'me,account,usage,providers,providers list,providers test r2,providers rm b2,keys show,connections';
  for (const command of [
    ...commands.split(','),
    set,
    connect,
    `disconnect ${terminal.CONNECTION_ID}`,
    'providers test b2',
  ])
    it(`prints one document with --json, text without, and no secret: ${command}`, async () => {
      const { client } = accountClient();
      const asJson = await srs(`${command} --json`, { client, env: withKeys });
      const exitCode = command === 'providers test b2' ? 1 : 0;
      assert.deepEqual([asJson.exitCode, asJson.stderr], [exitCode, '']);
      assert.equal(asJson.documents().length, 1);
      const asText = await srs(command, { client, env: withKeys });
      assert.equal(asText.exitCode, exitCode);
      assert.notEqual(asText.stdout, '');
      for (const output of [asJson.stdout, asText.stdout, asText.stderr]) {
        assert.doesNotMatch(output.replaceAll('\n', ''), /\p{Cc}/u);
        for (const secret of [EXTERNAL_ID, SECRET, API_KEY, TOKEN])
          assert.ok(!output.includes(secret), output);
      }
    });

  it('shows the usage of the month and the plan, and what is routed with the token', async () => {
    const { client } = accountClient();
    const month =
      '2026-11, plan starter\nuploads  1,204 done, 1,210 of 50,000 booked\nGB       41.5 routed, 41.75 of 500 booked\n';
    const ofKey = await srs('usage', { client, env: without('SRS_DASHBOARD_TOKEN') });
    assert.equal(ofKey.stdout, month);
    assert.match(ofKey.stderr, /dashboard token/);
    const whole = (await srs('usage', { client })).stdout;
    const savings = [
      'so far   2.5 GB routed, $0.05 a month saved against S3',
      'files    1 pending, 2 active, 1 deleted, 0 expired',
      'routed   r2 3 files',
    ];
    assert.ok(whole.startsWith(month) && whole.includes(savings.join('\n')), whole);
    assert.match(whole, /2026-10 +3 +2\.5 +\$0\.05$/m);
    assert.ok(!whole.includes('2026-09'), 'months before the first upload are omitted');
    const ofToken = await srs('usage --json', { client, env: without('SRS_API_KEY') });
    assert.deepEqual(Object.keys(ofToken.documents()[0] ?? {}), ['summary', 'months']);
  });

  it('shows the state of the payment where there is a subscription', async () => {
    for (const [subscription, shown] of [
      [
        { status: 'past_due', plan: 'growth' },
        /^plan .*\npayment {2}growth: late, check the card \(srs open\)\nstores /m,
      ],
      [{ status: 'canceled', plan: null }, /^payment {2}none, the subscription has ended$/m],
    ] satisfies [Subscription, RegExp][]) {
      const billing = { subscription: async () => ({ subscription }) };
      const client = { ...accountClient().client, billing };
      const [document] = (await srs('account --json', { client })).documents();
      assert.deepEqual(document?.['subscription'], subscription);
      assert.match((await srs('account', { client })).stdout, shown);
    }
  });

  it('shows no payment without a subscription, nor where the service sells no plans', async () => {
    const { client } = accountClient();
    const none = await srs('account', { client });
    assert.doesNotMatch(none.stdout, /payment/);
    for (const [code, exitCode, stdout] of [
      ['billing_not_configured', 0, none.stdout],
      ['unavailable', 6, ''],
    ] as const) {
      const subscription = () => Promise.reject(terminal.refusal(code, 503));
      const ran = await srs('account', { client: { ...client, billing: { subscription } } });
      assert.deepEqual([ran.exitCode, ran.stdout], [exitCode, stdout]);
    }
  });

  it('asks of the test of a store about an origin, and prints the rule to paste', async () => {
    const { client } = accountClient();
    const origin = 'https://app.example.com';
    const command = `providers test b2 --origin ${origin}`;
    const { stdout, exitCode } = await srs(command, { client });
    assert.equal(exitCode, 1);
    assert.match(stdout, /cors +failed: no rule/);
    assert.match(stdout, /conditional_put +no$/m);
    const [, rule] = stdout.split('in addition to those that are there:\n');
    assert.deepEqual(JSON.parse(rule ?? ''), [{ allowedOrigins: [origin] }]);
    const [document] = (await srs(`${command} --json`, { client })).documents();
    assert.deepEqual((document as { checks: unknown[] }).checks[1], failedCors(origin));
  });
});

describe('the former places of a store', () => {
  it('are listed below it, with what is there, and their account where it is another one', async () => {
    const [, shown = '', former = '', ...others] = (
      await srs('providers', { client: accountClient().client })
    ).stdout.split('\n');
    assert.match(shown, /^r2 +\S+ +auto \(eu\) /);
    assert.match(
      former,
      /^ {2}former +acme-hot-2025 +auto \(9a8b7c6d5e4f30211203f4e5d6c7b8a9\) +7c6d…4f30 +2026-11-20T11:50:00.000Z +120 files, 7\.34 GB$/,
    );
    assert.deepEqual(others, ['']);
  });

  it('get new keys by --former', async () => {
    const { client, asked } = accountClient();
    const ran = await srs(`${set} --former`, { client, env: withKeys });
    const place = { provider: 'b2', bucketName: 'mine', region: 'us-west-004', place: 'former' };
    assert.deepEqual(asked.saved, [{ ...place, accessKeyId: 'id', secretAccessKey: SECRET }]);
    assert.doesNotMatch(ran.stderr, /srs providers test/);
  });
});

describe('the input of secrets', () => {
  it('reads the access key from the environment, and sends the jurisdiction of a bucket', async () => {
    const { client, asked } = accountClient();
    const command = 'providers set r2 --bucket b --account-id a';
    for (const option of ['', '--jurisdiction eu'])
      await srs(`${command} ${option}`, { client, env: withKeys });
    const place = { provider: 'r2', bucketName: 'b', region: 'auto', accountId: 'a' };
    const request = { ...place, accessKeyId: 'id', secretAccessKey: SECRET };
    assert.deepEqual(asked.saved, [request, { ...request, jurisdiction: 'eu' }]);
  });

  it('reads the access key from a terminal without echo, and fails without one', async () => {
    const { client, asked } = accountClient();
    assert.equal((await srs(set, { client })).exitCode, 2);
    assert.deepEqual(asked.saved, []);
    const ran = await srs(set, { client, answers: ['typed-id\r', `${SECRET}\r`] });
    const [{ accessKeyId, secretAccessKey } = assert.fail(), ...others] = asked.saved;
    assert.deepEqual([accessKeyId, secretAccessKey, others], ['typed-id', SECRET, []]);
    assert.ok(!(ran.stdout + ran.stderr).includes(SECRET));
  });

  it('repeats no secret in an error', async () => {
    const { client } = accountClient();
    const message = `${SECRET}, ${API_KEY}, ${TOKEN}`;
    const save = () => Promise.reject(new StorageRoutingError({ code: 'x', message }));
    const providers = { ...client.providers, save };
    const ran = await srs(`${set} --json`, { client: { ...client, providers }, env: withKeys });
    assert.deepEqual(ran.failures(), [{ error: '…, …, …', code: 'x' }]);
  });

  it('reads the external id from a file, the environment or a terminal', async () => {
    const file = join(await emptyFolder(), 'id');
    await writeFile(file, `${EXTERNAL_ID}\n`);
    for (const [option, options] of [
      [`--external-id-file ${file}`, {}],
      ['', { env: withKeys }],
      ['', { answers: [`${EXTERNAL_ID}\r`] }],
    ] as const) {
      const { client, asked } = accountClient();
      const ran = await srs(`${connect} ${option}`, { client, ...options });
      assert.equal(ran.exitCode, 0);
      const role = { roleArn: connection.roleArn, regions: ['us-east-1', 'eu-west-1'] };
      assert.deepEqual(asked.connected, [{ ...role, externalId: EXTERNAL_ID }]);
      assert.ok(!(ran.stdout + ran.stderr).includes(EXTERNAL_ID));
    }
    assert.equal((await srs(connect, { client: accountClient().client })).exitCode, 2);
  });

  it('connects a store by its stored credentials, asks for no secret, and lists its buckets', async () => {
    const { client, asked } = accountClient();
    const ran = await srs('connect --provider b2 --buckets media,backups', { client });
    assert.match(ran.stdout, /b2: \d+ buckets$/m);
    await srs('connect --provider b2', { client });
    assert.deepEqual(asked.connected, [
      { provider: 'b2', buckets: ['media', 'backups'] },
      { provider: 'b2', buckets: null },
    ]);
    const listed = (await srs('connections', { client })).stdout;
    assert.match(listed, /  b2 +media,backups,the stored one +/);
    for (const wrong of ['--provider b2 --regions us-east-1', '--buckets media', ''])
      assert.equal((await srs(`connect ${wrong}`, { client })).exitCode, 2);
  });
});

describe('srs keys rotate', () => {
  const rotate = (file: string, client = accountClient().client, more: object = {}) =>
    srs('keys rotate --save', { client, env: { ...more, SRS_CREDENTIALS_FILE: file } });

  it('prints the new key once, and nothing else', async () => {
    const { client } = accountClient();
    const ran = await srs('keys rotate', { client, env: { ...CREDENTIALS, SRS_API_KEY: '' } });
    assert.deepEqual([ran.exitCode, ran.stdout, ran.stderr], [0, `${NEW_KEY}\n`, '']);
  });

  it('saves it with --save, and keeps the other credentials', async () => {
    const path = join(await emptyFolder(), 'c.json');
    const kept = { baseUrl: CREDENTIALS.SRS_BASE_URL, apiKey: 'old', dashboardToken: TOKEN };
    await writeFile(path, JSON.stringify(kept), { mode: 0o600 });
    const ran = await rotate(path);
    assert.equal(ran.exitCode, 0);
    assert.ok(!(ran.stdout + ran.stderr).includes(NEW_KEY));
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), { ...kept, apiKey: NEW_KEY });
  });

  it('revokes no key before the new one can be saved', async () => {
    const path = join(await emptyFolder(), 'c.json');
    const elsewhere = JSON.stringify({ baseUrl: 'https://elsewhere.example.com' });
    await writeFile(path, elsewhere, { mode: 0o600 });
    const { client, asked } = accountClient();
    assert.equal((await rotate(path, client, CREDENTIALS)).exitCode, 2);
    await chmod(path, 0o644);
    assert.equal((await rotate(path, client, CREDENTIALS)).exitCode, 2);
    assert.notEqual((await rotate(join(path, 'x'), client, CREDENTIALS)).exitCode, 0);
    assert.equal(asked.rotated, 0);
  });
});
