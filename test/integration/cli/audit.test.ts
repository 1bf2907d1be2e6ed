import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text as collect } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { rolePolicy } from '../../../adapters/cloud-account/permissions.ts';
import { run } from '../../../audit/src/run.ts';
import { startAwsDouble, type AwsDouble } from '../../../dev/aws-double/index.ts';
import { R2_BEHAVIOUR } from '../../../dev/aws-double/behaviour.ts';
import { createAccessKey } from '../../../dev/parts/cloud-account.ts';
import { seedSampleAccount } from '../../../dev/sample-account.ts';
import { seedSampleUsage } from '../../../dev/sample-usage.ts';
import { isSoon } from '../../../dev/system/probes.ts';
import type { ScanResult } from '../../../sdk/src/index.ts';
import { slowDown, type CloudCustomer } from '../../harness/cloud-customer.ts';
import { opened } from '../../harness/opened.ts';
import { cloudCustomerPerTest } from '../customers.ts';
import {
  AUDIT,
  buildAudit,
  buildCommandLine,
  commandLineIn,
  type CommandLine,
} from './command-line.ts';

/** The service's own account: what the role of a customer trusts. */
const TRUSTED_ACCOUNT = '999988887777';
/** As the local servers set them. */
const ALL_SAVINGS = { MIN_MONTHLY_SAVINGS_USD: '0', MIN_MOVE_MONTHLY_SAVINGS_USD: '0' };

type Result = Omit<ScanResult, 'scanId'> & { readonly scanId: null };

/** The environment of a user of an account, who may do what a role of the service may. */
function userOf(
  double: AwsDouble,
  accountId: string,
  policies: readonly object[] = [rolePolicy()],
): Record<string, string> {
  const keys = createAccessKey();
  double.putUser({ ...keys, accountId, policies: policies as never });
  return {
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    AWS_ENDPOINT_URL_S3: double.s3Endpoint,
    AWS_ENDPOINT_URL_STS: double.stsEndpoint,
    AWS_ENDPOINT_URL_COST_EXPLORER: double.costExplorerEndpoint,
    AWS_ENDPOINT_URL_CLOUDWATCH: double.cloudWatchEndpoint,
    ...ALL_SAVINGS,
  };
}

/** What does not depend on when, by whom and with how many requests it was made. */
function comparable({ requests: _requests, ...result }: object & { requests?: unknown }): unknown {
  const text = JSON.stringify(result).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
  return JSON.parse(text);
}

const ofScan = (scan: ScanResult) => ({
  ...scan,
  scanId: null,
  connectionId: null,
  source: 'local',
  recommendations: scan.recommendations.map((each) => ({ ...each, recommendationId: null })),
});

describe('srs-audit, as a process', () => {
  const customer = cloudCustomerPerTest();
  const folder = opened(async () => {
    const path = await mkdtemp(join(tmpdir(), 'srs-audit-'));
    return { path, close: () => rm(path, { recursive: true }) };
  }, 'test');
  let program: CommandLine;
  before(buildAudit);
  beforeEach(() => {
    program = commandLineIn(folder.path, userOf(customer.double, customer.awsAccount), AUDIT);
  });

  const json = async (args: readonly string[], env?: Record<string, string>) => {
    const ran = await program.run(['--yes', '--format', 'json', '-o', '-', ...args], env);
    return { ...ran, result: JSON.parse(ran.stdout.toString() || 'null') as Result };
  };
  const requestsOf = ({ double, awsAccount }: CloudCustomer) =>
    double.requests().filter(({ caller }) => caller?.includes(`:${awsAccount}:user/`));
  const seed = (name: string, count = 2_500) => {
    const bucket = customer.bucket(name);
    const lastModified = { from: '2026-01-01T00:00:00Z', to: '2026-06-01T00:00:00Z' };
    const generated = { count, keyPattern: 'a/{i:6}', size: [1_000_000], lastModified };
    customer.double.seed({ bucket, generated: [generated] });
    return bucket;
  };

  it('says of an account what the service says of it, field by field', async () => {
    const { double, awsAccount: accountId } = customer;
    const sample = { accountId, now: new Date(), prefix: `s${accountId}-` };
    seedSampleAccount(double, sample);
    seedSampleUsage(double, sample);
    const scan = await customer.scan();
    const { result, exitCode, stderr } = await json([]);
    assert.equal(exitCode, 0, stderr);
    assert.ok(scan.recommendations.length > 5 && scan.summary.bill);
    assert.deepEqual(comparable(result), comparable(ofScan(scan)));
    assert.deepEqual(Object.keys(result), Object.keys(scan));
    assert.match(stderr, /will call AWS S3 for the settings and listings of 16 buckets: about/);
    // Nothing is changed, and no object is read.
    const operations = new Set(requestsOf(customer).map(({ operation }) => operation));
    for (const operation of operations)
      assert.match(operation, /^(?:List|GetBucket|GetCost|GetMetric|GetCaller|GetObjectLockConf)/);
  });

  it('writes a page, a text and a table for people, without ids, and with each command', async () => {
    const { double, awsAccount: accountId } = customer;
    const sample = { accountId, now: new Date(), prefix: `s${accountId}-` };
    seedSampleAccount(double, sample);
    seedSampleUsage(double, sample);
    const pages = await Promise.all(
      ['html', 'md', 'csv'].map(async (format) => {
        const ran = await program.run(['--yes', '--format', format]);
        assert.equal(ran.exitCode, 0, ran.stderr);
        const name = new RegExp(`storage-audit-${accountId}-\\d{4}-\\d\\d-\\d\\d\\.${format}`);
        const [path = assert.fail(ran.stderr)] = name.exec(ran.stderr) ?? [];
        return await readFile(join(folder.path, path), 'utf8');
      }),
    );
    const [html = '', md = '', csv = ''] = pages;
    assert.match(html, /^<!doctype html>/);
    assert.match(html, /<pre><code>[^<]*aws s3api put-bucket-lifecycle-configuration/);
    for (const page of [html, md]) {
      assert.match(page, /Where the service comes in/);
      assert.doesNotMatch(page, /srs approve|00000000-0000/);
    }
    assert.match(csv, /^scanId,recommendationId,/);
    assert.match(csv, /\r\n,,move,open,/);
  });

  it('names what it may not read, and goes on with the rest', async () => {
    const [refused, read] = [seed('refused'), seed('read')];
    const { awsAccount, double } = customer;
    const resources = [`arn:aws:s3:::${refused}`, `arn:aws:s3:::${refused}/*`];
    const deny = { Effect: 'Deny', Action: 's3:*', Resource: resources };
    const policies = [rolePolicy(), { Version: '2012-10-17', Statement: [deny] }];
    const { result, exitCode } = await json([], userOf(double, awsAccount, policies));
    assert.equal(exitCode, 0);
    const missing = result.summary.coverage.filter(({ bucket }) => bucket === refused);
    assert.ok(missing.some((gap) => gap.missing === 's3:ListBucket'));
    assert.deepEqual(
      result.buckets.map(({ name, error, objects }) => [name, error?.code ?? null, objects]),
      [
        [read, null, 2_500],
        [refused, 'provider_error', 0],
      ],
    );
  });

  it('exits with 1, the reasons and what to allow, where nothing can be read', async () => {
    const bucket = seed('closed');
    const none = userOf(customer.double, customer.awsAccount, []);
    const unlisted = await json([], none);
    assert.equal(unlisted.exitCode, 1);
    assert.match(unlisted.stderr, /buckets cannot be listed: .*"s3:ListAllMyBuckets"/);
    const unread = await json(['--bucket', bucket], none);
    assert.equal(unread.exitCode, 1);
    assert.match(
      unread.stderr,
      new RegExp(`nothing could be read\\. ${bucket}: .*"s3:ListBucket"`),
    );
    const keys = { AWS_ACCESS_KEY_ID: 'AKIA0000000000000000' };
    const unknown = await json([], keys);
    assert.equal(unknown.exitCode, 1);
    assert.match(unknown.stderr, /does not accept the credentials of this shell/);
    assert.equal(unknown.stdout.length, 0);
  });

  it('sends as many requests as it may, and exits with 3 and a report that says so', async () => {
    seed('one', 9_000);
    seed('two', 9_000);
    customer.double.resetCounters();
    const { result, exitCode, stderr } = await json(['--max-requests', '18']);
    assert.equal(exitCode, 3, stderr);
    const sent = requestsOf(customer).filter(({ service }) => service === 's3');
    assert.equal(sent.length, 18);
    assert.equal(result.requests.list + result.requests.other, 18);
    const codes = result.buckets.map(({ error }) => error?.code);
    assert.deepEqual([...new Set(codes)], ['max_requests']);
    assert.match(stderr, /It is not complete/);
  });

  it('writes what it has read on Ctrl-C, and exits with 130', async () => {
    seed('long', 40_000);
    slowDown(customer);
    const args = ['--yes', '--format', 'json', '-o', 'cut.json'];
    const running = program.start(args);
    running.stdin.end();
    const isListing = async () =>
      requestsOf(customer).some(({ operation, status }) => operation === 'ListObjectsV2' && status);
    assert.ok(await isSoon(isListing, { withinMs: 60_000, everyMs: 50 }), running.stderr());
    running.kill('SIGINT');
    const { exitCode, stderr } = await running.ended;
    assert.equal(exitCode, 130, stderr);
    const result = JSON.parse(await readFile(join(folder.path, 'cut.json'), 'utf8')) as Result;
    const [bucket] = result.buckets;
    assert.equal(bucket?.error?.code, 'interrupted');
    assert.ok(bucket.objects > 0 && bucket.objects < 40_000);
    assert.match(result.summary.coverage[0]?.effect ?? '', /interrupted/);
    assert.equal(result.status, 'completed');
  });

  it('sends nothing where its file cannot be written, or its arguments are wrong', async () => {
    seed('any');
    customer.double.resetCounters();
    await mkdir(join(folder.path, 'folder'));
    for (const path of ['nowhere/report.html', 'folder']) {
      const ran = await program.run(['--yes', '-o', path]);
      assert.equal(ran.exitCode, 1, path);
      assert.match(ran.stderr, /cannot be written/);
    }
    for (const [args, why] of [
      [['--format', 'pdf'], /--format/],
      [['--max-requests', '0'], /whole number of at least 1/],
      [['--external-id', 'x'], /needs --role-arn/],
      [['--role-arn', 'me'], /must be the ARN of a role/],
      [['--account-id', '1'], /need --connect/],
      [['--connect', 'aws'], /Allowed choices are r2/],
      [['--connect', 'b2', '--profile', 'x'], /cannot be used with/],
      [['--connect', 'b2'], /--region must be a region of Backblaze B2/],
      [['--connect', 'r2'], /--account-id must be an account of/],
      [['--connect', 'wasabi', '--region', 'us-east-1'], /STORE_ACCESS_KEY_ID/],
      [['more'], /too many arguments/],
    ] as const) {
      const ran = await program.run(['--yes', ...args]);
      assert.equal(ran.exitCode, 2, args.join(' '));
      assert.match(ran.stderr, why);
    }
    const bad = await program.run(['--yes'], { MIN_MONTHLY_SAVINGS_USD: 'much' });
    assert.equal(bad.exitCode, 2);
    assert.deepEqual(requestsOf(customer), []);
    assert.deepEqual(await readdir(folder.path), ['folder']);
  });

  it('says what it would call, and exits with 2, where nobody can be asked', async () => {
    const bucket = seed('counted');
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    customer.double.putMetrics([
      {
        accountId: customer.awsAccount,
        region: 'us-east-1',
        name: 'NumberOfObjects',
        dimensions: { BucketName: bucket, StorageType: 'AllStorageTypes' },
        values: { [day]: 2_000_000 },
      },
    ]);
    const { exitCode, stderr } = await program.run([]);
    assert.equal(exitCode, 2);
    // 2,000 pages, one of unfinished uploads, seven settings.
    assert.match(
      stderr,
      /of 1 bucket: about 2,008 requests, \$0\.01; CloudWatch .* \$0\.01 a page/,
    );
    assert.match(stderr, /--yes/);
    assert.doesNotMatch(stderr, /may hold more/);
    const withoutBill = await program.run(['--no-bill']);
    assert.match(withoutBill.stderr, /1 bucket may hold more/);
    assert.doesNotMatch(withoutBill.stderr, /CloudWatch|Cost Explorer/);
    assert.ok(!requestsOf(customer).some(({ operation }) => operation.startsWith('ListObject')));
  });

  it('reads the buckets and regions that are named, as a role or a profile', async () => {
    const { double, roleArn, externalId } = customer;
    const [here] = [seed('here'), customer.bucket('there', 'eu-central-1')];
    const names = ({ buckets }: Result) => buckets.map(({ name }) => name);
    assert.deepEqual(names((await json(['--bucket', here])).result), [here]);
    assert.deepEqual(names((await json(['--region', 'us-east-1', 'us-west-2'])).result), [here]);
    const trusted = userOf(double, TRUSTED_ACCOUNT, [
      { Statement: { Effect: 'Allow', Action: 'sts:AssumeRole', Resource: '*' } },
    ]);
    const role = ['--role-arn', roleArn, '--external-id', externalId, '--region', 'us-east-1'];
    assert.deepEqual(names((await json(role, trusted)).result), [here]);
    const refused = await json(role.with(3, 'x'.repeat(16)), trusted);
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, /sts:ExternalId/);
    const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = userOf(
      double,
      customer.awsAccount,
    );
    await mkdir(join(folder.path, '.aws'));
    await writeFile(
      join(folder.path, '.aws', 'credentials'),
      `[work]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`,
    );
    const without = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' };
    const profiled = await json(['--profile', 'work', '--bucket', here], without);
    assert.equal(profiled.exitCode, 0, profiled.stderr);
    assert.deepEqual(names(profiled.result), [here]);
  });
});

describe('the package of srs-audit', () => {
  const folder = opened(async () => {
    const path = await mkdtemp(join(tmpdir(), 'srs-audit-'));
    return { path, close: () => rm(path, { recursive: true }) };
  });
  const [node = '', main = ''] = AUDIT;
  before(() => Promise.all([buildAudit(), buildCommandLine()]));

  it('is one file, which says the version of the package', async () => {
    const packed = await commandLineIn(folder.path, {}, ['npm', 'pack', '--dry-run', '--json']).run(
      ['--ignore-scripts', fileURLToPath(new URL('../../../audit', import.meta.url))],
    );
    const [{ files, version } = assert.fail(packed.stderr)] = JSON.parse(
      packed.stdout.toString(),
    ) as { files: { path: string }[]; version: string }[];
    assert.deepEqual(files.map(({ path }) => path).sort(), [
      'LICENSE',
      'README.md',
      'dist/main.js',
      'package.json',
    ]);
    const said = await commandLineIn(folder.path, {}, AUDIT).run(['--version']);
    assert.equal(said.stdout.toString(), `${version}\n`);
  });

  it('is run by srs audit, which says how to get it where it is not installed', async () => {
    const bin = join(folder.path, 'bin');
    await mkdir(bin);
    const srs = commandLineIn(folder.path, { PATH: bin });
    const missing = await srs.run(['audit', '--yes', '--bucket', 'b']);
    assert.equal(missing.exitCode, 1);
    assert.match(missing.stderr, /npx @storage-routing\/audit --yes --bucket b runs it/);
    await writeFile(join(bin, 'srs-audit'), `#!/bin/sh\nexec ${node} ${main} "$@"\n`, {
      mode: 0o755,
    });
    const help = await srs.run(['audit', '--help']);
    assert.deepEqual([help.exitCode, help.stderr], [0, '']);
    assert.match(help.stdout.toString(), /^Usage: srs-audit /);
    const wrong = await srs.run(['audit', '--format', 'pdf', '--json']);
    assert.equal(wrong.exitCode, 2);
    assert.match(wrong.stderr, /^srs-audit: /);
  });
});

describe('srs-audit of another store', () => {
  const r2 = opened(async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'srs-audit-r2-'));
    const double = await startAwsDouble({ dataDirectory, behaviour: R2_BEHAVIOUR });
    const keys = createAccessKey();
    double.putUser({ ...keys, accountId: '111122223333' });
    for (const name of ['photos', 'backups']) {
      double.putBucket({ name, accountId: '111122223333' });
      const object = { key: 'a/x', size: 5_000_000, lastModified: '2026-01-01T00:00:00Z' };
      double.seed({ bucket: name, objects: [object] });
    }
    const env = {
      STORE_ACCESS_KEY_ID: keys.accessKeyId,
      STORE_SECRET_ACCESS_KEY: keys.secretAccessKey,
      AWS_ENDPOINT_URL_S3: double.s3Endpoint,
    };
    return { double, env, close: () => double.close() };
  });
  const ARGS = ['--connect', 'r2', '--account-id', '0'.repeat(32), '--format', 'json', '-o', '-'];

  /** Runs it with terminals on which `answer` is typed. */
  async function runAsked(answer: string) {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const terminal = { isTTY: true };
    stdin.end(answer);
    const exitCode = await run(ARGS, {
      stdin: Object.assign(stdin, terminal),
      stdout,
      stderr: Object.assign(stderr, terminal),
      env: r2.env,
      interrupted: new AbortController().signal,
    });
    stdout.end();
    stderr.end();
    return { exitCode, stdout: await collect(stdout), stderr: await collect(stderr) };
  }

  it('reads all that its keys may list after a yes, with a bar', async () => {
    const { exitCode, stdout, stderr } = await runAsked('y\n');
    assert.equal(exitCode, 0, stderr);
    const result = JSON.parse(stdout) as Result;
    assert.equal(result.provider, 'r2');
    assert.deepEqual(
      result.buckets.map(({ name, objects, bytes }) => [name, objects, bytes]),
      [
        ['backups', 1, 5_000_000],
        ['photos', 1, 5_000_000],
      ],
    );
    assert.match(stderr, /This audit of Cloudflare R2 will call .*Start\? \[y\/N\] /s);
    assert.match(stderr, /░/);
    assert.doesNotMatch(stderr, /Cost Explorer/);
  });

  it('reads nothing without a yes', async () => {
    r2.double.resetCounters();
    for (const answer of ['n\n', '\n', '']) {
      const { exitCode, stdout } = await runAsked(answer);
      assert.deepEqual([exitCode, stdout], [1, '']);
    }
    assert.deepEqual(Object.keys(r2.double.counts().byOperation), ['ListBuckets']);
  });
});
