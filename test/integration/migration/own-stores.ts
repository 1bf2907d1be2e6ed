import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import * as behaviours from '../../../dev/aws-double/behaviour.ts';
import type { AwsDouble, AwsDoubleOptions } from '../../../dev/aws-double/index.ts';
import { createClient, type ScanResult } from '../../../sdk/src/index.ts';
import { describedFetch } from '../../acceptance/described.ts';
import { ADMIN, s3Client, startDouble } from '../../harness/aws-double.ts';
import { OWN_STORES } from '../../harness/own-store.ts';
import { startIsolatedService } from '../../servers.ts';

export type StoreName = 'aws' | 'r2' | 'b2' | 'own-minio' | 'own-cheap' | 'unsorted' | 'own-files';

const PLACES: Readonly<Record<StoreName, { region: string; accountId?: string }>> = {
  aws: { region: 'eu-central-1' },
  r2: { region: 'auto', accountId: '0a1b2c3d4e5f60718293a4b5c6d7e8f9' },
  b2: { region: 'us-west-004' },
  'own-minio': { region: 'us-east-1' },
  'own-cheap': { region: 'us-east-1' },
  unsorted: { region: 'us-east-1' },
  'own-files': { region: 'us-east-1' },
};

/** A store on files that ignores what it does not know. */
const ON_FILES: behaviours.StoreBehaviour = {
  region: 'us-east-1',
  keyAndFolder: 'one',
  contentMd5: 'ignored',
  conditionalPut: 'ignored',
  conditionalDelete: 'ignored',
};

/** What stands between the service and B2, and B2's clock. */
interface OtherB2 {
  readonly through: (origin: string) => Promise<string>;
  readonly now: NonNullable<AwsDoubleOptions['now']>;
}

const AS_IT_IS: OtherB2 = { through: (origin) => Promise.resolve(origin), now: Date.now };

/** A service whose catalogue has the operator's own stores; each store is a double that behaves as it does. */
export async function startAnyStore(other: Partial<OtherB2> = {}) {
  const { through, now } = { ...AS_IT_IS, ...other };
  const folder = await mkdtemp(join(tmpdir(), 'own-stores-'));
  const file = join(folder, 'stores.json');
  await writeFile(file, JSON.stringify(OWN_STORES));
  const [aws, r2, b2, minio, storj, files] = await Promise.all([
    startDouble(),
    startDouble({ behaviour: behaviours.R2_BEHAVIOUR }),
    startDouble({ behaviour: behaviours.B2_BEHAVIOUR, now }),
    startDouble({ behaviour: behaviours.MINIO_BEHAVIOUR }),
    startDouble({ behaviour: behaviours.STORJ_BEHAVIOUR }),
    startDouble({ behaviour: ON_FILES }),
  ]);
  const doubles: Readonly<Record<StoreName, AwsDouble>> = {
    aws,
    r2,
    b2,
    'own-minio': minio,
    'own-cheap': minio,
    unsorted: storj,
    'own-files': files,
  };
  const { stack, service } = await startIsolatedService({
    environment: {
      DEFAULT_PLAN: 'enterprise',
      MIN_MONTHLY_SAVINGS_USD: '0',
      STORES_FILE: file,
      PROVIDER_ENDPOINT_AWS: aws.s3Endpoint,
      PROVIDER_ENDPOINT_R2: r2.s3Endpoint,
      PROVIDER_ENDPOINT_B2: await through(b2.s3Endpoint),
      PROVIDER_ENDPOINT_OWN_MINIO: minio.s3Endpoint,
      PROVIDER_ENDPOINT_OWN_CHEAP: minio.s3Endpoint,
      PROVIDER_ENDPOINT_UNSORTED: storj.s3Endpoint,
      PROVIDER_ENDPOINT_OWN_FILES: files.s3Endpoint,
    },
  });

  /** A customer with buckets of these stores; a bucket is named after the store and the customer. */
  async function customer(...stores: readonly StoreName[]) {
    const accountId = `customer-${randomUUID().slice(0, 8)}`;
    const token = stack.identity?.issueToken({ account: accountId }) ?? '';
    const session = { baseUrl: service.baseUrl, dashboardToken: token, fetch: describedFetch };
    const dashboard = createClient(session);
    const { apiKey } = await dashboard.apiKey.regenerate();
    const options = { ...session, apiKey };
    const client = createClient(options);
    const bucketOf = (store: StoreName) => `${store}-${accountId}`;
    for (const store of stores) {
      const { region } = PLACES[store];
      const name = bucketOf(store);
      doubles[store].putBucket(store === 'aws' ? { name, region } : { name });
      await client.providers.save({
        provider: store,
        accessKeyId: ADMIN.accessKeyId,
        secretAccessKey: ADMIN.secretAccessKey,
        bucketName: bucketOf(store),
        ...PLACES[store],
      });
    }
    /** Scans what the stored credentials of a store give access to, or its own bucket alone. */
    const scan = async (
      provider: StoreName,
      buckets: string[] | null = [],
    ): Promise<ScanResult> => {
      const { connectionId } = await client.scanner.connect({ provider, buckets });
      const { scanId } = await client.scanner.start(connectionId);
      return await client.scanner.waitFor(scanId, { pollMs: 50 });
    };
    return { accountId, token, client, options, bucketOf, scan };
  }

  const s3For = (store: StoreName) =>
    s3Client(doubles[store], {
      region: store === 'r2' ? 'auto' : PLACES[store].region,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });

  /** The keys in a bucket, those of incomplete uploads included. */
  async function leftIn(store: StoreName, Bucket: string): Promise<(string | undefined)[]> {
    const s3 = s3For(store);
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
    const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
    return [...Contents, ...Uploads].map(({ Key }) => Key);
  }

  return {
    s3For,
    leftIn,
    doubles,
    service,
    stack,
    customer,
    async close() {
      await service.stop();
      await Promise.all([aws, r2, b2, minio, storj, files].map((double) => double.close()));
    },
  };
}

export type AnyStore = Awaited<ReturnType<typeof startAnyStore>>;
