import type { BucketSpec } from './aws-double/control/control.ts';
import type { SeedSpec } from './aws-double/control/seed.ts';

/** An account to fill. */
export interface SampleAccount {
  /** 12 digits. */
  readonly accountId: string;
  readonly now: Date;
  /** Prefix of the bucket names, which are globally unique. */
  readonly prefix: string;
}

/** A bucket of a sample account, and what is done with it. */
export interface SampleBucket extends Pick<BucketSpec, 'settings' | 'versioning'> {
  readonly name: string;
  readonly region: string;
  readonly createdDaysAgo: number;
  readonly content: Omit<SeedSpec, 'bucket'>;
  /** What 30 days are: requests for objects, and GB of 2^30 bytes. */
  readonly reads?: { readonly gets: number; readonly gb: number };
  /** Machines in AWS read and write it; else all is read and written over the internet. */
  readonly isUsedInside?: true;
  /** It has request metrics. */
  readonly isMeasured?: true;
}

const TIB = 2 ** 40;
const GIB = 2 ** 30;
const MIB = 2 ** 20;
const KIB = 2 ** 10;
const XMLNS = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';

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

/** The document of enabled rules: what each does, to the keys with a prefix. */
const lifecycle = (...rules: readonly (readonly [prefix: string, action: string])[]) =>
  `<LifecycleConfiguration ${XMLNS}>${rules
    .map(
      ([prefix, action], number) =>
        `<Rule><ID>rule-${number}</ID><Filter><Prefix>${prefix}</Prefix></Filter>` +
        `<Status>Enabled</Status>${action}</Rule>`,
    )
    .join('')}</LifecycleConfiguration>`;
const ABORTS: readonly [string, string] = [
  '',
  '<AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload>',
];
const EXPIRES = '<Expiration><Days>30</Days></Expiration>';
const EXPIRES_VERSIONS =
  '<NoncurrentVersionExpiration><NoncurrentDays>60</NoncurrentDays></NoncurrentVersionExpiration>';
const OBJECT_LOCK =
  `<ObjectLockConfiguration ${XMLNS}><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention>` +
  '<Mode>COMPLIANCE</Mode><Years>7</Years></DefaultRetention></Rule></ObjectLockConfiguration>';

/**
 * The storage of a company that is some years old: what it publishes in us-east-1, what it computes with in us-west-2,
 * what it keeps in eu-central-1. Together 130 TB. The last ones of us-east-1 are small enough for a live migration.
 */
export function sampleBuckets({ now, prefix }: SampleAccount): readonly SampleBucket[] {
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();
  const ages = (from: number, to: number) => ({ from: daysAgo(from), to: daysAgo(to) });
  const tidy = { lifecycle: lifecycle(ABORTS) };
  const published = { region: 'us-east-1', createdDaysAgo: 1_100, settings: tidy };
  const computed = { region: 'us-west-2', createdDaysAgo: 900, settings: tidy };
  const kept = { region: 'eu-central-1', createdDaysAgo: 1_100, settings: tidy };

  return [
    {
      // Public: its egress is on the bill.
      ...published,
      name: `${prefix}media`,
      reads: { gets: 80_000, gb: 20_000 },
      content: {
        generated: [
          {
            count: 8_000,
            keyPattern: 'episodes/{i/100:4}/{i:6}.mp4',
            size: [240 * MIB, 260 * MIB, 280 * MIB],
            lastModified: ages(1_090, 0.1),
            contentType: 'video/mp4',
          },
          {
            count: 3_000,
            keyPattern: 'covers/{i/100:4}/IMG_{i:6}.JPG',
            size: [2 * MIB, 3 * MIB, 5 * MIB, 9 * MIB],
            lastModified: ages(1_090, 0.1),
            contentType: 'image/jpeg',
          },
        ],
      },
    },
    {
      // Written every day, and never read.
      ...published,
      name: `${prefix}logs`,
      settings: {},
      reads: { gets: 0, gb: 0 },
      isMeasured: true,
      content: {
        generated: [
          {
            count: 4_000,
            keyPattern: 'access/{i/100:4}/part-{i:6}.log.gz',
            size: GIB,
            lastModified: ages(1_000, 2),
          },
        ],
        uploads: [
          {
            key: 'access/never-finished.log.gz',
            initiated: daysAgo(200),
            partSizes: Array.from({ length: 40 }, () => 5 * GIB),
          },
          { key: 'access/began-today.log.gz', initiated: daysAgo(0.2), partSizes: [64 * MIB] },
        ],
      },
    },
    {
      ...published,
      name: `${prefix}press`,
      reads: { gets: 350_000, gb: 400 },
      isMeasured: true,
      content: {
        generated: [
          {
            count: 120,
            keyPattern: 'releases/{i/20:2}/画像 {i:3} + 100%.jpg',
            size: [90 * KIB, 250 * KIB, 700 * KIB, MIB],
            lastModified: ages(900, 2),
            contentType: 'image/jpeg',
            metadata: { photographer: 'M. Curie' },
          },
        ],
        // Above the part size of a copy.
        objects: [{ key: 'films/spot.mov', size: 80 * MIB, lastModified: daysAgo(120) }],
      },
    },
    {
      ...published,
      name: `${prefix}avatars`,
      reads: { gets: 2_300_000, gb: 420 },
      isMeasured: true,
      content: {
        generated: [
          {
            count: 1_500,
            keyPattern: 'users/{i%100:2}/{i:6}.webp',
            size: [140 * KIB, 180 * KIB, 260 * KIB],
            lastModified: ages(1_000, 1),
            contentType: 'image/webp',
          },
        ],
      },
    },
    {
      ...published,
      name: `${prefix}downloads`,
      reads: { gets: 19_000, gb: 900 },
      isMeasured: true,
      content: {
        generated: [
          {
            count: 36,
            keyPattern: 'desktop/4.{i}.0/setup.exe',
            size: [40 * MIB, 50 * MIB, 60 * MIB],
            lastModified: ages(700, 5),
            contentType: 'application/octet-stream',
          },
        ],
      },
    },
    {
      // A data lake: machines in AWS read and write it.
      ...computed,
      name: `${prefix}lake`,
      reads: { gets: 4_500, gb: 24_000 },
      isUsedInside: true,
      isMeasured: true,
      content: {
        generated: [
          {
            count: 5_000,
            keyPattern: 'events/day={i/6:4}/part-{i%6}.parquet',
            size: 8 * GIB,
            lastModified: ages(830, 0.1),
          },
        ],
      },
    },
    {
      // Traces expire by a rule; what deletes sessions is the application.
      ...computed,
      name: `${prefix}telemetry`,
      settings: { lifecycle: lifecycle(ABORTS, ['traces/', EXPIRES]) },
      reads: { gets: 30_000, gb: 900 },
      isUsedInside: true,
      content: {
        generated: [
          {
            count: 1_500,
            keyPattern: 'traces/{i/50:3}/{i:6}.json.gz',
            size: GIB,
            lastModified: ages(29.9, 0.1),
          },
          {
            count: 1_200,
            keyPattern: 'sessions/{i/40:3}/{i:6}.bin',
            size: GIB,
            lastModified: ages(29.5, 0.1),
          },
        ],
      },
    },
    {
      ...computed,
      name: `${prefix}terraform`,
      content: {
        generated: [
          {
            count: 24,
            keyPattern: 'stacks/{i:2}/terraform.tfstate',
            size: 3 * MIB,
            lastModified: ages(700, 2),
          },
        ],
      },
    },
    {
      ...computed,
      name: `${prefix}trail`,
      content: {
        generated: [
          {
            count: 2_000,
            keyPattern: 'AWSLogs/111122223333/CloudTrail/us-west-2/{i/30:3}/{i:6}.json.gz',
            size: [66 * MIB, 90 * MIB],
            lastModified: ages(800, 0.1),
          },
        ],
      },
    },
    {
      ...computed,
      name: `${prefix}odd-keys`,
      content: {
        objects: ODD_KEYS.map((key, number) => ({
          key,
          size: number * MIB,
          lastModified: daysAgo(100 + number * 60),
          storageClass: number % 2 === 0 ? 'STANDARD' : 'INTELLIGENT_TIERING',
        })),
      },
    },
    { ...computed, name: `${prefix}empty`, content: {} },
    {
      // Videos that are read in ranges: by a bill alone nobody can say from where.
      ...kept,
      name: `${prefix}courses`,
      reads: { gets: 6_000_000, gb: 19_000 },
      content: {
        generated: [
          {
            count: 5_000,
            keyPattern: 'lessons/{i/50:3}/take-{i:5}.mp4',
            size: [2 * GIB, 3 * GIB, 4 * GIB],
            lastModified: ages(1_050, 0.5),
            contentType: 'video/mp4',
          },
        ],
      },
    },
    {
      ...kept,
      name: `${prefix}backups`,
      content: {
        generated: [
          {
            count: 36,
            keyPattern: 'monthly/{i:3}.tar.zst',
            size: TIB,
            lastModified: ages(1_095, 40),
            storageClass: 'DEEP_ARCHIVE',
          },
          {
            count: 60,
            keyPattern: 'weekly/{i:3}.tar.zst',
            size: 400 * GIB,
            lastModified: ages(420, 3),
            storageClass: 'STANDARD_IA',
          },
        ],
      },
    },
    {
      ...kept,
      name: `${prefix}ledgers`,
      settings: { ...tidy, 'object-lock': OBJECT_LOCK },
      versioning: 'Enabled',
      content: {
        generated: [
          {
            count: 300,
            keyPattern: 'years/{i/100:2}/ledger-{i:4}.parquet',
            size: 6 * GIB,
            lastModified: ages(1_000, 10),
            storageClass: 'GLACIER_IR',
          },
        ],
      },
    },
    {
      // Old versions that no rule deletes.
      ...kept,
      name: `${prefix}designs`,
      versioning: 'Enabled',
      content: { objects: versions('drafts', 'psd') },
    },
    {
      // The same, under a rule of its owner.
      ...kept,
      name: `${prefix}reports`,
      settings: { lifecycle: lifecycle(ABORTS, ['', EXPIRES_VERSIONS]) },
      versioning: 'Enabled',
      content: { objects: versions('quarters', 'pdf') },
    },
  ];

  /** Sixty objects with two old versions each, of which a tenth is deleted. */
  function versions(folder: string, extension: string) {
    return Array.from({ length: 60 }, (_, number) => number).flatMap((number) => {
      const key = `${folder}/${String(number).padStart(3, '0')}.${extension}`;
      return [
        { key, size: 1_400 * MIB, lastModified: daysAgo(300 + number) },
        { key, size: 1_410 * MIB, lastModified: daysAgo(200 + number) },
        number % 10 === 0
          ? { key, deleteMarker: true, lastModified: daysAgo(120) }
          : { key, size: 1_420 * MIB, lastModified: daysAgo(100 + number) },
      ];
    });
  }
}

/** A smaller company, whose account shows neither a bill nor metrics. */
export function smallBuckets({ now, prefix }: SampleAccount): readonly SampleBucket[] {
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();
  const ages = (from: number, to: number) => ({ from: daysAgo(from), to: daysAgo(to) });
  const bucket = { region: 'us-east-1', createdDaysAgo: 800 };
  return [
    {
      // It grows quickly, so that most of it is too young for another class: who reads decides.
      ...bucket,
      name: `${prefix}videos`,
      content: {
        generated: [
          {
            count: 2_000,
            keyPattern: 'clips/before/{i:6}.mp4',
            size: [500 * MIB, 600 * MIB, 700 * MIB],
            lastModified: ages(790, 30),
            contentType: 'video/mp4',
          },
          {
            count: 4_000,
            keyPattern: 'clips/now/{i:6}.mp4',
            size: [500 * MIB, 600 * MIB, 700 * MIB],
            lastModified: ages(29, 0.1),
            contentType: 'video/mp4',
          },
        ],
      },
    },
    {
      ...bucket,
      name: `${prefix}dumps`,
      content: {
        generated: [
          {
            count: 300,
            keyPattern: 'nightly/{i:4}.sql.gz',
            size: 4 * GIB,
            lastModified: ages(780, 100),
          },
        ],
        uploads: [
          {
            key: 'nightly/broken.sql.gz',
            initiated: daysAgo(90),
            partSizes: Array.from({ length: 20 }, () => 5 * GIB),
          },
        ],
      },
    },
  ];
}
