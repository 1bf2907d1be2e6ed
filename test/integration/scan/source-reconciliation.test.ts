import assert from 'node:assert/strict';
import { rolePolicy } from '../../../adapters/cloud-account/permissions.ts';
import type { ScanResult } from '../../../sdk/src/index.ts';
import { roundUsd } from '../../../domain/pricing/money.ts';
import { newCloudCustomer, sharedRecords } from '../customers.ts';
import { refusal } from '../../contract/refusal.ts';
import { REGIONS, type CloudCustomer } from '../../harness/cloud-customer.ts';
import { storeMigration } from '../../harness/stored-migration.ts';

const GIB = 2 ** 30;
const COUNT = 40;
const usdOf = (objects: number) => (objects * 23) / 1000;

const objectsUnder = (prefix: string, from = 0, etag = 'e'.repeat(32)) =>
  Array.from({ length: COUNT - from }, (_unused, n) => ({
    key: `${prefix}${String(n + from).padStart(3, '0')}`,
    size: GIB,
    etag,
  }));

/** A scan recommends the whole bucket; half of its bytes were copied. */
const savingsOfHalf = (option: { readonly monthlySavingsUsd: number } | undefined) =>
  roundUsd((option?.monthlySavingsUsd ?? 0) / 2);

/** A bucket that nothing was moved out of. */
function seedOther(customer: CloudCustomer): { readonly bucket: string } {
  const bucket = customer.bucket('other');
  customer.double.seed({ bucket, objects: objectsUnder('c/') });
  return { bucket };
}

const findingOf = ({ buckets }: ScanResult, bucket: string) =>
  buckets
    .find(({ name }) => name === bucket)
    ?.findings.find(({ code }) => code === 'copied_not_yet_released');

const movesOf = ({ recommendations }: ScanResult) =>
  recommendations
    .filter(({ kind }) => kind === 'move')
    .map(({ bucket, selector }) => `${bucket.split('-')[0]} ${selector.prefix}`)
    .sort();

describe('the reconciliation of a migrated source by a later scan', () => {
  const records = sharedRecords();
  let customer: CloudCustomer;
  let connectionId: string;
  let bucket: string;

  beforeEach(async () => {
    customer = await newCloudCustomer();
    customer.readFromInternet();
    bucket = customer.bucketName('media');
    connectionId = await customer.connect();
  });

  function hold(...objects: ReturnType<typeof objectsUnder>[]): void {
    customer.double.removeBucket(bucket);
    customer.bucket('media');
    customer.double.seed({ bucket, objects: objects.flat() });
  }

  const realisedOf = async (migrationId: string) =>
    (await customer.client.migrations.get(migrationId)).realised;

  /** Stores a migration of the first move of a scan, which copied these objects. */
  const storeMove = async (
    scan: ScanResult,
    objects: ReturnType<typeof objectsUnder>,
    status: 'copying' | 'completed' = 'completed',
  ) =>
    await storeMigration(records, {
      accountId: customer.accountId,
      scan,
      recommendationId: scan.recommendations[0]?.recommendationId ?? assert.fail(),
      copied: objects.map(({ key, size, etag }) => ({ key, sizeBytes: size, etag })),
      status,
    });

  /** Scans, and stores a migration that copied everything under `a/`. */
  async function moveA(status?: 'copying' | 'completed') {
    hold(objectsUnder('a/'), objectsUnder('b/'));
    const scan = await customer.scan();
    assert.deepEqual(movesOf(scan), ['media null']);
    const migrationId = await storeMove(scan, objectsUnder('a/'), status);
    const options = scan.recommendations[0]?.options;
    return { migrationId, savings: options?.find(({ provider }) => provider === 'b2') };
  }

  it('finds the objects still at the source, states their cost, and does not recommend the move again', async () => {
    const { migrationId, savings } = await moveA();
    const changed = objectsUnder('a/', 30, 'f'.repeat(32));
    hold(objectsUnder('a/', 10).slice(0, 20), changed, objectsUnder('b/'));
    customer.double.resetCounters();
    const { scanId } = await customer.client.scanner.start(connectionId);
    const scan = await customer.ended(scanId);
    const found = findingOf(scan, bucket);
    assert.deepEqual([found?.objects, found?.bytes], [20, 20 * GIB]);
    assert.equal(found?.monthlyCostUsd, usdOf(20));
    // What failed or came later is not recommended anew: a round copies it.
    assert.deepEqual(movesOf(scan), []);
    const left = scan.buckets[0]?.findings.find(({ code }) => code === 'not_moved_yet');
    assert.deepEqual([left?.objects, left?.migrationId], [COUNT - 30 + COUNT, migrationId]);
    assert.deepEqual(await realisedOf(migrationId), {
      state: 'copied_not_yet_released',
      asOf: scan.startedAt,
      monthlyUsd: savingsOfHalf(savings),
    });
    // Scans of other accounts may still run at the same server.
    const isOurs = (caller: string | null) => caller?.includes(`:${customer.awsAccount}:`) === true;
    const listings = new Set(['ListBuckets', 'ListObjectsV2', 'ListMultipartUploads']);
    const made = customer.double
      .requests()
      .filter(({ caller, operation }) => isOurs(caller) && listings.has(operation));
    assert.equal(scan.requests.list, made.length);
    const report = await customer.client.scanner.report(scan.scanId);
    assert.match(report, /Copied already and still at the source: 20 objects/);
  });

  it('realises the saving when the source holds none of the objects, also if its bucket was deleted', async () => {
    const { migrationId, savings } = await moveA();
    hold(objectsUnder('b/'));
    const cleared = await customer.scan();
    assert.equal(findingOf(cleared, bucket), undefined);
    assert.deepEqual(movesOf(cleared), ['media null']);
    customer.double.removeBucket(bucket);
    const gone = await customer.scan();
    assert.equal(gone.status, 'completed');
    // The date is that of the first scan that found it.
    assert.deepEqual(await realisedOf(migrationId), {
      state: 'released',
      asOf: cleared.startedAt,
      monthlyUsd: savingsOfHalf(savings),
    });
    // Keys that are there again are billed again.
    hold(objectsUnder('a/', COUNT - 1, 'f'.repeat(32)));
    const back = await customer.scan();
    const { state, asOf } = (await realisedOf(migrationId)) ?? assert.fail();
    assert.deepEqual([state, asOf], ['copied_not_yet_released', back.startedAt]);
  });

  it('is not released while the source holds a copied key in any version, or nobody can know', async () => {
    const { migrationId } = await moveA();
    const key = 'a/000';
    const version = { key, size: GIB, lastModified: '2026-01-01T00:00:00Z' };
    const marker = { key, deleteMarker: true, lastModified: '2026-02-01T00:00:00Z' } as const;
    const unlisted = JSON.stringify(rolePolicy()).replace('s3:ListBucketVersions', 's3:ListBucket');
    for (const [objects, policies, state] of [
      [[version, marker], undefined, 'copied_not_yet_released'],
      [[marker], undefined, 'released'],
      [
        [marker],
        [JSON.parse(unlisted) as ReturnType<typeof rolePolicy>],
        'copied_not_yet_released',
      ],
    ] as const) {
      hold(objectsUnder('b/'));
      customer.double.putBucket({ name: bucket, versioning: 'Enabled' });
      customer.double.seed({ bucket, objects: [...objects] });
      if (policies) customer.putRole({ policies: [...policies] });
      await customer.scan();
      assert.equal((await realisedOf(migrationId))?.state, state);
    }
  });

  it('belongs to the cloud account: another role and a new connection know it', async () => {
    const { migrationId } = await moveA();
    const { bucket: other } = seedOther(customer);
    const scanned = await customer.scan();
    const { recommendationId } =
      scanned.recommendations.find((each) => each.bucket === other) ?? assert.fail();
    const { scanner } = customer.client;
    await scanner.disconnect(connectionId);
    assert.equal((await scanner.recommendation(recommendationId)).status, 'superseded');
    const approve = customer.client.migrations.approve(recommendationId, { targetProvider: 'b2' });
    assert.equal((await refusal(approve)).code, 'recommendation_not_open');
    const again = await customer.scan();
    assert.notEqual(again.connectionId, connectionId);
    assert.deepEqual(movesOf(again), ['other null']);
    const roleArn = `${customer.roleArn}-2`;
    customer.putRole({ roleArn });
    const { externalId } = customer;
    const second = await scanner.connect({ roleArn, externalId, regions: REGIONS });
    const { scanId } = await scanner.start(second.connectionId);
    const last = await customer.ended(scanId);
    assert.deepEqual(movesOf(last), ['other null']);
    assert.equal((await realisedOf(migrationId))?.asOf, last.startedAt);
    const open = await scanner.recommendations({ status: 'open' });
    assert.deepEqual([...new Set(open.items.map((each) => each.scanId))], [scanId]);
  });

  it('counts the objects while the migration runs, without a state', async () => {
    const { migrationId } = await moveA('copying');
    const scan = await customer.scan();
    assert.equal(findingOf(scan, bucket)?.objects, COUNT);
    assert.deepEqual(movesOf(scan), ['media b/']);
    assert.equal(await realisedOf(migrationId), null);
  });

  it('counts an object of two migrations once in the total, and in each of them', async () => {
    const { migrationId } = await moveA();
    // While the source holds none of what was copied, the move is recommended anew.
    hold(objectsUnder('b/'));
    const both = [...objectsUnder('a/', 30), ...objectsUnder('b/')];
    const second = await storeMove(await customer.scan(), both);
    hold(objectsUnder('a/'), objectsUnder('b/'));
    const third = await customer.scan();
    assert.equal(findingOf(third, bucket)?.objects, 2 * COUNT);
    assert.deepEqual(movesOf(third), []);
    for (const each of [migrationId, second])
      assert.equal((await realisedOf(each))?.state, 'copied_not_yet_released');
  });
});
