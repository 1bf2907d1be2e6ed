import assert from 'node:assert/strict';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { ADMIN, s3Client } from '../../harness/aws-double.ts';
import { assertRefusal } from '../customers.ts';
import { startAnyStore, type AnyStore, type StoreName } from './own-stores.ts';

const MIB = 2 ** 20;
const LAST_MODIFIED = '2026-01-01T00:00:00Z';

describe('the place of a migration at its target', () => {
  let any: AnyStore;
  before(async () => {
    any = await startAnyStore();
  });
  after(() => any?.close());

  const s3For = (store: StoreName) =>
    s3Client(any.doubles[store], {
      region: { r2: 'auto', b2: 'us-west-004' }[store as string] ?? 'us-east-1',
      credentials: { ...ADMIN },
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });

  async function keysIn(store: StoreName, Bucket: string): Promise<(string | undefined)[]> {
    const { Contents = [] } = await s3For(store).send(new ListObjectsV2Command({ Bucket }));
    return Contents.map(({ Key }) => Key);
  }

  /** Buckets of one name at two stores, and a move out of each that is recommended to `b2`. */
  async function twoOfOneName() {
    const customer = await any.customer('own-minio', 'r2', 'b2');
    const { client, accountId, scan } = customer;
    const bucketName = `assets-${accountId}`;
    const keys = { accessKeyId: ADMIN.accessKeyId, secretAccessKey: ADMIN.secretAccessKey };
    const recommended: string[] = [];
    for (const [store, place] of [
      ['own-minio', { region: 'us-east-1' }],
      ['r2', { region: 'auto', accountId: '0a1b2c3d4e5f60718293a4b5c6d7e8f9' }],
    ] as const) {
      any.doubles[store].putBucket({ name: bucketName });
      await client.providers.save({ provider: store, ...keys, bucketName, ...place });
      const object = {
        key: 'd/1',
        text: `of ${store}`.padEnd(5 * MIB),
        lastModified: LAST_MODIFIED,
      };
      any.doubles[store].seed({ bucket: bucketName, objects: [object] });
      const { recommendations } = await scan(store);
      const move = recommendations.find(
        ({ kind, options }) => kind === 'move' && options.some(({ provider }) => provider === 'b2'),
      );
      recommended.push(move?.recommendationId ?? assert.fail(JSON.stringify(recommendations)));
    }
    const [ofMinio = '', ofR2 = ''] = recommended;
    const approve = (id: string, target?: { bucketName: string; keyPrefix: string }) =>
      client.migrations.approve(id, { targetProvider: 'b2', ...(target ? { target } : {}) });
    const ended = (migrationId: string) => client.migrations.waitFor(migrationId, { pollMs: 50 });
    return { ...customer, bucketName, ofMinio, ofR2, approve, ended };
  }

  it('belongs to one source: a second bucket of the same name gets its store in front', async () => {
    const { bucketOf, bucketName, ofMinio, ofR2, approve, ended } = await twoOfOneName();
    const target = bucketOf('b2');
    const first = await approve(ofMinio);
    const named = { bucketName: target, keyPrefix: `${bucketName}/` };
    await assertRefusal(approve(ofR2, named), 409, 'target_prefix_taken');
    const second = await approve(ofR2);
    for (const { migrationId } of [first, second])
      assert.equal((await ended(migrationId)).status, 'completed');
    assert.equal((await ended(second.migrationId)).target.keyPrefix, `r2-${bucketName}/`);
    for (const [key, text] of [
      [`${bucketName}/d/1`, 'of own-minio'],
      [`r2-${bucketName}/d/1`, 'of r2'],
    ]) {
      const read = new GetObjectCommand({ Bucket: target, Key: key });
      const { Body } = await s3For('b2').send(read);
      assert.equal((await Body?.transformToString())?.trimEnd(), text);
    }
    // The same call again, also without a place, is the same approval.
    assert.equal((await approve(ofR2)).migrationId, second.migrationId);
  });

  it('is given to one of two sources at once', async () => {
    const { bucketOf, ofMinio, ofR2, approve, ended } = await twoOfOneName();
    const place = { bucketName: bucketOf('b2'), keyPrefix: 'moved/' };
    const answers = await Promise.allSettled([approve(ofMinio, place), approve(ofR2, place)]);
    const [won, ...more] = answers.flatMap((each) =>
      each.status === 'fulfilled' ? [each.value.migrationId] : [],
    );
    assert.ok(won !== undefined && more.length === 0);
    const lost = won === ofMinio ? ofR2 : ofMinio;
    const error = await approve(lost, place).catch((refused: unknown) => refused);
    const { code, details } = error as { code: string; details: unknown };
    assert.deepEqual(
      [code, details],
      ['target_prefix_taken', [{ path: '/migrationId', message: won }]],
    );
    await ended(won);
    // A place inside of it is no conflict: key by key the ledger decides.
    const nested = await approve(lost, { ...place, keyPrefix: 'moved/d/' });
    assert.equal((await ended(nested.migrationId)).status, 'completed');
    const keys = await keysIn('b2', place.bucketName);
    assert.deepEqual(keys, ['moved/d/1', 'moved/d/d/1']);
  });

  it('is not the bucket of the source under another name', async () => {
    const { client, bucketOf, scan } = await any.customer('own-minio', 'own-cheap');
    const bucketName = bucketOf('own-minio');
    const { accessKeyId, secretAccessKey } = ADMIN;
    const keys = { accessKeyId, secretAccessKey, region: 'us-east-1' };
    await client.providers.save({ provider: 'own-cheap', ...keys, bucketName });
    const object = { key: 'd/1', size: 70 * MIB, lastModified: LAST_MODIFIED };
    any.doubles['own-minio'].seed({ bucket: bucketName, objects: [object] });
    const { recommendations } = await scan('own-minio');
    const { recommendationId } =
      recommendations.find(({ kind }) => kind === 'move') ?? assert.fail();
    const approve = client.migrations.approve(recommendationId, { targetProvider: 'own-cheap' });
    await assertRefusal(approve, 400, 'invalid_request');
    assert.deepEqual(await keysIn('own-minio', bucketName), ['d/1']);
  });

  it('may list in no order: no object is copied twice there, and its source can be released', async () => {
    const { client, bucketOf, scan } = await any.customer('own-minio', 'unsorted');
    const target = bucketOf('unsorted');
    any.doubles['own-minio'].seed({
      bucket: bucketOf('own-minio'),
      generated: [{ count: 200, keyPattern: 'd/{i:4}', size: 20_000, lastModified: LAST_MODIFIED }],
    });
    const { recommendations } = await scan('own-minio');
    const { recommendationId } =
      recommendations.find(({ kind }) => kind === 'move') ?? assert.fail();
    const targetProvider = 'unsorted';
    const { migrationId } = await client.migrations.approve(recommendationId, { targetProvider });
    const ended = await client.migrations.waitFor(migrationId, { pollMs: 50 });
    assert.equal(ended.status, 'completed', JSON.stringify(ended));
    const puts = any.doubles.unsorted
      .requests()
      .filter(
        ({ bucket, operation, key }) =>
          bucket === target && operation === 'PutObject' && /\/d\/\d{4}$/.test(key ?? ''),
      );
    assert.equal(puts.length, 200);
    await client.migrations.beginRelease(migrationId);
    const release = await client.migrations.waitForRelease(migrationId, { pollMs: 50 });
    assert.deepEqual([release.status, release.objects], ['ready', 200]);
  });
});
