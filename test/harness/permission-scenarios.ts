import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import {
  createClient,
  type StorageRoutingClient,
  StorageRoutingError,
} from '../../sdk/src/index.ts';
import { createAccessKey, type AccessKey } from '../../dev/parts/cloud-account.ts';
import { PART_BYTES } from '../../domain/common/parts.ts';
import type { IsolatedService } from '../servers.ts';
import { createCloudCustomer } from './cloud-customer.ts';
import { createMigrationCustomer } from './migration-customer.ts';
import type { Policy } from './permissions.ts';

/** What a scenario has seen, by the name of the check. */
export type Seen = Readonly<Record<string, unknown>>;

/** Carries out a customer's work with keys of one policy, at buckets of the AWS double. */
export type Scenario = (
  servers: IsolatedService,
  policyFor: (bucketName: string) => Policy,
) => Promise<Seen>;

const REGION = 'us-east-1';
const BYTES = Buffer.from('hello');
const ANNOUNCED = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: BYTES.length };

/** Every kind of call of an upload's life. */
export const uploadWith: Scenario = async ({ stack, service: { baseUrl } }, policyFor) => {
  const { double, awsAccount, token, client, bucket } = await createCloudCustomer(stack, baseUrl);
  const bucketName = bucket('uploads');
  const [keys, owner] = [createAccessKey(), createAccessKey()];
  double.putUser({ ...keys, accountId: awsAccount, policies: [policyFor(bucketName)] });
  double.putUser({ ...owner, accountId: awsAccount });
  await client.providers.save({ provider: 'aws', ...keys, bucketName, region: REGION });
  const { apiKey } = await client.apiKey.regenerate();
  const account = createClient({ baseUrl, apiKey, dashboardToken: token, maxRetries: 0 });

  const announced = await account.init(ANNOUNCED);
  const { fileId } = announced;
  // One after the other: each needs the ones before.
  return {
    tested: (await account.providers.test('aws')).ok,
    put: await send(announced.presignedUrl, announced.requiredHeaders),
    completed: await outcomeOf(account.complete(fileId)),
    downloaded: await download(account, fileId),
    deleted: await outcomeOf(account.deleteFile(fileId)),
    neverSent: await outcomeOf(account.complete((await account.init(ANNOUNCED)).fileId)),
    resumed: await sendInParts(account),
    dropped: await sendInParts(account, { isDropped: true }),
    leftovers: await countUploads(double.s3Endpoint, owner, bucketName),
  };
};

/** A migration with the policy at one of its sides. A stopped worker has left an upload at the target. */
export const migrateWith =
  (side: 'source' | 'target'): Scenario =>
  async ({ stack, service }, policyFor) => {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    const { double, awsAccount: accountId, keys } = customer;
    customer.put([{ key: 'films/spot.mov', size: PART_BYTES + 1 }]);
    const { recommendationId } = await customer.recommend();
    double.putUser({ ...keys[side], accountId, policies: [policyFor(customer[side])] });
    // The first upload of the object in parts cannot be completed: it is to be aborted.
    const once = { effect: 'internal_error', key: '*/spot.mov', times: 1 } as const;
    customer.addFaults([{ side: 'target', operation: 'CompleteMultipartUpload', ...once }]);
    const refused = await customer.approve(recommendationId).catch(codeOf);
    if (refused !== recommendationId) return { outcome: refused, leftovers: 0 };
    const migrationId = recommendationId;
    const { status, error } = await customer.migrated(migrationId);
    const leftovers = await customer.leftovers();
    let acls: unknown;
    for await (const line of customer.client.migrations.report(migrationId))
      if (!('key' in line)) ({ acls } = line);
    return { outcome: error?.code ?? status, acls, leftovers };
  };

/** Returns the status of the store. */
async function send(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return (await fetch(url, { method: 'PUT', headers, body: BYTES })).status;
}

async function download(account: StorageRoutingClient, fileId: string): Promise<string> {
  const { downloadUrl } = await account.getFile(fileId);
  return downloadUrl === null ? 'not active' : await (await fetch(downloadUrl)).text();
}

/** Sends one part; then asks for what the store holds, and completes or drops the upload. */
async function sendInParts(
  account: StorageRoutingClient,
  { isDropped = false } = {},
): Promise<unknown> {
  try {
    const { fileId } = await account.init({ ...ANNOUNCED, multipart: true });
    const [part] = (await account.uploadParts(fileId, [1])).parts;
    if (part) await send(part.presignedUrl, {});
    if (isDropped) return (await account.deleteFile(fileId)).status;
    const held: number[] = [];
    for await (const { partNumber } of account.listParts(fileId)) held.push(partNumber);
    return [held, (await account.complete(fileId)).status];
  } catch (error) {
    return codeOf(error);
  }
}

async function outcomeOf(answer: Promise<{ status: string }>): Promise<string> {
  return await answer.then(({ status }) => status, codeOf);
}

function codeOf(error: unknown): string {
  if (error instanceof StorageRoutingError) return error.code;
  throw error;
}

async function countUploads(endpoint: string, credentials: AccessKey, Bucket: string) {
  const owner = new S3Client({ endpoint, credentials, region: REGION, forcePathStyle: true });
  const { Uploads = [] } = await owner.send(new ListMultipartUploadsCommand({ Bucket }));
  owner.destroy();
  return Uploads.length;
}
