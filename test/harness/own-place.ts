import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { createAccessKey } from '../../dev/parts/cloud-account.ts';
import type { Stack } from '../../dev/stack.ts';
import type { SaveProviderRequest } from '../../sdk/src/index.ts';
import { createCustomer, type Customer, type Upload } from './customer.ts';
import type { OwnedBucket } from './invariants/invariant.ts';

const REGION = 'us-east-1';

/** A bucket of the double with users of its own, as a place of the store `aws`. */
export interface OwnPlace extends OwnedBucket {
  /** With the latest keys. */
  settings(): SaveProviderRequest;
  /** Adds a user with new keys. */
  renewKeys(): void;
  /** Removes the user with the latest keys. */
  revokeKeys(): void;
  /** The keys of the objects and of the incomplete multipart uploads. */
  contents(): Promise<{ readonly objects: string[]; readonly uploads: string[] }>;
}

export function openOwnPlace({ cloud }: Stack): OwnPlace {
  assert.ok(cloud);
  const { double } = cloud;
  const name = `place-${randomUUID().slice(0, 8)}`;
  const accountId = String(randomInt(1e11, 1e12 - 1));
  const addUser = () => {
    const keys = createAccessKey();
    double.putUser({ ...keys, accountId });
    return keys;
  };
  double.putBucket({ name, region: REGION, accountId });
  const s3 = new S3Client({
    endpoint: double.s3Endpoint,
    forcePathStyle: true,
    region: REGION,
    credentials: addUser(),
  });
  let keys = addUser();
  return {
    name,
    s3,
    settings: () => ({ provider: 'aws', bucketName: name, region: REGION, ...keys }),
    renewKeys: () => void (keys = addUser()),
    revokeKeys: () => double.removeUser(keys.accessKeyId),
    async contents() {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: name }));
      const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket: name }));
      return {
        objects: Contents.map(({ Key = '' }) => Key),
        uploads: Uploads.map(({ Key = '' }) => Key),
      };
    },
  };
}

/** Makes it the current place of the customer's store `aws`, or gives a former one its keys. */
export async function savePlace(
  customer: Customer,
  place: OwnPlace,
  which: { readonly place?: 'former' } = {},
): Promise<void> {
  const saved = await customer.manage('POST /v1/providers', { ...place.settings(), ...which });
  assert.equal(saved.status, 200, saved.text);
}

/** A customer with completed files at a former place of its store, which is at another place now. */
export async function openFormerPlace(stack: Stack, baseUrl: string, count: number) {
  const [former, current] = [openOwnPlace(stack), openOwnPlace(stack)];
  const customer = await createCustomer(stack, baseUrl, []);
  await savePlace(customer, former);
  const files: Upload[] = [];
  for (let at = 0; at < count; at += 1) files.push(await customer.send({ sizeBytes: 9 + at }));
  for (const { fileId } of files) assert.equal((await customer.complete(fileId)).status, 200);
  await savePlace(customer, current);
  return { customer, former, current, files };
}

/** A customer's store as GET shows it: its bucket, and its former places with their files. */
export async function shownPlaces(customer: Customer): Promise<[string, [string, number][]][]> {
  const { body, text } = await customer.manage('GET /v1/providers');
  const items = body['items'] as {
    bucketName: string;
    formerPlaces: { bucketName: string; files: number }[];
  }[];
  assert.ok(items, text);
  return items.map(({ bucketName, formerPlaces }) => [
    bucketName,
    formerPlaces.map((place) => [place.bucketName, place.files]),
  ]);
}
