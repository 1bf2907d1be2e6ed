import type { AwsDouble } from './aws-double/index.ts';
import { CUSTOMER_ACCOUNT, createOwner, type CloudAccount } from './parts/cloud-account.ts';
import type { Environment } from './parts/part.ts';
import { seedSampleUsage } from './sample-usage.ts';

/** The variables of a service that moves objects of this account: each byte is written to the local disk. */
export const SAMPLE_LIMITS = { MIGRATION_MAX_BYTES: '5000000000' } as const;

const RULES_EVERY_MS = 2_000;
const GIB = 2 ** 30;
const MIB = 2 ** 20;
const KIB = 2 ** 10;

const ABORTS_UPLOADS =
  '<LifecycleConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Rule><ID>abort</ID>' +
  '<Filter><Prefix></Prefix></Filter><Status>Enabled</Status><AbortIncompleteMultipartUpload>' +
  '<DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule></LifecycleConfiguration>';

/** Keys that a naive parser of listings gets wrong. */
const ODD_KEYS = [
  'plain.txt',
  '/leading/slash.txt',
  'two//slashes.txt',
  'dots/../and/./more.txt',
  'space and + and %2B.txt',
  'quotes "\'` & <tags>.txt',
  'tab\tand\nnew line.txt',
  '夏の海/🌊.jpg',
  '\uFFFD-after-\u{1F30A}.bin',
  'no-extension',
  'ends-with-a-slash/',
  'é-composed.txt',
  'e\u0301-decomposed.txt',
];

export interface SampleAccount {
  /** The owning account, 12 digits. */
  readonly accountId: string;
  readonly now: Date;
  /** Prefix of the bucket names, which are globally unique. */
  readonly prefix: string;
}

/** The names of the buckets of a seeded account. */
interface SampleBuckets {
  readonly all: readonly string[];
  /** The smallest of those that can be moved here. */
  readonly movable: string;
}

/** Fills the account of `parts/cloud-account.ts` with all of the below, as of now. */
export function seedCustomerAccount(double: AwsDouble): SampleBuckets {
  const sample = { accountId: CUSTOMER_ACCOUNT, now: new Date(), prefix: 'acme-' };
  const others = seedSampleAccount(double, sample);
  const movable = seedMovableBuckets(double, sample);
  seedSampleUsage(double, sample);
  return { all: [...others, ...movable], movable: movable[0] };
}

/**
 * Fills the sample account and gives it an owner, who may change it. S3 carries out lifecycle rules about once
 * a day; this account does within seconds of a change, so that the next scan shows what a rule saves.
 *
 * @returns the variables of the owner in the guides.
 */
export function openSampleAccount({ double, s3Endpoint }: CloudAccount): Environment {
  const { all } = seedCustomerAccount(double);
  let carriedOut = 0;
  const carryOut = async () => {
    const { PutBucketLifecycleConfiguration: put = 0 } = double.counts().byOperation;
    if (put === carriedOut) return;
    carriedOut = put;
    await Promise.all(all.map((bucket) => double.applyLifecycle(bucket)));
  };
  setInterval(() => void carryOut(), RULES_EVERY_MS).unref();
  const { accessKeyId, secretAccessKey } = createOwner(double);
  return {
    CUSTOMER_S3_ENDPOINT: s3Endpoint,
    CUSTOMER_ACCESS_KEY_ID: accessKeyId,
    CUSTOMER_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

/**
 * Fills a customer's account: ages from an hour to three years, four storage classes, old versions and delete
 * markers, abandoned uploads, ten thousand small objects, odd keys. A bill of about 3,000 USD a month.
 *
 * @returns the names of the buckets.
 */
export function seedSampleAccount(double: AwsDouble, sample: SampleAccount): string[] {
  const { accountId } = sample;
  const daysAgo = (days: number) =>
    new Date(sample.now.getTime() - days * 86_400_000).toISOString();
  const bucket = (name: string, region: string, settings: Record<string, string> = {}) => {
    double.putBucket({ name: `${sample.prefix}${name}`, region, accountId, settings });
    return `${sample.prefix}${name}`;
  };

  const media = bucket('media', 'us-east-1', { lifecycle: ABORTS_UPLOADS });
  double.seed({
    bucket: media,
    generated: [
      {
        count: 4_000,
        keyPattern: 'videos/{i/100:4}/take-{i:6}.mp4',
        size: [2 * GIB, 4 * GIB, 6 * GIB, 10 * GIB],
        lastModified: { from: daysAgo(25), to: daysAgo(0.05) },
      },
      {
        count: 12_000,
        keyPattern: 'masters/{i/100:4}/reel-{i:6}.mov',
        size: [3 * GIB, 5 * GIB, 7 * GIB, 9 * GIB],
        lastModified: { from: daysAgo(1_090), to: daysAgo(100) },
      },
      {
        count: 3_000,
        keyPattern: 'photos/{i/100:4}/IMG_{i:6}.JPG',
        size: [2 * MIB, 3 * MIB, 5 * MIB, 9 * MIB],
        lastModified: { from: daysAgo(1_090), to: daysAgo(100) },
      },
    ],
  });

  const logs = bucket('logs', 'us-east-1');
  double.seed({
    bucket: logs,
    generated: [
      {
        count: 4_000,
        keyPattern: 'access/{i/100:4}/part-{i:6}.log.gz',
        size: GIB,
        lastModified: { from: daysAgo(1_000), to: daysAgo(95) },
      },
    ],
    uploads: [
      {
        key: 'access/never-finished.log.gz',
        initiated: daysAgo(200),
        partSizes: [5 * GIB, 5 * GIB],
      },
      { key: 'access/began-today.log.gz', initiated: daysAgo(0.2), partSizes: [64 * MIB] },
    ],
  });

  const backups = bucket('backups', 'eu-central-1', { lifecycle: ABORTS_UPLOADS });
  double.seed({
    bucket: backups,
    generated: [
      {
        count: 36,
        keyPattern: 'monthly/{i:3}.tar.zst',
        size: 1_024 * GIB,
        lastModified: { from: daysAgo(1_095), to: daysAgo(400) },
        storageClass: 'DEEP_ARCHIVE',
      },
      {
        count: 60,
        keyPattern: 'weekly/{i:3}.tar.zst',
        size: 400 * GIB,
        lastModified: { from: daysAgo(360), to: daysAgo(40) },
        storageClass: 'STANDARD_IA',
      },
    ],
  });

  const thumbnails = bucket('thumbnails', 'us-east-1', { lifecycle: ABORTS_UPLOADS });
  double.seed({
    bucket: thumbnails,
    generated: [
      {
        count: 10_000,
        keyPattern: 'small/{i%100:2}/{i:6}.webp',
        size: [3 * KIB, 8 * KIB, 14 * KIB, 40 * KIB],
        lastModified: { from: daysAgo(500), to: daysAgo(1) },
        storageClass: ['STANDARD', 'STANDARD_IA'],
      },
    ],
  });

  const documents = bucket('documents', 'us-east-1');
  double.putBucket({ name: documents, versioning: 'Enabled' });
  double.seed({
    bucket: documents,
    objects: Array.from({ length: 40 }, (_, number) => number).flatMap((number) => [
      { key: `contracts/${number}.pdf`, size: 700 * MIB, lastModified: daysAgo(300 + number) },
      { key: `contracts/${number}.pdf`, size: 705 * MIB, lastModified: daysAgo(200 + number) },
      number % 10 === 0
        ? { key: `contracts/${number}.pdf`, deleteMarker: true, lastModified: daysAgo(20) }
        : { key: `contracts/${number}.pdf`, size: 710 * MIB, lastModified: daysAgo(50 + number) },
    ]),
  });

  const odd = bucket('odd-keys', 'us-east-1', { lifecycle: ABORTS_UPLOADS });
  double.seed({
    bucket: odd,
    objects: ODD_KEYS.map((key, number) => ({
      key,
      size: number * MIB,
      lastModified: daysAgo(number * 60),
      storageClass: number % 2 === 0 ? 'STANDARD' : 'INTELLIGENT_TIERING',
    })),
  });

  const empty = bucket('empty', 'us-east-1');
  return [media, logs, backups, thumbnails, documents, odd, empty];
}

/**
 * Adds buckets that are small enough for a live migration, together 2.7 GB, read so often that a move saves
 * money, but for the last one if it is known that a content network reads it. One object is above the part size.
 *
 * @returns their names, the smallest first.
 */
function seedMovableBuckets(
  double: AwsDouble,
  { accountId, prefix, now }: SampleAccount,
): [press: string, ...string[]] {
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();
  const lastModified = { from: daysAgo(25), to: daysAgo(2) };
  const bucket = (
    name: string,
    content: Omit<Parameters<AwsDouble['seed']>[0], 'bucket'>,
    region = 'us-east-1',
  ) => {
    const settings = { lifecycle: ABORTS_UPLOADS };
    double.putBucket({ name: `${prefix}${name}`, region, accountId, settings });
    double.seed({ bucket: `${prefix}${name}`, ...content });
    return `${prefix}${name}`;
  };

  const press = bucket('press', {
    generated: [
      {
        count: 120,
        keyPattern: 'releases/{i/20:2}/画像 {i:3} + 100%.jpg',
        size: [90 * KIB, 250 * KIB, 700 * KIB, MIB],
        lastModified,
        contentType: 'image/jpeg',
        metadata: { photographer: 'M. Curie' },
      },
    ],
    objects: [{ key: 'films/spot.mov', size: 80 * MIB, lastModified: daysAgo(10) }],
  });
  const avatars = bucket('avatars', {
    generated: [
      {
        count: 1_500,
        keyPattern: 'users/{i%100:2}/{i:6}.webp',
        size: [140 * KIB, 180 * KIB, 260 * KIB],
        lastModified,
        contentType: 'image/webp',
      },
    ],
  });
  const downloads = bucket('downloads', {
    generated: [
      {
        count: 36,
        keyPattern: 'desktop/4.{i}.0/setup.exe',
        size: [40 * MIB, 50 * MIB, 60 * MIB],
        lastModified,
        contentType: 'application/octet-stream',
      },
    ],
  });
  const website = bucket(
    'website',
    {
      generated: [
        {
          count: 400,
          keyPattern: 'assets/{i%100:2}/{i:6}.webp',
          size: [600 * KIB, 900 * KIB, MIB, 1_500 * KIB],
          lastModified,
          contentType: 'image/webp',
        },
      ],
    },
    'eu-west-1',
  );
  return [press, avatars, downloads, website];
}
