import assert from 'node:assert/strict';
import {
  GetBucketLifecycleConfigurationCommand,
  GetObjectTaggingCommand,
  ListObjectsV2Command,
  PutBucketLifecycleConfigurationCommand,
  S3Client,
  type LifecycleRule,
} from '@aws-sdk/client-s3';
import type { Stack } from '../../dev/stack.ts';
import type { HowTo, Recommendation, ScanResult } from '../../sdk/src/index.ts';
import { createCloudCustomer, type CloudCustomer } from '../harness/cloud-customer.ts';
import { addOwner, openTerminal, type Terminal, writeOldCli } from '../harness/pasted-commands.ts';
import { programPath } from '../harness/programs.ts';
import { localServers, localService } from '../servers.ts';

const MIB = 2 ** 20;
const DAY_MS = 86_400_000;
/** A rule of the customer's own. */
const OWN_RULE: LifecycleRule = {
  ID: 'tmp',
  Status: 'Enabled',
  Filter: { Prefix: 'tmp/' },
  Expiration: { Days: 9_000 },
};
const cli = programPath('aws');

const how = cli === undefined ? 'by the SDK: there is no AWS CLI here' : 'pasted into a shell';

describe(`howTo, ${how}`, () => {
  let stack: Stack;
  let baseUrl: string;
  let customer: CloudCustomer;
  let terminal: Terminal | undefined;
  let s3: S3Client;
  let owner: ReturnType<typeof addOwner>;

  before(async () => {
    ({ stack } = await localServers());
    ({ baseUrl } = await localService());
  });
  beforeEach(async () => {
    customer = await createCloudCustomer(stack, baseUrl);
    const { double, awsAccount } = customer;
    owner = addOwner(double, awsAccount);
    if (cli !== undefined) terminal = await openTerminal(cli, double, owner);
    s3 = new S3Client({
      endpoint: double.s3Endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      followRegionRedirects: true,
      credentials: owner,
    });
  });
  afterEach(() => s3.destroy());

  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  const rulesOf = async (Bucket: string) => {
    const { Rules = [], TransitionDefaultMinimumObjectSize: minimum } = await s3.send(
      new GetBucketLifecycleConfigurationCommand({ Bucket }),
    );
    return { rules: Rules, minimum };
  };
  const noRules = (error: unknown) => {
    if ((error as Error).name !== 'NoSuchLifecycleConfiguration') throw error;
    return { rules: [], minimum: undefined };
  };
  const putOwnRule = (Bucket: string) =>
    s3.send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket,
        TransitionDefaultMinimumObjectSize: 'varies_by_storage_class',
        LifecycleConfiguration: { Rules: [OWN_RULE] },
      }),
    );
  const codesOf = ({ buckets }: ScanResult) =>
    buckets.flatMap(({ findings }) => findings.map(({ code }) => code));
  const find = (scan: ScanResult, kind: Recommendation['kind'], toClass: string | null = null) => {
    const found = scan.recommendations.find(
      (one) => one.kind === kind && one.recommendedStorageClass === toClass,
    );
    assert.ok(found?.howTo, `${kind} has no howTo`);
    return { recommendation: found, howTo: found.howTo };
  };
  /** What the commands print. Without a CLI the rule is added by the calls that they make. */
  const carryOut = async (Bucket: string, { commands, lifecycleRule }: HowTo) => {
    const printed: string[] = [];
    if (terminal !== undefined) {
      for (const command of commands) printed.push(await terminal.paste(command));
      return printed.join('');
    }
    const { rules, minimum } = await rulesOf(Bucket).catch(noRules);
    const rule = lifecycleRule as unknown as LifecycleRule;
    if (rules.some(({ ID }) => ID === rule.ID)) return 'The rule is there already.';
    const put = new PutBucketLifecycleConfigurationCommand({
      Bucket,
      TransitionDefaultMinimumObjectSize: minimum,
      LifecycleConfiguration: { Rules: [...rules, rule] },
    });
    await s3.send(put);
    return 'The rule is added.';
  };

  type Seed = Omit<Parameters<CloudCustomer['double']['seed']>[0], 'bucket'>;

  /** A bucket with a rule of its own, its first scan, and how to carry out one recommendation of it. */
  const advised = async (
    name: string,
    kind: Recommendation['kind'],
    seed: Seed,
    toClass: string | null = null,
  ) => {
    const bucket = customer.bucket(name);
    await putOwnRule(bucket);
    customer.double.seed({ bucket, ...seed });
    const scan = await customer.scan();
    return { bucket, scan, ...find(scan, kind, toClass), before: await rulesOf(bucket) };
  };
  /** It adds its rule beside the others. */
  const addRule = async (bucket: string, howTo: HowTo) => {
    const { rules } = await rulesOf(bucket).catch(noRules);
    const printed = await carryOut(bucket, howTo);
    const after = await rulesOf(bucket);
    assert.deepEqual(after.rules, [...rules, howTo.lifecycleRule]);
    return { printed, after };
  };
  /** What the lifecycle leaves. */
  const scanApplied = async (bucket: string) => {
    await customer.double.applyLifecycle(bucket);
    return await customer.scan();
  };
  const UPLOADS: Seed = {
    uploads: [
      { key: 'old.bin', initiated: daysAgo(20), partSizes: [5 * MIB] },
      { key: 'young.bin', initiated: daysAgo(1), partSizes: [5 * MIB] },
    ],
  };
  const tagsOf = async (Bucket: string, Key: string) =>
    (await s3.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet;

  it('aborts incomplete uploads, beside the rules that are there', async () => {
    const { bucket, scan, howTo } = await advised('uploads', 'abort_multipart_uploads', UPLOADS);
    assert.ok(codesOf(scan).includes('no_abort_multipart_rule'));
    const { printed, after } = await addRule(bucket, howTo);
    assert.match(printed, /^The rule is added\.$/m);
    assert.match(await carryOut(bucket, howTo), /^The rule is there already\.$/m);
    assert.deepEqual(await rulesOf(bucket), after);
    const ruled = await customer.scan();
    const applied = await scanApplied(bucket);
    assert.equal(after.minimum, 'varies_by_storage_class');
    assert.ok(!codesOf(ruled).includes('no_abort_multipart_rule'));
    assert.equal(find(ruled, 'abort_multipart_uploads').recommendation.objects, 2);
    assert.equal(find(applied, 'abort_multipart_uploads').recommendation.objects, 1);
  });

  it('expires old versions of a bucket without any rule', async () => {
    const bucket = customer.bucket('versions', 'eu-central-1');
    customer.double.putBucket({ name: bucket, versioning: 'Enabled' });
    const objects = [90, 60, 45].map((days) => ({
      key: 'report.pdf',
      size: 50 * MIB,
      lastModified: daysAgo(days),
    }));
    customer.double.seed({ bucket, objects });
    const before = await customer.scan();
    assert.ok(codesOf(before).includes('no_lifecycle_rule'));
    const { howTo, recommendation } = find(before, 'expire_old_versions');
    assert.equal(recommendation.objects, 2);
    await addRule(bucket, howTo);
    const applied = await scanApplied(bucket);
    assert.ok(!codesOf(applied).includes('old_versions'));
    assert.ok(!codesOf(applied).includes('no_lifecycle_rule'));
    assert.ok(!applied.recommendations.some(({ kind }) => kind === 'expire_old_versions'));
    assert.equal(applied.buckets[0]?.objects, 1);
  });

  it('changes the class of a prefix with characters that a shell reads', async () => {
    const prefix = "it's `old` $HOME \\!/";
    const objects = [
      { key: `${prefix}a`, size: 10 * MIB, lastModified: daysAgo(100) },
      { key: `${prefix}b`, size: 10 * MIB, lastModified: daysAgo(200) },
      { key: `${prefix}young`, size: 20 * 1024, lastModified: daysAgo(3) },
      // Too small to change: the change is not one of the whole bucket.
      { key: 'other/small', size: 100 * 1024, lastModified: daysAgo(100) },
    ];
    const advice = await advised('archive', 'change_class', { objects }, 'GLACIER_IR');
    const { bucket, howTo, recommendation } = advice;
    assert.equal(recommendation.selector.prefix, prefix);
    assert.equal(howTo.commands.length, 1);
    const { after } = await addRule(bucket, howTo);
    const applied = await scanApplied(bucket);
    assert.equal(after.minimum, 'varies_by_storage_class');
    assert.ok(!applied.recommendations.some(({ kind }) => kind === 'change_class'));
    const inClass = applied.buckets[0]?.byStorageClass.find(
      ({ storageClass }) => storageClass === 'GLACIER_IR',
    );
    assert.equal(inClass?.objects, recommendation.objects);
  });

  it('changes nothing where the present rules cannot be read', async () => {
    const { bucket, howTo, before } = await advised('closed', 'abort_multipart_uploads', UPLOADS);
    const operation = 'GetBucketLifecycleConfiguration';
    customer.double.addFault({ effect: 'access_denied', operation, bucket });
    await assert.rejects(carryOut(bucket, howTo), /AccessDenied/);
    customer.double.clearFaults();
    assert.deepEqual(await rulesOf(bucket), before);
  });

  // Only the commands tag objects.
  if (cli === undefined) return;

  it('changes exactly the selected objects where a rule alone would change others', async () => {
    const selected = ['logs/a b+c', 'logs/50%/\n"é"', "logs/-it's"];
    const young = { size: 10 * MIB, lastModified: daysAgo(40) };
    const tags = [{ key: 'team', value: 'blue' }];
    const objects = [
      ...selected.map((key) => ({ key, ...young, tags })),
      { key: 'logs/old', size: 500 * MIB, lastModified: daysAgo(100) },
    ];
    const advice = await advised('mixed', 'change_class', { objects }, 'STANDARD_IA');
    const { bucket, howTo, recommendation } = advice;
    assert.equal(recommendation.selector.maxAgeDays, 90);
    assert.equal(recommendation.objects, selected.length);
    const { after } = await addRule(bucket, howTo);
    await carryOut(bucket, howTo);
    assert.deepEqual(await rulesOf(bucket), after, 'a second run changes nothing');
    const applied = await scanApplied(bucket);
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
    assert.deepEqual(
      Object.fromEntries(Contents.map(({ Key, StorageClass }) => [Key, StorageClass])),
      Object.fromEntries([
        ...selected.map((key) => [key, 'STANDARD_IA']),
        ['logs/old', 'STANDARD'],
      ]),
    );
    for (const key of selected)
      assert.deepEqual(await tagsOf(bucket, key), [
        { Key: 'team', Value: 'blue' },
        { Key: 'storage-routing-to', Value: 'STANDARD_IA' },
      ]);
    assert.ok(
      !applied.recommendations.some((one) => one.recommendedStorageClass === 'STANDARD_IA'),
      'it is recommended no more',
    );
  });

  it('tags the others where one object cannot be tagged', async () => {
    const object = { size: 10 * MIB, lastModified: daysAgo(40) };
    const keys = Array.from({ length: 12 }, (_, n) => `logs/${n}`);
    const tags = Array.from({ length: 10 }, (_, n) => ({ key: `k${n}`, value: 'v' }));
    const objects = [
      ...keys.map((key) => ({ key, ...object })),
      { key: 'logs/0-full', ...object, tags },
      { key: 'logs/old', size: 500 * MIB, lastModified: daysAgo(100) },
    ];
    const { bucket, howTo } = await advised('full', 'change_class', { objects }, 'STANDARD_IA');
    await assert.rejects(carryOut(bucket, howTo), /logs\/0-full|BadRequest|InvalidTag|tags/);
    for (const key of keys) {
      const tagged = [{ Key: 'storage-routing-to', Value: 'STANDARD_IA' }];
      assert.deepEqual(await tagsOf(bucket, key), tagged, key);
    }
  });

  it('changes nothing with an AWS CLI that does not know all of a rule', async () => {
    const { bucket, howTo, before } = await advised('old-cli', 'abort_multipart_uploads', UPLOADS);
    const old = await openTerminal(await writeOldCli(cli), customer.double, owner);
    await assert.rejects(old.paste(howTo.commands[0] ?? ''), /This AWS CLI is too old/);
    assert.deepEqual(await rulesOf(bucket), before);
  });
});
