import type { StoreLocation } from '../../domain/providers/catalogue.ts';
import type { BucketLifecycle } from '../../domain/inventory/lifecycle.ts';
import type { ListedBucket } from '../../domain/scans/scan.ts';
import { bucketAddress, type BucketAddress, type FindEndpoint } from '../object-store/address.ts';
import { STORE_CALLS } from '../object-store/call-bounds.ts';
import { isRefusal } from '../object-store/errors.ts';
import type { StoreHttp } from '../object-store/http-messages.ts';
import {
  readObjectsPage,
  readVersionsPage,
  type ListingMarker,
  type ListPage,
} from '../object-store/list-answers.ts';
import {
  listPartsPage,
  listUploadsPage,
  notAdvancing,
  type UploadsPage,
} from '../object-store/multipart-uploads.ts';
import type { ListedUpload, PartsPage } from '../object-store/object-store.ts';
import type { S3Call } from '../object-store/s3-client.ts';
import type { StoreClocks } from '../object-store/store-clocks.ts';
import { createAccountCall, type AccountCall } from './account-call.ts';
import type { CredentialSource } from './session.ts';
import {
  classifyVersioning,
  readUse,
  toStoredRules,
  USE_CALLS,
  type UseSetting,
  type Versioning,
} from './bucket-settings.ts';

/** How AWS bills a request: a listing costs more than ten times as much as another one. */
export type RequestKind = 'list' | 'other';

export interface AccountReaderDeps {
  readonly http: StoreHttp;
  readonly findEndpoint: FindEndpoint;
  /** Whose buckets are listed, at the endpoint that does it. */
  readonly home: StoreLocation;
  /** The buckets are listed by pages: AWS says then where each is, other stores refuse it. */
  readonly listsByPages: boolean;
  readonly credentials: CredentialSource;
  readonly clocks: StoreClocks;
  /** Called for each request that is sent, also for those that fail. */
  readonly onRequest: (kind: RequestKind, region: string) => void;
  /** How long one request may take; 10 s by default. */
  readonly timeoutMs?: number;
}

/** Where a page of keys begins. */
export interface PageRequest {
  /** After that key, or after that version of it; null: at the first key. */
  readonly after: ListingMarker | null;
  /** The listing has received pages, so a refusal means a revoked session. */
  readonly workedBefore?: boolean;
}

const MAX_BUCKETS = 1_000;
const MAX_KEYS = '1000';
const LISTINGS: ReadonlySet<string> = new Set([
  'ListBuckets',
  'ListObjectsV2',
  'ListObjectVersions',
  'ListMultipartUploads',
  'ListParts',
]);

/** Reads one customer's account. Every method rejects with a `StoreError`. */
export type AccountReader = ReturnType<typeof createAccountReader>;

export function createAccountReader(deps: AccountReaderDeps) {
  const { home } = deps;
  const toAddress = (bucket: Pick<StoreLocation, 'bucketName' | 'region'>) =>
    bucketAddress({ ...home, ...bucket }, deps.findEndpoint);
  const call = createAccountCall({
    http: deps.http,
    credentials: deps.credentials,
    clocks: deps.clocks,
    timeoutMs: deps.timeoutMs ?? STORE_CALLS.scan.callMs,
    onRequest: (operation, region) =>
      deps.onRequest(LISTINGS.has(operation) ? 'list' : 'other', region),
  });

  return {
    /** The buckets of the account, in any region. */
    async listBuckets(): Promise<readonly ListedBucket[]> {
      // A bucket without a name is the account: its path is the endpoint's own.
      const address = { ...toAddress({ bucketName: '', region: home.region }), pathPrefix: '' };
      const buckets: ListedBucket[] = [];
      const names = new Set<string>();
      let token: string | undefined;
      do {
        const page: BucketsPage = await call({ operation: 'ListBuckets', address }, (session) =>
          listBucketsPage(session.callS3, deps, token),
        );
        // The order of the tokens is the store's own.
        const isRepeated = page.buckets.some(({ name }) => names.has(name));
        if (isRepeated || (token !== undefined && page.continuationToken === token))
          throw notAdvancing('buckets');
        for (const { name } of page.buckets) names.add(name);
        buckets.push(...page.buckets);
        token = page.continuationToken;
      } while (token);
      return buckets;
    },

    bucket: ({ name, region }: Pick<ListedBucket, 'name' | 'region'>) =>
      createBucketReader(call, name, toAddress({ bucketName: name, region })),
  };
}

interface BucketsPage {
  readonly buckets: readonly ListedBucket[];
  readonly continuationToken: string | undefined;
}

/** Stores that do not say where a bucket is have it where it is asked for. */
async function listBucketsPage(
  callS3: S3Call,
  { home, listsByPages }: Pick<AccountReaderDeps, 'home' | 'listsByPages'>,
  token: string | undefined,
): Promise<BucketsPage> {
  const { Buckets = [], ContinuationToken } = await callS3(
    (sdk) =>
      new sdk.ListBucketsCommand({
        ...(listsByPages ? { MaxBuckets: MAX_BUCKETS } : {}),
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
  );
  const buckets = Buckets.map(({ Name = '', BucketRegion, CreationDate = null }) => ({
    name: Name,
    region: BucketRegion || home.region,
    createdAt: CreationDate,
  }));
  return { buckets, continuationToken: ContinuationToken };
}

/** Reads one bucket. Every method rejects with a `StoreError`. */
export type BucketReader = ReturnType<typeof createBucketReader>;

type UploadName = Pick<ListedUpload, 'key' | 'uploadId'>;

function createBucketReader(call: AccountCall, Bucket: string, address: BucketAddress) {
  return {
    /** The current objects. */
    listObjects({ after, workedBefore = false }: PageRequest): Promise<ListPage> {
      const query = {
        'list-type': '2',
        'encoding-type': 'url',
        'max-keys': MAX_KEYS,
        ...(after === null ? {} : { 'start-after': after.key }),
      };
      const request = { operation: 'ListObjectsV2', address, workedBefore };
      return call(request, (session) =>
        session.getDocument(query, (body) => readObjectsPage(body, after?.key ?? null)),
      );
    },

    /** All versions and delete markers. */
    listVersions({ after, workedBefore = false }: PageRequest): Promise<ListPage> {
      const query = {
        versions: '',
        'encoding-type': 'url',
        'max-keys': MAX_KEYS,
        ...(after === null ? {} : { 'key-marker': after.key }),
        ...(after?.versionId ? { 'version-id-marker': after.versionId } : {}),
      };
      const request = { operation: 'ListObjectVersions', address, workedBefore };
      return call(request, (session) =>
        session.getDocument(query, (body) => readVersionsPage(body, after)),
      );
    },

    /** Incomplete uploads after the given one. */
    listUploads: (after: UploadName | null): Promise<UploadsPage> =>
      call({ operation: 'ListMultipartUploads', address }, ({ callS3 }) =>
        listUploadsPage(callS3, { Bucket, after }),
      ),

    /** The bytes of an upload's parts; 0 if it was completed or aborted meanwhile. */
    uploadBytes: ({ key, uploadId }: UploadName): Promise<number> =>
      call({ operation: 'ListParts', address }, ({ callS3 }) =>
        sumParts(callS3, { Bucket, Key: key, UploadId: uploadId }),
      ),

    versioning: (): Promise<Versioning> =>
      call({ operation: 'GetBucketVersioning', address }, async ({ callS3 }) => {
        const { Status } = await callS3((sdk) => new sdk.GetBucketVersioningCommand({ Bucket }));
        return classifyVersioning(Status);
      }),

    /** Whether the request metrics under this id are those of all objects. */
    coversAllObjects: (filterId: string): Promise<boolean> =>
      call({ operation: 'GetBucketMetricsConfiguration', address }, ({ callS3 }) =>
        coversAllObjects(callS3, Bucket, filterId),
      ),

    lifecycle: (): Promise<BucketLifecycle> =>
      call({ operation: 'GetBucketLifecycleConfiguration', address }, ({ callS3 }) =>
        readLifecycle(callS3, Bucket),
      ),

    use: (setting: UseSetting): Promise<boolean> =>
      call({ operation: USE_CALLS[setting].operation, address }, ({ callS3 }) =>
        readUse(callS3, Bucket, setting),
      ),
  };
}

/** The bytes of the parts that were listed before the upload was completed or aborted. */
async function sumParts(
  callS3: S3Call,
  upload: { Bucket: string; Key: string; UploadId: string },
): Promise<number> {
  let bytes = 0;
  let after = 0;
  let page: PartsPage | undefined;
  do {
    page = await listPartsPage(callS3, upload, after);
    for (const { sizeBytes } of page?.parts ?? []) bytes += sizeBytes;
    const last = page?.parts.at(-1)?.partNumber ?? 0;
    if (page?.isTruncated && last <= after) throw notAdvancing('parts');
    after = last;
  } while (page?.isTruncated);
  return bytes;
}

async function coversAllObjects(
  callS3: S3Call,
  Bucket: string,
  filterId: string,
): Promise<boolean> {
  try {
    const { MetricsConfiguration } = await callS3(
      (sdk) => new sdk.GetBucketMetricsConfigurationCommand({ Bucket, Id: filterId }),
    );
    return MetricsConfiguration !== undefined && MetricsConfiguration.Filter === undefined;
  } catch (error) {
    // Its metrics outlive a configuration.
    if (isRefusal(error, 'NoSuchConfiguration')) return false;
    throw error;
  }
}

async function readLifecycle(callS3: S3Call, Bucket: string): Promise<BucketLifecycle> {
  try {
    const { Rules = [], TransitionDefaultMinimumObjectSize: minimum } = await callS3(
      (sdk) => new sdk.GetBucketLifecycleConfigurationCommand({ Bucket }),
    );
    return toStoredRules(Rules, minimum);
  } catch (error) {
    if (isRefusal(error, 'NoSuchLifecycleConfiguration')) return { rules: [] };
    throw error;
  }
}
