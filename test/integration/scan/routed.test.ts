import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createAccessKey } from '../../../dev/parts/cloud-account.ts';
import { roundUsd } from '../../../domain/pricing/money.ts';
import { describeFile } from '../../harness/described-file.ts';
import type { CloudCustomer } from '../../harness/cloud-customer.ts';
import type { ScanResult } from '../../../sdk/src/index.ts';
import { createOwnStore, newCloudCustomer, sharedRecords } from '../customers.ts';

const MIB = 2 ** 20;
const NOW = new Date();
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000).toISOString();
const fileKey = () => `uploads/${randomUUID()}/a.mp4`;

const object = (key: string, size: number) => {
  return { key, size, lastModified: daysAgo(5), seed: 'same' };
};

/** Sixty larger prefixes, each of which would move, and two files. */
const OBJECTS = [
  ...Array.from({ length: 60 }, (_, at) => object(`p${at}/x`, 900 * MIB)),
  ...[fileKey(), fileKey()].map((key) => object(key, 400 * MIB)),
];

/** By the reads that are assumed of objects up to 30 days old, and up to 90. */
const readMib = (young: number, older: number) => 0.5 * young + 0.1 * older;
/** The monthly cost of so many MiB of these ages, with their part of what six buckets are read. */
const costOf = (young: number, older: number) => {
  const share = readMib(young, older) / readMib(6 * (60 * 900 + 800), 50);
  return roundUsd(((young + older) / 1024) * 0.023 + share * 1_000 * 0.09);
};

describe('files of the service in a bucket that is scanned', () => {
  const records = sharedRecords();
  let customer: CloudCustomer;
  let scan: ScanResult;
  /** The buckets by what they are here. */
  let names: Record<'place' | 'former' | 'shared' | 'named' | 'oldKey' | 'partKey', string>;

  before(async () => {
    customer = await newCloudCustomer();
    customer.readFromInternet();
    const place = createOwnStore(customer);
    const former = seed('former');
    await customer.client.providers.save({ ...place, bucketName: former });
    await customer.client.providers.save(place);
    // The place is needed: its last file is deleted, and looked for once more.
    await records.files.insertFile({
      ...describeFile(NOW),
      accountId: customer.accountId,
      location: { provider: 'aws', bucketName: former, region: place.region },
      status: 'deleted',
      lookAgainAt: new Date(NOW.getTime() + 86_400_000),
    });
    names = {
      place: place.bucketName,
      former,
      shared: seed('shared'),
      named: seed('named'),
      oldKey: seed('old-key'),
      partKey: seed('part-key'),
    };
    const { double } = customer;
    double.putBucket({ name: names.place, versioning: 'Enabled' });
    double.seed({ bucket: names.place, objects: OBJECTS });
    const [replaced, parts] = [fileKey(), [64 * MIB, 64 * MIB]];
    for (const days of [40, 39])
      double.seed({
        bucket: names.place,
        objects: [{ key: replaced, size: 50 * MIB, lastModified: daysAgo(days) }],
        uploads: [{ key: fileKey(), initiated: daysAgo(20), partSizes: parts }],
      });
    double.putBucket({ name: names.oldKey, versioning: 'Enabled' });
    const marker = { key: 'uploads/own.mp4', deleteMarker: true, lastModified: daysAgo(40) };
    const own = { key: marker.key, size: MIB, lastModified: daysAgo(50) };
    double.seed({ bucket: names.oldKey, objects: [own, marker] });
    double.seed({
      bucket: names.partKey,
      uploads: [{ key: 'uploads/own.mp4', initiated: daysAgo(20), partSizes: parts }],
    });
    for (const bucketName of [names.shared, names.oldKey, names.partKey])
      await records.files.insertFile({ ...fileAt(bucketName), status: 'active' });
    // Another account names the bucket, and has uploaded nothing.
    const other = await newCloudCustomer();
    const keys = { ...createAccessKey(), bucketName: names.named, region: 'us-east-1' };
    await other.client.providers.save({ provider: 'aws', ...keys });
    await records.files.insertFile({ ...fileAt(names.named), accountId: other.accountId });
    scan = await customer.scan();
    assert.equal(scan.status, 'completed', JSON.stringify(scan.error));
  });

  function seed(name: string): string {
    const bucket = customer.bucket(name);
    customer.double.seed({ bucket, objects: OBJECTS });
    return bucket;
  }

  /** A file of an account of its own. */
  function fileAt(bucketName: string) {
    const location = { provider: 'aws', bucketName, region: 'eu-west-1' };
    return { ...describeFile(NOW), location };
  }

  const recommended = (bucket: string) =>
    scan.recommendations
      .filter((each) => each.bucket === bucket)
      .map(({ kind, selector }) => `${kind} of ${selector.prefix ?? 'all'}`);
  const listedPrefixes = (bucket: string) =>
    scan.buckets.find(({ name }) => name === bucket)?.byPrefix.map(({ prefix }) => prefix) ?? [];

  it('are left alone in a place of the account, current or former, and where files of any account are active', () => {
    const rows = scan.decisionReport?.leftAlone.map(({ message, ...row }) => {
      assert.match(message, /^Files of this service/);
      return row;
    });
    const row = { prefix: 'uploads/', code: 'routed' };
    const two = { objects: 2, bytes: 800 * MIB, monthlyCostUsd: costOf(800, 0) };
    const three = { objects: 3, bytes: 850 * MIB, monthlyCostUsd: costOf(800, 50) };
    assert.deepEqual(rows, [
      { bucket: names.place, ...row, ...three },
      { bucket: names.former, ...row, ...two },
      { bucket: names.shared, ...row, ...two },
    ]);
    for (const bucket of [names.place, names.former, names.shared]) {
      assert.ok(listedPrefixes(bucket).includes('uploads/'), 'beside 50 larger ones');
      assert.equal(listedPrefixes(bucket).length, 52);
      const moves = recommended(bucket);
      assert.equal(moves.length, 50);
      for (const move of moves) assert.match(move, /^move of p\d+\/$/);
    }
  });

  it('are the customer’s own where a place is only named, or another key is below uploads/', () => {
    assert.deepEqual(recommended(names.named), ['move of all']);
    assert.deepEqual(recommended(names.oldKey), ['move of all', 'expire_old_versions of all']);
    assert.deepEqual(recommended(names.partKey), ['move of all', 'abort_multipart_uploads of all']);
    for (const bucket of [names.named, names.oldKey, names.partKey])
      assert.ok(scan.buckets.some(({ name, error }) => name === bucket && error === null));
  });

  it('are named in the report for people', async () => {
    const report = await customer.client.scanner.report(scan.scanId);
    assert.match(report, /## Not touched, and why\n/);
    assert.ok(report.includes(`\`${names.place}/uploads/\``));
    const csv = await customer.client.scanner.report(scan.scanId, { format: 'csv' });
    assert.ok(!csv.includes('uploads/'));
  });
});
