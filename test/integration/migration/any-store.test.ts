import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { Client } from '@temporalio/client';
import { scanWorkflowId } from '../../../messages/names.ts';
import { createAccessKey } from '../../../dev/parts/cloud-account.ts';
import { ADMIN, s3Client } from '../../harness/aws-double.ts';
import { openTemporalClient } from '../../harness/temporal.ts';
import { OWN_STORES } from '../../harness/own-store.ts';
import type { Records } from '../../../adapters/mongo/records.ts';
import { openRecordsOf } from '../../harness/stored-approval.ts';
import { assertRefusal, sweepPlaces } from '../customers.ts';
import { startAnyStore, type AnyStore, type StoreName } from './own-stores.ts';

const LAST_MODIFIED = '2026-01-01T00:00:00Z';

describe('any store', () => {
  let any: AnyStore;
  let records: Records;
  let temporal: Client;
  before(async () => {
    any = await startAnyStore();
    temporal = await openTemporalClient(any.stack);
    records = openRecordsOf(any.stack);
  });
  after(async () => {
    await records?.close();
    await temporal?.connection.close();
    await any?.close();
  });

  it('of the operator’s own file takes uploads, whole and in parts, and deletes them', async () => {
    const { client } = await any.customer('own-minio');
    const { items } = await client.providers.catalogue();
    assert.deepEqual(
      items.map(({ provider }) => provider),
      ['aws', 'r2', 'b2', 'wasabi', 'tigris', ...OWN_STORES.map(({ provider }) => provider)],
    );
    const { ok, checks } = await client.providers.test('own-minio');
    assert.ok(ok, JSON.stringify(checks));
    const body = randomBytes(9 * 2 ** 20);
    for (const multipart of [false, true]) {
      const { fileId } = await client.upload({ fileName: 'a.bin', source: body, multipart });
      const { provider, routing } = await client.getFile(fileId);
      assert.equal(provider, 'own-minio');
      // Nothing of the kind is configured: the catalogue's cheapest of it is preferred.
      assert.equal(routing.preferredProvider, 'r2');
      const found = await client.download(fileId);
      assert.equal(hashOf(Buffer.from(await new Response(found.body).arrayBuffer())), hashOf(body));
      await client.deleteFile(fileId);
    }
  });

  for (const [store, supported] of [
    ['r2', [true, false, true, true, true, true, true, false]],
    ['b2', [false, false, true, true, false, false, true, false]],
    ['own-minio', [true, false, true, true, true, true, true, false]],
    ['unsorted', [true, false, true, false, true, true, true, false]],
    ['own-files', [false, false, false, true, false, false, false, false]],
  ] satisfies [StoreName, boolean[]][])
    it(`${store} is measured by what it does: ${supported.join(', ')}`, async () => {
      const { client, bucketOf } = await any.customer(store);
      const { ok, checks } = await client.providers.test(store);
      assert.ok(ok, JSON.stringify(checks));
      assert.deepEqual(
        checks.flatMap((check) => (check.supported === undefined ? [] : [check.name])),
        [
          'conditional_put',
          'conditional_delete',
          'content_md5',
          'list_order',
          'conditional_overwrite',
          'conditional_complete',
          'key_and_folder',
          'object_lock',
        ],
      );
      assert.deepEqual(
        checks.flatMap((check) => check.supported ?? []),
        supported,
      );
      assert.deepEqual(await any.leftIn(store, bucketOf(store)), []);
    });

  it('is audited with its stored credentials: R2 by its buckets, classes and uploads, without versions', async () => {
    const { client, bucketOf, scan } = await any.customer('r2');
    const bucket = bucketOf('r2');
    any.doubles.r2.seed({
      bucket,
      objects: [
        { key: 'a/one', size: 1e9, lastModified: LAST_MODIFIED },
        { key: 'a/two', size: 1e9, storageClass: 'STANDARD_IA', lastModified: LAST_MODIFIED },
      ],
    });
    const found = await scan('r2', null);
    assert.equal(found.status, 'completed', JSON.stringify(found.error));
    assert.equal(found.provider, 'r2');
    const own = found.buckets.find(({ name }) => name === bucket);
    assert.deepEqual([own?.objects, own?.region, own?.error], [2, 'auto', null]);
    assert.equal(own?.currentMonthlyCostUsd, 0.025);
    const [connection] = (await client.scanner.connections()).items;
    assert.deepEqual([connection?.provider, connection?.buckets], ['r2', null]);
    assert.equal(connection?.roleArn, undefined);
    const workflow = temporal.workflow.getHandle(scanWorkflowId(connection?.connectionId ?? ''));
    assert.deepEqual((await workflow.describe()).searchAttributes['Provider'], ['r2']);
    await assertRefusal(client.providers.delete('r2'), 409, 'provider_in_use');
    await client.scanner.disconnect(connection?.connectionId ?? '');
    await client.providers.delete('r2');
  });

  it('is audited at B2 with its hidden versions and unfinished large files, and says how to end them', async () => {
    const { bucketOf, scan } = await any.customer('b2');
    const bucket = bucketOf('b2');
    any.doubles.b2.seed({
      bucket,
      objects: [
        { key: 'a', size: 200e9, lastModified: LAST_MODIFIED },
        { key: 'a', size: 100e9, lastModified: '2026-02-01T00:00:00Z' },
        { key: 'b', size: 30e9, lastModified: LAST_MODIFIED },
        { key: 'b', deleteMarker: true, lastModified: '2026-02-01T00:00:00Z' },
      ],
      uploads: [{ key: 'c', partSizes: [20e9], initiated: LAST_MODIFIED }],
    });
    const found = await scan('b2');
    assert.equal(found.status, 'completed', JSON.stringify(found.error));
    assert.equal(found.summary.currentMonthlyCostUsd, 2.4325);
    assert.equal(found.buckets[0]?.objects, 1);
    const kinds = new Set(found.recommendations.map(({ kind }) => kind));
    assert.ok(kinds.has('expire_old_versions') && kinds.has('abort_multipart_uploads'));
  });

  it('is connected only where its credentials may read something, and never as `aws`', async () => {
    const { client, bucketOf } = await any.customer('b2', 'own-minio');
    const { scanner } = client;
    await assertRefusal(scanner.connect({ provider: 'aws' }), 400, 'invalid_request');
    await assertRefusal(scanner.connect({ provider: 'nowhere' }), 400, 'invalid_request');
    await assertRefusal(scanner.connect({ provider: 'wasabi' }), 400, 'provider_not_configured');
    const bucketName = bucketOf('b2');
    const keys = createAccessKey();
    const save = () =>
      client.providers.save({ provider: 'b2', ...keys, bucketName, region: 'us-west-004' });
    await save();
    // Keys of another store, which this one does not know.
    await assertRefusal(scanner.connect({ provider: 'b2' }), 502, 'provider_error');
    any.doubles.b2.putUser({ ...keys, policies: [boundTo(bucketName)] });
    any.doubles.b2.seed({ bucket: bucketName, objects: [{ key: 'a', size: 1 }] });
    // A key that is bound to its bucket may not list the others.
    const connection = await scanner.connect({ provider: 'b2' });
    assert.deepEqual([connection.bucketCount, connection.buckets], [1, null]);
    const { scanId } = await scanner.start(connection.connectionId);
    const { buckets } = await scanner.waitFor(scanId, { pollMs: 50 });
    assert.deepEqual(
      buckets.map(({ name, objects, error }) => [name, objects, error]),
      [[bucketName, 1, null]],
    );
    // A repeat replaces the buckets, and keeps the id.
    const again = await scanner.connect({ provider: 'b2', buckets: ['another'] });
    assert.deepEqual([again.connectionId, again.buckets], [connection.connectionId, ['another']]);
    assert.match(again.warnings.join(), /^another cannot be read: there is no such bucket/);
  });

  it('is audited and moved at the place where it was connected, with its keys, until it is connected again', async () => {
    const { client, accountId, bucketOf } = await any.customer('own-minio', 'b2');
    const { providers, scanner, migrations } = client;
    const [first, second] = [bucketOf('own-minio'), `${bucketOf('own-minio')}-2`];
    const double = any.doubles['own-minio'];
    /** Gives the store a bucket, and keys that are bound to it. */
    const configure = async (bucketName: string) => {
      const keys = createAccessKey();
      double.putBucket({ name: bucketName });
      double.putUser({ ...keys, policies: [boundTo(bucketName)] });
      await providers.save({ provider: 'own-minio', ...keys, bucketName, region: 'us-east-1' });
    };
    const connect = () => scanner.connect({ provider: 'own-minio' });
    const audit = async (connectionId: string) => {
      const { scanId } = await scanner.start(connectionId);
      const { buckets, recommendations } = await scanner.waitFor(scanId, { pollMs: 50 });
      const found = buckets.map(({ name, objects, error }) => [name, objects, error]);
      return { found, move: recommendations.find(({ kind }) => kind === 'move') };
    };
    const former = async () =>
      (await providers.list()).items.flatMap(({ formerPlaces }) =>
        formerPlaces.map(({ bucketName }) => bucketName),
      );

    await configure(first);
    double.seed({
      bucket: first,
      objects: [{ key: 'd/1', size: 70 * 2 ** 20, lastModified: LAST_MODIFIED }],
    });
    const { connectionId } = await connect();
    await configure(second);
    await sweepPlaces(records, 1);
    const { found, move } = await audit(connectionId);
    assert.deepEqual(found, [[first, 1, null]]);
    const { migrationId } = await migrations.approve(move?.recommendationId ?? assert.fail(), {
      targetProvider: 'b2',
    });
    const ended = await migrations.waitFor(migrationId, { pollMs: 50 });
    assert.equal(ended.status, 'completed', JSON.stringify(ended));
    assert.deepEqual(await any.leftIn('b2', bucketOf('b2')), [`${first}/d/1`]);
    await sweepPlaces(records, 2);
    assert.deepEqual(await former(), [first]);

    assert.equal((await connect()).connectionId, connectionId);
    assert.deepEqual((await audit(connectionId)).found, [[second, 0, null]]);
    await sweepPlaces(records, 3);
    assert.deepEqual(await former(), []);
    assert.deepEqual(await records.formerPlaces.listFormerPlaces(accountId), []);
  });

  it('is connected with a warning for each bucket whose name is mistyped', async () => {
    const { client, bucketOf } = await any.customer('own-minio');
    const second = `${bucketOf('own-minio')}-2`;
    any.doubles['own-minio'].putBucket({ name: second });
    const connect = (...buckets: string[]) =>
      client.scanner.connect({ provider: 'own-minio', buckets });
    assert.deepEqual((await connect(second)).warnings, []);
    const mistyped = `${second}o`;
    const { warnings, buckets } = await connect(second, mistyped);
    assert.deepEqual(warnings, [`${mistyped} cannot be read: there is no such bucket.`]);
    assert.deepEqual(buckets, [second, mistyped]);
    assert.deepEqual((await client.scanner.connections()).items[0]?.warnings, warnings);
  });

  it('that lists in no order is refused for scans with the reason', async () => {
    const { bucketOf, scan } = await any.customer('unsorted');
    const bucket = bucketOf('unsorted');
    any.doubles.unsorted.seed({
      bucket,
      generated: [{ count: 2_500, keyPattern: 'k{i:4}', size: 1 }],
    });
    const found = await scan('unsorted');
    assert.equal(found.buckets[0]?.error?.code, 'listing_unsorted', JSON.stringify(found.error));
  });

  for (const [from, to] of [
    ['own-minio', 'b2'],
    ['b2', 'own-cheap'],
    ['r2', 'own-cheap'],
    ['own-minio', 'aws'],
    ['own-minio', 'unsorted'],
  ] satisfies [StoreName, StoreName][])
    it(`moves from ${from} to ${to} byte by byte, with the credentials of both`, async () => {
      const { client, bucketOf, scan } = await any.customer(from, to);
      const [source, target] = [bucketOf(from), bucketOf(to)];
      const sizes = [0, 1, 70 * 2 ** 20];
      any.doubles[from].seed({
        bucket: source,
        objects: sizes.map((size, at) => ({ key: `d/${at}`, size, lastModified: LAST_MODIFIED })),
        generated: [],
      });
      const { recommendations } = await scan(from);
      const move = recommendations.find(
        ({ kind, options }) => kind === 'move' && options.some(({ provider }) => provider === to),
      );
      assert.ok(move, JSON.stringify(recommendations));
      const option = move.options.find(({ provider }) => provider === to);
      // Of the region that is configured.
      if (to === 'aws')
        assert.equal(option?.monthlyCostUsd, Number(((move.bytes / 2 ** 30) * 0.0245).toFixed(6)));
      const approved = await client.migrations.approve(move.recommendationId, {
        targetProvider: to,
      });
      const ended = await client.migrations.waitFor(approved.migrationId, { pollMs: 50 });
      assert.equal(ended.status, 'completed', JSON.stringify(ended));
      assert.equal(ended.source.provider, from);
      const read = async (store: StoreName, Bucket: string, Key: string) => {
        const region =
          { aws: 'eu-central-1', r2: 'auto', b2: 'us-west-004' }[store as string] ?? 'us-east-1';
        const s3 = s3Client(any.doubles[store], {
          region,
          credentials: { ...ADMIN },
          requestChecksumCalculation: 'WHEN_REQUIRED',
          responseChecksumValidation: 'WHEN_REQUIRED',
        });
        const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
        return hashOf(Buffer.from((await Body?.transformToByteArray()) ?? []));
      };
      for (const at of sizes.keys())
        assert.equal(
          await read(to, target, `${source}/d/${at}`),
          await read(from, source, `d/${at}`),
        );
    });
});

function boundTo(bucket: string) {
  const arn = `arn:aws:s3:::${bucket}`;
  return {
    Version: '2012-10-17' as const,
    Statement: [{ Effect: 'Allow' as const, Action: ['s3:*'], Resource: [arn, `${arn}/*`] }],
  };
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
