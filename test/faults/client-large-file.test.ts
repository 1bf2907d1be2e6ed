import assert from 'node:assert/strict';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import {
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  NotFound,
  type S3Client,
} from '@aws-sdk/client-s3';
import { s3Client } from '../harness/aws-double.ts';
import { CLOUD_REGION, createOwner, CUSTOMER_ACCOUNT } from '../../dev/parts/cloud-account.ts';
import type { Service } from '../../dev/service.ts';
import { createClient } from '../../sdk/src/index.ts';
import { createCustomer } from '../harness/customer.ts';
import { localServers, localService } from '../servers.ts';
import {
  etagOfGenerated,
  uploadGenerated,
  type GeneratedUpload,
} from './client-fixtures/programs.ts';

const MIB = 1024 * 1024;
const SIZE_BYTES = 12 * 1024 * MIB;
const PART_BYTES = 8 * MIB;
const PART_COUNT = 1_536;
const BUCKET = 'large-files';
/** Of each process, however large the file is. */
const MOST_GROWN_MIB = 256;
const SAMPLE_MS = 250;

describe('a file of 12 GiB', () => {
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
    const customer = await createCustomer({ ...stack, environment }, service.baseUrl, ['aws']);
    apiKey = customer.apiKey;
  });
  after(() => store?.destroy());

  /** Uploads the file while the memory of each process is watched. */
  async function upload(): Promise<GeneratedUpload> {
    const [api] = service.apis;
    assert.ok(api);
    const uploading = uploadGenerated({ baseUrl: service.baseUrl, apiKey }, SIZE_BYTES, 'resident');
    const [uploaded, ofApi, ofStore] = await Promise.all([
      uploading,
      growthDuring(uploading, () => residentBytes(api.metricsUrl)),
      growthDuring(uploading, () => Promise.resolve(process.memoryUsage.rss())),
    ]);
    const grown = { client: uploaded.grownBytes, API: ofApi, store: ofStore };
    const took = `${Math.round(uploaded.tookMs / 1_000)} s`;
    for (const [name, bytes] of Object.entries(grown)) {
      const mib = Math.round(bytes / MIB);
      console.log(`      12 GiB in ${took}: the memory of the ${name} grew by at most ${mib} MiB`);
      assert.ok(mib < MOST_GROWN_MIB, `${name}: ${mib} MiB`);
    }
    return uploaded;
  }

  it('arrives in parts, in bounded memory', async function () {
    this.timeout(1_200_000);
    const [{ fileId }, etag] = await Promise.all([
      upload(),
      etagOfGenerated(SIZE_BYTES, PART_BYTES),
    ]);
    assert.ok(etag.endsWith(`-${PART_COUNT}`), etag);
    const client = createClient({ baseUrl: service.baseUrl, apiKey });
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

/** By how many bytes a process's memory exceeds, at most, what it was when the work began. */
async function growthDuring(work: Promise<unknown>, read: () => Promise<number>): Promise<number> {
  const before = await read();
  let highest = before;
  const isRunning = async () =>
    await Promise.race([work.then(() => false), delay(SAMPLE_MS).then(() => true)]);
  while (await isRunning()) highest = Math.max(highest, await read());
  return highest - before;
}

/** The resident memory of a process, from its metrics. */
async function residentBytes(metricsUrl: string): Promise<number> {
  const metrics = await (await fetch(`${metricsUrl}/metrics`)).text();
  const [, bytes] = /^process_resident_memory_bytes(?:\{.*\})? (\S+)$/m.exec(metrics) ?? [];
  return Number(bytes ?? assert.fail('there is no process_resident_memory_bytes'));
}
