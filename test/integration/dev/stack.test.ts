import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { MongoClient } from 'mongodb';
import { isHttpUp, isSoon } from '../../../dev/system/probes.ts';
import { silentProgress } from '../../../dev/system/progress.ts';
import { startStack } from '../../../dev/stack.ts';
import { exitOf, readUntil, ROOT, runTypeScript } from './fixtures/run.ts';

const KEYS = [
  'MONGODB_URI',
  'MONGODB_DATABASE',
  'TEMPORAL_ADDRESS',
  'TEMPORAL_NAMESPACE',
  'TEMPORAL_UI_URL',
  'JWT_ISSUER',
  'JWT_AUDIENCE',
  'JWT_JWKS_URL',
  'CREDENTIAL_KEYS',
  'STS_ENDPOINT',
  ...['AWS', 'R2', 'B2'].flatMap((name) =>
    [
      'PROVIDER_ENDPOINT',
      'STORE_*_ACCESS_KEY_ID',
      'STORE_*_SECRET_ACCESS_KEY',
      'STORE_*_BUCKET',
      'STORE_*_REGION',
    ].map((key) => (key.includes('*') ? key.replace('*', name) : `${key}_${name}`)),
  ),
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_REGION',
  'STORE_R2_ACCOUNT_ID',
  'RATE_LIMIT_KEY',
  'RATE_LIMIT_ACCOUNT',
  'RATE_LIMIT_UNAUTHENTICATED',
  'MIN_MONTHLY_SAVINGS_USD',
  'CUSTOMER_ROLE_ARN',
  'CUSTOMER_EXTERNAL_ID',
  'AWS_CONTROL_URL',
  'IDENTITY_TOKEN_URL',
  'IDENTITY_CLIENT_ID',
  'IDENTITY_CLIENT_SECRET',
  'DASHBOARD_TOKEN',
  'DASHBOARD_TOKEN_OTHER',
];

/** Every address of a running stack. */
const addressesOf = (values: Record<string, string>) =>
  ['TEMPORAL_UI_URL', 'PROVIDER_ENDPOINT_R2', 'JWT_JWKS_URL', 'AWS_CONTROL_URL'].map(
    (key) => values[key] ?? '',
  );

async function isAnswering(url: string): Promise<boolean> {
  return await fetch(url, { signal: AbortSignal.timeout(500) }).then(
    () => true,
    () => false,
  );
}

async function areAllSilent(values: Record<string, string>): Promise<boolean> {
  return await isSoon(
    async () =>
      (await Promise.all(addressesOf(values).map(isAnswering))).every((answers) => !answers),
    { withinMs: 60_000, everyMs: 100 },
  );
}

function parse(text: string): Record<string, string> {
  const lines = text.trimEnd().split('\n');
  assert.equal(lines.at(-1), 'READY');
  return Object.fromEntries(
    lines.slice(0, -1).map((line) => {
      const found = /^([A-Z][A-Z0-9_]*)=(\S+)$/.exec(line);
      assert.ok(found, `not KEY=value: ${line}`);
      return [found[1], found[2]];
    }),
  ) as Record<string, string>;
}

describe('the stack', function () {
  // The first run on a machine may have to build a server.
  this.timeout(20 * 60_000);

  it('prints its variables, READY last, and ends with everything at SIGTERM', async () => {
    const child = runTypeScript('dev/stack-command.ts');
    const values = parse(await readUntil(child, /^READY$/m));
    assert.deepEqual(
      KEYS.filter((key) => values[key] === undefined),
      [],
    );
    for (const url of addressesOf(values)) assert.ok(await isAnswering(url), url);
    assert.ok(await isHttpUp(values['TEMPORAL_UI_URL'] ?? ''));
    child.kill('SIGTERM');
    assert.equal(await exitOf(child), 0);
    assert.ok(await areAllSilent(values));
  });

  it('ends where the npm that runs it is killed', async () => {
    const npm = spawn('npm', ['run', '--silent', 'stack'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const values = parse(await readUntil(npm, /^READY$/m));
    npm.kill('SIGKILL');
    assert.ok(await areAllSilent(values));
  });

  it('provides stores that accept its keys, tokens that its keys verify, and a database', async () => {
    const stack = await startStack({ progress: silentProgress, given: {} });
    try {
      const { environment } = stack;
      for (const provider of ['AWS', 'R2', 'B2']) await putAndGet(environment, provider);
      await assumeRole(environment);
      const jwks = createRemoteJWKSet(new URL(environment['JWT_JWKS_URL'] ?? ''));
      const expected = {
        issuer: environment['JWT_ISSUER'] ?? '',
        audience: environment['JWT_AUDIENCE'] ?? '',
      };
      const tokens = [environment['DASHBOARD_TOKEN'], environment['DASHBOARD_TOKEN_OTHER']];
      const verified = await Promise.all(
        tokens.map(async (token) => await jwtVerify(token ?? '', jwks, expected)),
      );
      assert.equal(new Set(verified.map(({ payload }) => payload.sub)).size, 2);
      const client = await new MongoClient(environment['MONGODB_URI'] ?? '').connect();
      await client.db(environment['MONGODB_DATABASE']).command({ ping: 1 });
      await client.close();
      assert.match(environment['CREDENTIAL_KEYS'] ?? '', /^k1:[A-Za-z0-9+/]{43}=$/);
    } finally {
      await stack.stop();
    }
    assert.equal(existsSync(stack.processes.folder), false);
  });

  it('starts nothing whose address is given, and asks for what belongs to an address', async () => {
    const store = (name: string) => ({
      [`PROVIDER_ENDPOINT_${name}`]: 'http://127.0.0.1:1',
      [`STORE_${name}_ACCESS_KEY_ID`]: 'id',
      [`STORE_${name}_SECRET_ACCESS_KEY`]: 'secret',
      [`STORE_${name}_BUCKET`]: 'bucket',
    });
    const given = {
      MONGODB_URI: 'mongodb://127.0.0.1:1',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      ...store('AWS'),
      ...store('R2'),
      ...store('B2'),
      STORE_R2_ACCOUNT_ID: 'f'.repeat(32),
      JWT_ISSUER: 'http://127.0.0.1:1',
      JWT_AUDIENCE: 'api',
      DASHBOARD_TOKEN: 'token',
    };
    const stack = await startStack({ progress: silentProgress, given });
    const { mongodb, temporal, r2, b2, cloud, identity } = stack;
    assert.deepEqual(
      [mongodb, temporal, r2, b2, cloud, identity],
      [null, null, null, null, null, null],
    );
    for (const [key, value] of Object.entries(given)) assert.equal(stack.environment[key], value);
    await stack.stop();
    const incomplete = { ...given, STORE_B2_BUCKET: '', STORE_B2_ACCESS_KEY_ID: '' };
    await assert.rejects(
      startStack({ progress: silentProgress, given: incomplete }),
      /STORE_B2_ACCESS_KEY_ID, STORE_B2_BUCKET/,
    );
  });

  it('keeps what Temporal and MongoDB hold through a kill, where asked to', async () => {
    const stack = await startStack({ progress: silentProgress, given: {}, persistent: true });
    try {
      const uri = stack.environment['MONGODB_URI'] ?? '';
      const client = await new MongoClient(uri, { serverSelectionTimeoutMS: 5_000 }).connect();
      const rows = client.db('kept').collection<{ _id: string }>('rows');
      await rows.insertOne({ _id: 'row' });
      await Promise.all([stack.mongodb?.kill(), stack.temporal?.kill()]);
      await Promise.all([stack.mongodb?.restart(), stack.temporal?.restart()]);
      assert.equal(await rows.countDocuments(), 1);
      await client.close();
    } finally {
      await stack.stop();
    }
  });
});

async function putAndGet(
  environment: Readonly<Record<string, string>>,
  provider: string,
): Promise<void> {
  const read = (name: string) => environment[`STORE_${provider}_${name}`] ?? '';
  const client = new S3Client({
    endpoint: environment[`PROVIDER_ENDPOINT_${provider}`] ?? '',
    forcePathStyle: true,
    region: read('REGION'),
    credentials: { accessKeyId: read('ACCESS_KEY_ID'), secretAccessKey: read('SECRET_ACCESS_KEY') },
  });
  const object = { Bucket: read('BUCKET'), Key: 'folder/file' };
  await client.send(new PutObjectCommand({ ...object, Body: provider }));
  const answer = await client.send(new GetObjectCommand(object));
  assert.equal(await answer.Body?.transformToString(), provider);
  client.destroy();
}

/** The service's own identity may assume the customer's role only with the external id. */
async function assumeRole(environment: Readonly<Record<string, string>>): Promise<void> {
  const client = new STSClient({
    endpoint: environment['STS_ENDPOINT'] ?? '',
    region: environment['AWS_REGION'] ?? '',
    credentials: {
      accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
    },
  });
  const role = { RoleArn: environment['CUSTOMER_ROLE_ARN'], RoleSessionName: 'test' };
  const ExternalId = environment['CUSTOMER_EXTERNAL_ID'];
  const answer = await client.send(new AssumeRoleCommand({ ...role, ExternalId }));
  assert.ok(answer.Credentials?.SessionToken);
  await assert.rejects(client.send(new AssumeRoleCommand(role)), { name: 'AccessDenied' });
  client.destroy();
}
