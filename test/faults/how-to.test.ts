import assert from 'node:assert/strict';
import {
  GetBucketLifecycleConfigurationCommand,
  GetObjectTaggingCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutBucketLifecycleConfigurationCommand,
  S3Client,
  type LifecycleRule,
} from '@aws-sdk/client-s3';
import type { AwsDouble } from '../../dev/aws-double/index.ts';
import type { Stack } from '../../dev/stack.ts';
import { changeHowTo } from '../../domain/how-to/how-to.ts';
import type { HowTo, Recommendation, ScanResult } from '../../sdk/src/index.ts';
import { ADMIN, s3Client, startDouble } from '../harness/aws-double.ts';
import {
  bucketWith,
  changeCandidates,
  groupOf,
  type Change,
} from '../harness/change-candidates.ts';
import { createCloudCustomer, type CloudCustomer } from '../harness/cloud-customer.ts';
import { addOwner, openTerminal, type Terminal, writeOldCli } from '../harness/pasted-commands.ts';
import { programPath } from '../harness/programs.ts';
import { localServers, localService } from '../servers.ts';

const KIB = 2 ** 10;
const MIB = 2 ** 20;
const DAY_MS = 86_400_000;
/** Rules of the customer's own, in each of the two forms that S3 knows. */
const OWN_RULE: LifecycleRule = {
  ID: 'tmp',
  Status: 'Enabled',
  Filter: { Prefix: 'tmp/' },
  Expiration: { Days: 9_000 },
};
const OLD_FORM: LifecycleRule = {
  ID: 'old "form"',
  Status: 'Enabled',
  Prefix: 'it\'s "old"/',
  Expiration: { Days: 9_000 },
};
const cli = programPath('aws');

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

const how = cli === undefined ? 'by the SDK: there is no AWS CLI here' : 'pasted into a shell';

describe(`howTo of what a scan recommends, ${how}`, () => {
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
  const find = (scan: ScanResult, kind: Recommendation['kind']) => {
    const found = scan.recommendations.find((one) => one.kind === kind);
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
  const advised = async (name: string, kind: Recommendation['kind'], seed: Seed) => {
    const bucket = customer.bucket(name);
    await putOwnRule(bucket);
    customer.double.seed({ bucket, ...seed });
    const scan = await customer.scan();
    return { bucket, scan, ...find(scan, kind), before: await rulesOf(bucket) };
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
    for (const { recommendations } of [ruled, applied])
      assert.ok(!recommendations.some(({ kind }) => kind === 'abort_multipart_uploads'));
    const left = await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
    assert.deepEqual(
      left.Uploads?.map(({ Key }) => Key),
      ['young.bin'],
    );
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

  it('changes the class of what is large and old enough', async () => {
    const objects = [
      { key: 'archive/a', size: 10 * MIB, lastModified: daysAgo(100) },
      { key: 'archive/b', size: 10 * MIB, lastModified: daysAgo(200) },
      { key: 'archive/young', size: 20 * KIB, lastModified: daysAgo(3) },
      // Too small to change: the change is not one of the whole bucket.
      { key: 'other/small', size: 100 * KIB, lastModified: daysAgo(100) },
    ];
    const advice = await advised('archive', 'change_class', { objects });
    const { bucket, howTo, recommendation } = advice;
    assert.deepEqual(
      [recommendation.selector.prefix, recommendation.objects, howTo.commands.length],
      ['archive/', 2, 1],
    );
    const { after } = await addRule(bucket, howTo);
    const applied = await scanApplied(bucket);
    assert.equal(after.minimum, 'varies_by_storage_class');
    assert.ok(!applied.recommendations.some(({ kind }) => kind === 'change_class'));
    const inClass = applied.buckets[0]?.byStorageClass.find(
      ({ storageClass }) => storageClass === recommendation.recommendedStorageClass,
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

  if (cli === undefined) return;

  it('changes nothing with an AWS CLI that does not know all of a rule', async () => {
    const { bucket, howTo, before } = await advised('old-cli', 'abort_multipart_uploads', UPLOADS);
    const old = await openTerminal(await writeOldCli(cli), customer.double, owner);
    await assert.rejects(old.paste(howTo.commands[0] ?? ''), /This AWS CLI is too old/);
    assert.deepEqual(await rulesOf(bucket), before);
  });
});

/** Objects of a key, with how they are counted. */
interface Seeded {
  readonly key: string;
  readonly ageDays: number;
  readonly size?: number;
  readonly storageClass?: string;
  readonly tags?: { readonly key: string; readonly value: string }[];
}

describe('howTo of changes of class, pasted into a shell', function () {
  // The commands are what tags objects and adds rules.
  if (cli === undefined) return;
  const size = 10 * MIB;
  let double: AwsDouble;
  let terminal: Terminal;
  let s3: S3Client;
  /** Of the present test. */
  let bucket = '';
  let buckets = 0;

  before(async () => {
    double = await startDouble();
    terminal = await openTerminal(cli, double, ADMIN);
    s3 = s3Client(double);
  });
  after(async () => {
    s3.destroy();
    await double.close();
  });

  const storedRules = async () => {
    const { Rules = [] } = await s3.send(
      new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }),
    );
    return Rules;
  };
  const tagsOf = async (Key: string) =>
    (await s3.send(new GetObjectTaggingCommand({ Bucket: bucket, Key }))).TagSet;

  /** A bucket of one prefix with a rule of its own, and how to carry out the first of some changes. */
  const advised = async (
    objects: readonly Seeded[],
    changes: readonly Change[],
    own: LifecycleRule = OLD_FORM,
  ) => {
    buckets += 1;
    bucket = `bucket-${buckets}`;
    double.putBucket({ name: bucket });
    await s3.send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket: bucket,
        TransitionDefaultMinimumObjectSize: 'varies_by_storage_class',
        LifecycleConfiguration: { Rules: [own] },
      }),
    );
    const seeds = objects.map(({ ageDays, ...object }) => ({
      size,
      ...object,
      lastModified: daysAgo(ageDays),
    }));
    double.seed({ bucket, objects: seeds });
    const groups = objects.map((object) =>
      groupOf({
        prefix: object.key.slice(0, object.key.indexOf('/') + 1),
        storageClass: object.storageClass ?? 'STANDARD',
        ageDays: object.ageDays,
        size: object.size ?? size,
      }),
    );
    const recommended = changeCandidates(bucketWith(groups, { name: bucket }), changes);
    const [first] = recommended;
    const context = { source: 'aws', startedAt: new Date() };
    return changeHowTo(context, first ?? assert.fail(), recommended);
  };
  /** The class of each object after the commands were carried out twice and S3 has applied the rules. */
  const classesAfter = async ({ commands, lifecycleRule }: HowToOf) => {
    for (const _ of ['once', 'again']) {
      for (const command of commands) await terminal.paste(command);
      const [own, ...added] = await storedRules();
      assert.deepEqual(added, [lifecycleRule]);
      const { Prefix = OWN_RULE.Filter?.Prefix, ...rest } = own?.ID === 'tmp' ? OWN_RULE : OLD_FORM;
      assert.deepEqual(own, { ...rest, Filter: { Prefix } });
    }
    await double.applyLifecycle(bucket);
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
    return Object.fromEntries(Contents.map(({ Key, StorageClass }) => [Key, StorageClass]));
  };
  type HowToOf = Awaited<ReturnType<typeof advised>>;

  it('changes a prefix with characters that a shell reads, beside a rule of the older form and of the newer one', async () => {
    const prefix = "it's `old` $HOME \\!/";
    for (const own of [OWN_RULE, OLD_FORM]) {
      const howTo = await advised(
        [
          { key: `${prefix}a`, ageDays: 100 },
          { key: `${prefix}b`, ageDays: 400 },
          { key: `${prefix}young`, ageDays: 3 },
          { key: `${prefix}small`, ageDays: 100, size: 100 * KIB },
          { key: 'other/old', ageDays: 100 },
        ],
        [[prefix, 'STANDARD', 'GLACIER_IR', 2, 3]],
        own,
      );
      assert.equal(howTo.commands.length, 1);
      assert.deepEqual(await classesAfter(howTo), {
        [`${prefix}a`]: 'GLACIER_IR',
        [`${prefix}b`]: 'GLACIER_IR',
        [`${prefix}small`]: 'STANDARD',
        [`${prefix}young`]: 'STANDARD',
        'other/old': 'STANDARD',
      });
    }
  });

  it('changes two intervals of age by one rule', async () => {
    const howTo = await advised(
      [
        { key: 'logs/young', ageDays: 3 },
        { key: 'logs/month', ageDays: 40 },
        { key: 'logs/quarter', ageDays: 100 },
      ],
      [
        ['logs/', 'STANDARD', 'INTELLIGENT_TIERING', 1],
        ['logs/', 'STANDARD', 'GLACIER_IR', 2],
      ],
    );
    assert.equal(howTo.commands.length, 1);
    assert.deepEqual(await classesAfter(howTo), {
      'logs/month': 'INTELLIGENT_TIERING',
      'logs/quarter': 'GLACIER_IR',
      'logs/young': 'STANDARD',
    });
  });

  it('changes exactly the selected objects, with their tags kept, where a rule alone would change others', async () => {
    const selected = ['logs/a b+c', 'logs/50%/\n"é"', "logs/-it's"];
    const tags = [{ key: 'team', value: 'blue' }];
    const howTo = await advised(
      [...selected.map((key) => ({ key, ageDays: 40, tags })), { key: 'logs/old', ageDays: 100 }],
      [['logs/', 'STANDARD', 'STANDARD_IA', 1]],
    );
    assert.deepEqual(
      await classesAfter(howTo),
      Object.fromEntries([
        ...selected.map((key) => [key, 'STANDARD_IA']),
        ['logs/old', 'STANDARD'],
      ]),
    );
    for (const key of selected)
      assert.deepEqual(await tagsOf(key), [
        { Key: 'team', Value: 'blue' },
        { Key: 'storage-routing-to', Value: 'STANDARD_IA' },
      ]);
  });

  it('changes archived objects to a colder archive, and nothing that is no archive', async () => {
    const archived = { storageClass: 'GLACIER', ageDays: 200 };
    const howTo = await advised(
      [
        { key: 'old/archived', ...archived },
        { key: 'old/archived-small', ...archived, size: 100 * KIB },
        { key: 'old/archived-lately', ...archived, ageDays: 40 },
        { key: 'old/in-use', ageDays: 200 },
      ],
      [['old/', 'GLACIER', 'DEEP_ARCHIVE', 2]],
    );
    assert.equal(howTo.commands.length, 2);
    assert.deepEqual(await classesAfter(howTo), {
      'old/archived': 'DEEP_ARCHIVE',
      'old/archived-lately': 'GLACIER',
      'old/archived-small': 'GLACIER',
      'old/in-use': 'STANDARD',
    });
  });

  it('tags the others where one object cannot be tagged', async () => {
    const keys = Array.from({ length: 12 }, (_, n) => `logs/${n}`);
    const tags = Array.from({ length: 10 }, (_, n) => ({ key: `k${n}`, value: 'v' }));
    const { commands } = await advised(
      [
        ...keys.map((key) => ({ key, ageDays: 40 })),
        { key: 'logs/0-full', ageDays: 40, tags },
        { key: 'logs/old', ageDays: 100 },
      ],
      [['logs/', 'STANDARD', 'STANDARD_IA', 1]],
    );
    const tagging = terminal.paste(commands[0] ?? '');
    await assert.rejects(tagging, /logs\/0-full|BadRequest|InvalidTag|tags/);
    for (const key of keys) {
      const tagged = [{ Key: 'storage-routing-to', Value: 'STANDARD_IA' }];
      assert.deepEqual(await tagsOf(key), tagged, key);
    }
  });
});
