import assert from 'node:assert/strict';
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { MigrationContext, UploadContext } from '../../activities/contexts.ts';
import { createMigrationEnding } from '../../activities/migrations/end.ts';
import { createUploadActivities } from '../../activities/uploads/uploads.ts';
import { createStoreHttp } from '../../adapters/object-store/http-client.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { createObjectStores } from '../../adapters/object-store/s3-store.ts';
import { createStoreClocks } from '../../adapters/object-store/store-clocks.ts';
import { addSeconds } from '../../domain/common/time.ts';
import type { FileRecord } from '../../domain/uploads/file.ts';
import type { AwsDouble } from '../../dev/aws-double/index.ts';
import { ADMIN, s3Client, startDouble } from '../harness/aws-double.ts';
import { endpointsAt, fakeAccountStores } from '../harness/catalogue.ts';
import { unreported } from '../harness/progress.ts';
import { stubbed } from '../harness/stubbed.ts';
import { insertApproved, openStored } from '../harness/stored-approval.ts';
import { fileOf, freshId, NOW, testDatabase } from './adapters/database.ts';

const BUCKET = 'target';
const LOCATION = { provider: 'aws', bucketName: BUCKET, region: 'us-east-1' } as const;
const BYTES = Buffer.from('12345678');
const HEADERS = { 'content-type': 'text/plain' };

/** What a call of the API does there: `migration/store-answers`. */
describe('at a store that does not list multipart uploads', () => {
  const database = testDatabase();
  const http = createStoreHttp();
  let double: AwsDouble;
  let store: ObjectStore;
  before(async () => {
    double = await startDouble({
      behaviour: { region: 'us-east-1', unsupported: ['ListMultipartUploads'] },
    });
    double.putBucket({ name: BUCKET });
    const endpoints = { findEndpoint: endpointsAt({ aws: double.s3Endpoint }) };
    const open = createObjectStores({ http, clocks: createStoreClocks(), ...endpoints });
    store = open(LOCATION, ADMIN);
  });
  after(async () => {
    http.close();
    await double?.close();
  });

  const stores = () => fakeAccountStores({ at: () => store, of: () => store });
  const deps = (now: Date) => ({
    ...database.records,
    stores: stores(),
    guard: <Result>(_key: unknown, work: () => Promise<Result>) => work(),
    now: () => now,
  });
  const activitiesAt = (now: Date) => createUploadActivities(stubbed<UploadContext>(deps(now)));
  const keysThere = async () => {
    const { Contents = [] } = await s3Client(double).send(
      new ListObjectsV2Command({ Bucket: BUCKET }),
    );
    return Contents.map(({ Key }) => Key);
  };
  const partsOf = ({ objectKey, multipart }: FileRecord) =>
    store.parts(objectKey, multipart?.uploadId ?? '', 0);

  /** A file in parts whose one part is at the store. */
  async function arrive(changes: Partial<FileRecord> = {}): Promise<FileRecord> {
    const file = fileOf({ location: LOCATION, sizeBytes: BYTES.length, ...changes });
    const uploadId = await store.beginUpload(file.objectKey, HEADERS);
    const part = { sizeBytes: BYTES.length, body: BYTES };
    await store.writePart(file.objectKey, uploadId, 1, part);
    const multipart = { partSizeBytes: BYTES.length, partCount: 1, uploadId };
    await database.records.accounts.findOrCreate(file.accountId, 'enterprise', NOW);
    await database.records.files.insertFile({ ...file, multipart });
    return { ...file, multipart };
  }
  const keyOf = ({ fileId, accountId }: FileRecord) => ({ fileId, accountId });

  it('a half upload expires when its window closes, and is aborted', async () => {
    await assert.rejects(
      s3Client(double).send(new ListMultipartUploadsCommand({ Bucket: BUCKET })),
      { name: 'NotImplemented' },
    );
    const file = await arrive();
    const { settleUpload } = activitiesAt(addSeconds(file.deadline, 1));
    assert.equal((await settleUpload(keyOf(file))).status, 'expired');
    assert.equal(await partsOf(file), undefined);
  });

  it('a file that was assembled without a complete becomes active when its window closes', async () => {
    const file = await arrive();
    const { parts = [] } = (await partsOf(file)) ?? {};
    const etags = parts.map(({ etag }) => etag);
    await store.completeUpload(file.objectKey, file.multipart?.uploadId ?? '', etags);
    const { settleUpload } = activitiesAt(addSeconds(file.deadline, 1));
    assert.equal((await settleUpload(keyOf(file))).status, 'active');
  });

  for (const status of ['expired', 'deleted'] as const)
    it(`the last look at a file that is ${status} aborts the upload, and is the last`, async () => {
      const file = await arrive({ status, lookAgainAt: NOW });
      const { lookAgain } = activitiesAt(addSeconds(file.lastLookAt, 1));
      assert.deepEqual(await lookAgain(keyOf(file)), { status, lookAgainAtMs: null });
      assert.equal(await partsOf(file), undefined);
    });

  it('the end of a migration deletes its canary, also where the target refuses to abort an upload', async () => {
    const accountId = freshId('account');
    const { records } = database;
    await records.accounts.findOrCreate(accountId, 'enterprise', NOW);
    const bucket = freshId('bucket');
    const key = await insertApproved(records, { accountId, bucket });
    await openStored(records, key);
    const { migrationId } = key;
    const targetKey = `${bucket}/half`;
    const uploadId = await store.beginUpload(targetKey, HEADERS);
    await records.migrationUploads.note(migrationId, { targetKey, uploadId, sourceEtag: '' }, NOW);
    const canaries = ['', '-parts', '-measured/key/below'].map(
      (kind) => `${bucket}/.storage-routing-canary-${migrationId}${kind}`,
    );
    for (const canary of canaries)
      await store.write(canary, { headers: HEADERS, sizeBytes: BYTES.length, body: BYTES });
    double.addFault({ operation: 'AbortMultipartUpload', effect: 'access_denied' });
    const { abortUploads } = createMigrationEnding(
      stubbed<MigrationContext>({ ...deps(NOW), attempt: () => 6, progress: unreported }),
    );
    const reason = { isCancelled: true, error: null };
    await assert.rejects(abortUploads({ ...key, round: 1 }, reason), { code: 'provider_error' });
    double.clearFaults();
    const left = (await keysThere()).filter((found) => canaries.includes(found ?? ''));
    assert.deepEqual(left, []);
    assert.deepEqual(await abortUploads({ ...key, round: 1 }, reason), { aborted: 1 });
    assert.equal(await store.parts(targetKey, uploadId, 0), undefined);
  });
});
