import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import {
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  NotFound,
  type S3Client,
} from '@aws-sdk/client-s3';
import { CLOUD_REGION, createOwner, CUSTOMER_ACCOUNT } from '../../dev/parts/cloud-account.ts';
import type { Service } from '../../dev/service.ts';
import { createClient } from '../../sdk/src/index.ts';
import { s3Client } from '../harness/aws-double.ts';
import { createCustomer } from '../harness/customer.ts';
import { readUsage } from '../harness/process-usage.ts';
import { isLongForm } from '../long-form.ts';
import { localServers, localService } from '../servers.ts';
import type { GeneratedUpload } from './client-fixtures/upload-generated.ts';

const MIB = 1024 * 1024;
/** More than each of them may grow. */
const GIB = isLongForm ? 12 : 0.5;
const SIZE_BYTES = GIB * 1024 * MIB;
const PART_BYTES = 8 * MIB;
const BUCKET = 'large-files';
/** Of the client what is held, four parts being in flight; of the others what is resident. */
const MOST_GROWN_MIB = { client: 96, API: 256, store: 256 };
const SAMPLE_MS = 250;

describe(`the memory of an upload of ${GIB} GiB in parts`, function () {
  this.timeout(1_200_000);
  let service: Service;
  let store: S3Client;
  let apiKey: string;

  before(async () => {
    const [{ stack }, shared] = await Promise.all([localServers(), localService()]);
    service = shared;
    const double = stack.cloud?.double ?? assert.fail('the AWS double runs in this process');
    const owner = createOwner(double);
    double.putBucket({
      name: BUCKET,
      region: CLOUD_REGION,
      accountId: CUSTOMER_ACCOUNT,
      // The parts are counted and hashed, not kept.
      keepBodiesUpToBytes: MIB,
    });
    store = s3Client(double, { region: CLOUD_REGION, credentials: owner });
    const environment = {
      ...stack.environment,
      STORE_AWS_BUCKET: BUCKET,
      STORE_AWS_ACCESS_KEY_ID: owner.accessKeyId,
      STORE_AWS_SECRET_ACCESS_KEY: owner.secretAccessKey,
    };
    ({ apiKey } = await createCustomer({ ...stack, environment }, service.baseUrl, ['aws']));
  });
  after(() => store?.destroy());

  it('is bounded in client, API and store, and each byte of the file arrives', async () => {
    const [api = assert.fail()] = service.apis;
    const account = { baseUrl: service.baseUrl, apiKey };
    const uploading = uploadGenerated(account);
    const [{ fileId, grownBytes, etag }, ofApi, ofStore] = await Promise.all([
      uploading,
      growthDuring(uploading, async () => (await readUsage(api.pid)).bytes),
      growthDuring(uploading, () => Promise.resolve(process.memoryUsage.rss())),
    ]);
    const grown = { client: grownBytes, API: ofApi, store: ofStore };
    for (const name of ['client', 'API', 'store'] as const) {
      const mib = Math.round(grown[name] / MIB);
      assert.ok(mib < MOST_GROWN_MIB[name], `the memory of the ${name} grew by ${mib} MiB`);
    }

    const client = createClient(account);
    const file = await client.getFile(fileId);
    assert.deepEqual(
      [file.status, file.provider, file.fileSizeBytes],
      ['active', 'aws', SIZE_BYTES],
    );
    const object = { Bucket: BUCKET, Key: `uploads/${fileId}/generated.bin` };
    const head = await store.send(new HeadObjectCommand(object));
    assert.deepEqual([head.ContentLength, head.ETag], [SIZE_BYTES, `"${etag}"`]);
    const { Uploads } = await store.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
    assert.equal(Uploads, undefined, 'no multipart upload is left');
    await client.deleteFile(fileId);
    await assert.rejects(store.send(new HeadObjectCommand(object)), NotFound);
  });
});

/** In a process of its own. */
async function uploadGenerated({ baseUrl, apiKey }: Record<'baseUrl' | 'apiKey', string>) {
  const sizes = { SIZE_BYTES: String(SIZE_BYTES), PART_BYTES: String(PART_BYTES) };
  const env = { ...process.env, BASE_URL: baseUrl, API_KEY: apiKey, ...sizes };
  const program = join(import.meta.dirname, 'client-fixtures', 'upload-generated.ts');
  const args = ['--expose-gc', '--import', 'tsx', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout) as GeneratedUpload;
}

/** By how many bytes a process's memory exceeds, at most, what it was when the work began. */
async function growthDuring(work: Promise<unknown>, read: () => Promise<number>): Promise<number> {
  const before = await read();
  let highest = before;
  const isRunning = async () =>
    await Promise.race([work.then(() => false), delay(SAMPLE_MS).then(() => true)]);
  while (await isRunning()) highest = Math.max(highest, await read());
  return highest - before;
}
