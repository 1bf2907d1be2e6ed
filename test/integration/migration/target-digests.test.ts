import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { assertRefusal } from '../customers.ts';
import { startAnyStore, type AnyStore, type StoreName } from './own-stores.ts';

const MIB = 2 ** 20;
const LAST_MODIFIED = '2026-01-01T00:00:00Z';
const KMS = { encryption: '<SSEAlgorithm>aws:kms</SSEAlgorithm>' };
const RETENTION = {
  'object-lock': '<DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention>',
};
/** Whole and buffered, whole and streamed, without a known MD5, and in parts of a migration. */
const OBJECTS = [
  { key: 'd/1', size: 5_000, lastModified: LAST_MODIFIED },
  { key: 'd/2', size: 20 * MIB, lastModified: LAST_MODIFIED },
  { key: 'd/3', size: 20 * MIB, encryption: 'aws:kms', lastModified: LAST_MODIFIED },
  { key: 'd/4', size: 70 * MIB, lastModified: LAST_MODIFIED },
];

describe('a target whose writes need a digest', () => {
  let any: AnyStore;
  before(async () => {
    any = await startAnyStore();
  });
  after(() => any?.close());
  afterEach(() => any.doubles['own-cheap'].clearFaults());

  /** A move out of `own-minio` that is recommended, to a bucket with these settings. */
  async function recommended(to: StoreName, settings: Record<string, string>) {
    const customer = await any.customer('own-minio', to);
    const { client, bucketOf, scan } = customer;
    const name = bucketOf(to);
    const isLocked = 'object-lock' in settings;
    any.doubles[to].putBucket({ name, settings, ...(isLocked ? { versioning: 'Enabled' } : {}) });
    any.doubles['own-minio'].seed({ bucket: bucketOf('own-minio'), objects: OBJECTS });
    const { recommendations } = await scan('own-minio');
    const move = recommendations.find(
      ({ kind, options }) => kind === 'move' && options.some(({ provider }) => provider === to),
    );
    const { recommendationId } = move ?? assert.fail(JSON.stringify(recommendations));
    const approve = () => client.migrations.approve(recommendationId, { targetProvider: to });
    return { ...customer, recommendationId, approve, name };
  }

  async function sha256Of(store: StoreName, Bucket: string, Key: string): Promise<string> {
    const { Body } = await any.s3For(store).send(new GetObjectCommand({ Bucket, Key }));
    const bytes = (await Body?.transformToByteArray()) ?? Buffer.alloc(0);
    return createHash('sha256').update(bytes).digest('hex');
  }

  for (const [what, settings] of [
    ['encrypts with a key of KMS', KMS],
    ['has a default Object Lock retention', RETENTION],
    ['has both', { ...KMS, ...RETENTION }],
  ] as const)
    it(`takes a move where it ${what}: each byte is written once, and proven`, async () => {
      const { client, approve, bucketOf, name } = await recommended('own-cheap', settings);
      const { migrationId } = await approve();
      const ended = await client.migrations.waitFor(migrationId, { pollMs: 50 });
      assert.equal(ended.status, 'completed', JSON.stringify(ended));
      const source = bucketOf('own-minio');
      const requests = any.doubles['own-cheap']
        .requests()
        .filter(({ bucket, key }) => bucket === name && (key ?? '').startsWith(`${source}/d/`));
      const count = (operation: string) =>
        requests.filter((request) => request.operation === operation).length;
      // 20 MiB without an MD5 are three parts of 8 MiB, 70 MiB nine.
      assert.deepEqual(
        [count('PutObject'), count('UploadPart'), count('CompleteMultipartUpload')],
        [2, 3 + 9, 2],
      );
      assert.equal(count('DeleteObject'), 0);
      // Nothing was read back to be proven.
      assert.deepEqual(
        requests.filter(({ operation, status }) => operation === 'GetObject' && status < 300),
        [],
      );
      for (const { key } of OBJECTS)
        assert.equal(
          await sha256Of('own-cheap', name, `${source}/${key}`),
          await sha256Of('own-minio', source, key),
        );
      const left = await any.leftIn('own-cheap', name);
      assert.deepEqual(
        left,
        OBJECTS.map(({ key }) => `${source}/${key}`),
      );
    });

  it('is refused where nothing proves a write: no approval, and nothing is left', async () => {
    const { client, approve, recommendationId, name } = await recommended('own-files', KMS);
    await assertRefusal(approve(), 400, 'provider_not_usable', /could not be proven/);
    const { status } = await client.scanner.recommendation(recommendationId);
    assert.equal(status, 'open');
    assert.deepEqual(await any.leftIn('own-files', name), []);
  });

  it('is refused where it takes no upload in parts, before anything is approved', async () => {
    const { client, approve, recommendationId, name } = await recommended('own-cheap', {});
    const fault = { effect: 'access_denied', bucket: name } as const;
    any.doubles['own-cheap'].addFault({ ...fault, operation: 'UploadPart' });
    await assertRefusal(approve(), 400, 'provider_not_usable', /in parts/);
    assert.equal((await client.scanner.recommendation(recommendationId)).status, 'open');
    assert.deepEqual(await any.leftIn('own-cheap', name), []);
  });
});
