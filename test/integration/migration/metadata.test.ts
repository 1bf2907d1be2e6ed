import assert from 'node:assert/strict';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { ADMIN, s3Client } from '../../harness/aws-double.ts';
import { startAnyStore, type AnyStore } from './own-stores.ts';

const LAST_MODIFIED = '2026-01-01T00:00:00Z';
const REGIONS = { aws: 'eu-central-1', b2: 'us-west-004' } as const;

describe('the metadata of moved objects', () => {
  let any: AnyStore;
  before(async () => {
    any = await startAnyStore();
  });
  after(() => any?.close());

  const entries = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_unused, at) => [`m${10 + at}`, `${at}`]));
  const OWN = { 'migration-id': 'flyway-7', 'src-etag': 'theirs' };
  const objects = [
    { key: 'd/2000', metadata: { note: 'n'.repeat(1_996) } },
    { key: 'd/ten', metadata: entries(10) },
    { key: 'd/twelve', metadata: entries(12) },
    { key: 'd/own', metadata: OWN },
    { key: 'd/moved', headers: { 'x-amz-website-redirect-location': '/elsewhere' } },
    { key: 'd/hidden', headers: { 'x-amz-missing-meta': '2' } },
  ];

  /** Moves the objects to a store; the migration, and an object there. */
  async function moved(to: 'aws' | 'b2') {
    const { client, bucketOf, scan } = await any.customer('own-minio', to);
    const bucket = bucketOf('own-minio');
    any.doubles['own-minio'].seed({
      bucket,
      objects: objects.map((object) => ({ size: 9, lastModified: LAST_MODIFIED, ...object })),
    });
    const { recommendations } = await scan('own-minio');
    const { recommendationId } =
      recommendations.find(({ kind }) => kind === 'move') ?? assert.fail();
    await client.migrations.approve(recommendationId, { targetProvider: to });
    const migration = await client.migrations.waitFor(recommendationId, { pollMs: 50 });
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    const s3 = s3Client(any.doubles[to], { region: REGIONS[to], credentials: { ...ADMIN } });
    const head = (key: string) =>
      s3.send(new HeadObjectCommand({ Bucket: bucketOf(to), Key: `${bucket}/${key}` }));
    return { migration, head };
  }

  it('stays as far as the target takes it, before our own, and what is lost is counted', async () => {
    const { migration, head } = await moved('b2');
    const { migrationId } = migration;
    assert.deepEqual(migration.notCarried, [
      { what: 'redirect', objects: 1 },
      { what: 'metadata', objects: 2 },
    ]);
    assert.deepEqual((await head('d/2000')).Metadata, objects[0]?.metadata);
    assert.deepEqual((await head('d/ten')).Metadata, entries(10));
    assert.deepEqual((await head('d/twelve')).Metadata, entries(10));
    const own = (await head('d/own')).Metadata ?? {};
    assert.deepEqual({ ...own, ...OWN }, own);
    assert.equal(own['storage-routing-migration-id'], migrationId);
    assert.match(own['storage-routing-src-etag'] ?? '', /^[0-9a-f]{32}$/);
  });

  it('keeps a redirect at AWS, and any number of entries', async () => {
    const { migration, head } = await moved('aws');
    assert.deepEqual(migration.notCarried, [{ what: 'metadata', objects: 1 }]);
    assert.equal((await head('d/moved')).WebsiteRedirectLocation, '/elsewhere');
    const { Metadata } = await head('d/twelve');
    assert.deepEqual({ ...Metadata, ...entries(12) }, Metadata);
  });
});
