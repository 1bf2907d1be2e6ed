import assert from 'node:assert/strict';
import type { BillRow } from '../../../domain/bill/bill.ts';
import type { RecommendationDetail, ScanResult } from '../../../sdk/src/index.ts';
import { expectedOf } from '../../oracle/expected.ts';
import { differences } from '../../oracle/compare.ts';
import type { ListedBucket, ListedObject, Listing } from '../../oracle/listing.ts';
import { newCloudCustomer } from '../customers.ts';
import { lastMonth } from '../../harness/bill-rows.ts';
import type { CloudCustomer } from '../../harness/cloud-customer.ts';

const DAY_MS = 86_400_000;
const MIB = 2 ** 20;
const GIB = 2 ** 30;
/** Listings have a resolution of one second. */
const NOW_MS = Math.floor(Date.now() / 1000) * 1000;
const daysAgo = (days: number) => new Date(NOW_MS - days * DAY_MS);

const EXPIRY = { ID: 'x', Status: 'Enabled', Filter: { Prefix: '' }, Expiration: { Days: 9_999 } };
const EXPIRY_XML =
  '<LifecycleConfiguration><Rule><ID>x</ID><Filter><Prefix></Prefix></Filter>' +
  '<Status>Enabled</Status><Expiration><Days>9999</Days></Expiration></Rule></LifecycleConfiguration>';

/** No object is so close to the limit of an age band that a few seconds matter. */
const object = (
  key: string,
  size: number,
  days: number,
  storageClass = 'STANDARD',
): ListedObject => ({ key, size, lastModified: daysAgo(days), storageClass });

/** So many objects, whose keys have a number for the `#`. */
const many = (
  count: number,
  keys: string,
  ...rest: [size: number, days: number, storageClass?: string]
) => Array.from({ length: count }, (_, at) => object(keys.replace('#', String(at)), ...rest));

interface Seeded extends Pick<ListedBucket, 'name' | 'region' | 'objects' | 'uploads'> {
  /** It has a rule that expires objects in decades. */
  readonly hasRule: boolean;
  /** Versions of a key, the oldest first, each a day younger; null is a delete marker. */
  readonly versions: Readonly<Record<string, readonly (number | null)[]>>;
}
const NOTHING = { objects: [], uploads: [], hasRule: false, versions: {} } as const;
const bucket = (name: string, region: string, seeded: Partial<Seeded>): Seeded => {
  return { name, region, ...NOTHING, ...seeded };
};
const CREATED_AT = daysAgo(900);
const OLDEST_VERSION_DAYS = 40;
const versionAt = (index: number) => daysAgo(OLDEST_VERSION_DAYS - index);

const BUCKETS: readonly Seeded[] = [
  bucket('active', 'us-east-1', {
    hasRule: true,
    objects: [
      ...['日'.repeat(200), '日'.repeat(338), 'k'.repeat(1_014)].map((name) =>
        object(`video/${name}.mp4`, 3 * GIB, 5),
      ),
      ...many(56, 'video/#.mp4', 3 * GIB, 5),
      object('video/first.mp4', 3 * GIB, 100),
      ...many(40, 'photo/#.JPG', 9 * MIB, 45),
      ...many(30, 'photo/old/#.png', 9 * MIB, 200),
      ...many(25, 'raw/#', 700 * MIB, 400),
    ],
  }),
  bucket('cold', 'us-east-1', {
    objects: [
      ...many(50, 'a/#.log', 800 * MIB, 100),
      ...many(50, 'b/#.log', 800 * MIB, 500),
      ...many(5, 'top-level-#.csv', 6 * GIB, 130),
    ],
    uploads: [
      { key: 'upload-0', initiated: daysAgo(80), bytes: 40 * GIB },
      { key: 'upload-1', initiated: daysAgo(2), bytes: 0 },
    ],
  }),
  bucket('classes', 'us-west-2', {
    objects: [
      ...many(10, 'ia/#.zip', 2 * GIB, 100, 'STANDARD_IA'),
      ...many(400, 'ia/small/#.txt', 900, 100, 'STANDARD_IA'),
      ...many(10, 'tier/#.bin', GIB, 50, 'INTELLIGENT_TIERING'),
      ...many(20, 'tier/small/#.json', 2_000, 10, 'INTELLIGENT_TIERING'),
      ...many(6, 'zone/#.parquet', 70 * MIB, 95, 'ONEZONE_IA'),
      ...many(6, 'now/#.pdf', 80 * MIB, 380, 'GLACIER_IR'),
      ...many(4, 'tape/#.tar', 30 * GIB, 380, 'GLACIER'),
      ...many(4, 'tape/#.bak', 30 * GIB, 800, 'DEEP_ARCHIVE'),
      ...many(3, 'odd/#', 5 * GIB, 90.5, 'REDUCED_REDUNDANCY'),
    ],
  }),
  bucket('versions', 'eu-central-1', {
    versions: {
      'doc/a.docx': [5 * GIB, 6 * GIB, 7 * GIB],
      'doc/b.docx': [2 * GIB, null],
      'loose.docx': [GIB],
    },
  }),
  bucket('prefixes', 'us-east-1', {
    objects: [
      ...Array.from({ length: 70 }, (_, at) =>
        object(`p${at}/x`, (at + 1) * 300 * MIB, 3 + at * 8),
      ),
      object('/leading', 131_071, 1),
      object('/leading//twice', 131_072, 29.5),
      object('ünï/ключ.txt', 10 * GIB, 30.5),
      object('plain', 0, 364.5),
    ],
  }),
  bucket('empty', 'eu-central-1', {}),
];

/** A tenth less than the list price, and more reads from the internet than the ages suggest. */
const BILLED: readonly BillRow[] = [
  ['TimedStorage-ByteHrs', 'StandardStorage', 500, 'GB-Month', 11.5, 10.35],
  ['Requests-Tier2', 'GetObject', 60, 'Requests', 0.000024, 0.000024],
  ['DataTransfer-Out-Bytes', 'GetObject', 2_000, 'GB', 180, 162],
].map(([usageType, operation, quantity, unit, listUsd, netUsd]) => {
  return { usageType, operation, quantity, unit, listUsd, netUsd } as BillRow;
});

describe('the results of a scan', () => {
  let customer: CloudCustomer;
  let scan: ScanResult;
  let details: RecommendationDetail[];
  let listing: Listing;

  before(async () => {
    customer = await newCloudCustomer('r2');
    for (const seeded of BUCKETS) seed(seeded);
    const { awsAccount: accountId, double } = customer;
    const { month: period } = lastMonth();
    const place = { month: period, linkedAccount: accountId };
    double.putBill({
      accountId,
      rows: BILLED.map(({ listUsd: unblendedUsd, netUsd: netUnblendedUsd, ...row }) => {
        return { ...place, ...row, unblendedUsd, netUnblendedUsd };
      }),
    });
    scan = await customer.scan();
    assert.equal(scan.status, 'completed', JSON.stringify(scan.error));
    const { scanner } = customer.client;
    details = await Promise.all(
      scan.recommendations.map(({ recommendationId }) => scanner.recommendation(recommendationId)),
    );
    listing = {
      startedAt: new Date(scan.startedAt),
      buckets: BUCKETS.map(toListed),
      usage: { bill: { period, estimated: false, rows: BILLED }, metrics: new Map() },
      configured: ['r2'],
      minMonthlySavingsUsd: 0,
      minMoveMonthlySavingsUsd: 0,
      horizonMonths: 12,
    };
  });

  function seed({ name, region, objects, uploads, hasRule, versions }: Seeded): void {
    const { double, awsAccount: accountId } = customer;
    const real = customer.bucketName(name);
    const createdAt = CREATED_AT.toISOString();
    double.putBucket({ name: real, region, accountId, createdAt });
    if (hasRule) double.putBucket({ name: real, settings: { lifecycle: EXPIRY_XML } });
    if (Object.keys(versions).length > 0) double.putBucket({ name: real, versioning: 'Enabled' });
    double.seed({
      bucket: real,
      objects: [
        ...objects.map(({ key, size, storageClass, lastModified: at }) => {
          const lastModified = at.toISOString();
          return { key, size, storageClass, lastModified, seed: 'same' };
        }),
        ...Object.entries(versions).flatMap(([key, sizes]) =>
          sizes.map((size, index) => ({
            key,
            lastModified: versionAt(index).toISOString(),
            ...(size === null ? { deleteMarker: true } : { size }),
          })),
        ),
      ],
      uploads: uploads.map(({ key, initiated, bytes }) => ({
        key,
        initiated: initiated.toISOString(),
        partSizes: bytes === 0 ? [] : [bytes / 2, bytes / 2],
      })),
    });
  }

  /** The listing of the objects: the newest version is the current one. */
  function toListed({ versions, hasRule, ...seeded }: Seeded): ListedBucket {
    const kept = Object.entries(versions);
    return {
      ...seeded,
      name: customer.bucketName(seeded.name),
      createdAt: CREATED_AT,
      rules: hasRule ? [EXPIRY] : [],
      objects: [
        ...seeded.objects,
        ...kept.flatMap(([key, sizes]) => {
          const size = sizes.at(-1) ?? null;
          const lastModified = versionAt(sizes.length - 1);
          return size === null ? [] : [{ ...object(key, size, 0), lastModified }];
        }),
      ],
      oldVersions: kept.flatMap(([key, sizes]) =>
        sizes.slice(0, -1).flatMap((size, at) => {
          const times = { lastModified: versionAt(at), noncurrentSince: versionAt(at + 1) };
          return size ? [{ ...object(key, size, 0), ...times }] : [];
        }),
      ),
      deleteMarkers: kept.flatMap(([, sizes]) => sizes).filter((size) => size === null).length,
    };
  }

  /** Joins the two calls into what the oracle computes. */
  function withReads<T extends Pick<ScanResult['recommendations'][number], 'options'>>(
    recommendation: T,
    detail: RecommendationDetail | undefined,
  ) {
    const months = detail?.readScenarios ?? [];
    const options = recommendation.options.map((option, at) => {
      const placed = months.map(({ reads, options: all }) => [reads, all[at]?.monthlyUsd]);
      return { ...option, placedMonthlyUsd: Object.fromEntries(placed) };
    });
    return { ...recommendation, options };
  }

  const withoutTexts = <T extends { message: string }>(found: readonly T[]) =>
    found.map(({ message: _message, ...rest }) => rest);

  // spec: decision-report.by-a-scan, endpoint.scanner-results, scan.yields
  // spec: scanner-sequence.decision-report, scanner-sequence.job, scanner.lists-classifies-compares
  it('equal those of the oracle for the same listing, to the micro-dollar', () => {
    const expected = expectedOf(listing);
    assert.ok(scan.decisionReport);
    const { coverage, ...summary } = scan.summary;
    assert.deepEqual(coverage, []);
    const {
      reasons: _r,
      risks: _k,
      assumptions: _a,
      priceBook: _p,
      ...report
    } = scan.decisionReport;
    const actual = {
      summary: { ...summary, findings: withoutTexts(summary.findings) },
      buckets: scan.buckets.map(({ byContent: _byContent, findings, ...rest }) => {
        return { ...rest, findings: withoutTexts(findings) };
      }),
      recommendations: scan.recommendations.map((recommendation, at) => {
        const { recommendationId: _i, status: _s, expiresAt: _e, ...found } = recommendation;
        const { migrationId: _m, reasons: _x, blockers, ...rest } = found;
        return withReads({ ...rest, blockers: withoutTexts(blockers) }, details[at]);
      }),
      decisionReport: report,
    };
    const wanted = {
      ...expected,
      buckets: expected.buckets.map(({ byContent: _byContent, ...rest }) => rest),
    };
    assert.deepEqual(differences(actual, wanted), []);
  });

  // spec: scanner.recommends
  it('recommend every kind of action, name what of a move would stay behind, and classify the content', () => {
    const kinds = new Set(scan.recommendations.map(({ kind }) => kind));
    const all = ['abort_multipart_uploads', 'change_class', 'expire_old_versions', 'move'];
    assert.deepEqual([...kinds].sort(), all);
    const blockers = scan.recommendations.flatMap(({ bucket: name, blockers: found }) =>
      found.map(({ code, objects }) => [name, code, objects]),
    );
    assert.deepEqual(blockers, [[customer.bucketName('active'), 'key_too_long', 2]]);
    assert.deepEqual(scan.buckets[0]?.byContent, [
      { kind: 'video', objects: 60, bytes: 180 * GIB },
      { kind: 'other', objects: 25, bytes: 25 * 700 * MIB },
      { kind: 'image', objects: 70, bytes: 70 * 9 * MIB },
    ]);
  });
});
