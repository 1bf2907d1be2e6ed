import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3';
import type { CORSRule } from '@aws-sdk/client-s3';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { s3CorsRules, lacking, uploadFrom, type CorsRequest } from '../../domain/providers/cors.ts';
import { BOUNDS, type StoreFixture } from './store-under-test.ts';

const ORIGIN = 'https://app.example.com';
const KEY = 'uploads/a b/é.png';

/** Tests `ObjectStore.preflight` in a bucket of its own, because the rules hold for a whole bucket. */
export function preflightContract(fixture: () => StoreFixture): void {
  describe('a preflight', () => {
    let s3: S3Client;
    let bucketName: string;
    let store: ObjectStore;
    beforeEach(async () => {
      const { given, open } = fixture();
      s3 = new S3Client({
        endpoint: given.origin,
        region: given.location.region,
        credentials: given.owner,
        forcePathStyle: true,
      });
      bucketName = `cors-${randomUUID()}`;
      await s3.send(new CreateBucketCommand({ Bucket: bucketName }));
      store = open({ location: { bucketName } });
    });
    afterEach(() => s3.destroy());

    const set = (...CORSRules: CORSRule[]) =>
      s3.send(new PutBucketCorsCommand({ Bucket: bucketName, CORSConfiguration: { CORSRules } }));
    const lacks = async (change: Partial<CorsRequest> = {}) => {
      const request = { ...uploadFrom(ORIGIN), ...change };
      return lacking(request, await store.preflight(KEY, request, BOUNDS));
    };

    it('is refused by a bucket without rules', async () => {
      assert.equal((await lacks()).length, 1);
    });

    it('is allowed by the rules that the catalogue gives, for their origin alone', async () => {
      await set(...(s3CorsRules(ORIGIN) as unknown as CORSRule[]));
      const md5 = { headers: ['content-md5', 'content-type'] };
      for (const allowed of [{}, md5, { method: 'GET', headers: [] }])
        assert.deepEqual(await lacks(allowed), []);
      const origin = 'https://other.example.com';
      for (const other of [{ origin }, { method: 'DELETE' }, { headers: ['x-other'] }])
        assert.notDeepEqual(await lacks(other), []);
    });

    it('fails if the bucket is missing', async () => {
      const gone = fixture().open({ location: { bucketName: `missing-${randomUUID()}` } });
      await assert.rejects(
        gone.preflight(KEY, uploadFrom(ORIGIN), BOUNDS),
        (error) => error instanceof StoreError && error.failure === 'bucket_missing',
      );
    });
  });
}
