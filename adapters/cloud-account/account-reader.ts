import type { StoreLocation } from '../../domain/catalogue.ts';
import type { Lifecycle } from '../../domain/scan/inventory.ts';
import { bucketAddress, type BucketAddress } from '../object-store/address.ts';
import type { StoreHttp } from '../object-store/http/messages.ts';
import { createAccountCall, type AccountCall, type AccountRequest } from './account-call.ts';
import type { CredentialSource } from './credentials.ts';
import {
  readBucketsPage,
  readObjectsPage,
  readPartsPage,
  readUploadsPage,
  readVersionsPage,
  type BucketsPage,
  type ListedBucket,
  type ListedUpload,
  type ListingMarker,
  type ListPage,
  type PartsPage,
  type UploadsPage,
} from '../object-store/list-answers.ts';
import { readLifecycle, readVersioning, type Versioning } from './settings-answers.ts';

/** How AWS bills a request: listings cost more than ten times of what the others do. */
export type RequestKind = 'list' | 'other';

export interface AccountReaderDeps {
  readonly http: StoreHttp;
  /** The origin that the operator set in place of AWS's own. */
  readonly endpointOverride?: string | undefined;
  readonly credentials: CredentialSource;
  readonly now: () => Date;
  /** Called for each request that is sent, also for those that fail. */
  readonly onRequest: (kind: RequestKind, region: string) => void;
  /** How long one request may take; 10 s by default. */
  readonly timeoutMs?: number;
  /** Whose endpoint is asked for the account's buckets. */
  readonly homeRegion?: string;
}

/** Reads one customer's account. Every method rejects with a `StoreError`. */
export interface AccountReader {
  /** All buckets of the account, in whatever region. */
  listBuckets(): Promise<readonly ListedBucket[]>;
  bucket(bucket: ListedBucket): BucketReader;
}

/** Where a page of keys begins. */
export interface PageRequest {
  /** Behind that key, or behind that version of it; null: at the first key. */
  readonly after: ListingMarker | null;
  /** The listing got pages before, so that a refusal is a revoked session. */
  readonly workedBefore?: boolean;
}

/** Reads one bucket. Every method rejects with a `StoreError`. */
export interface BucketReader {
  /** The current objects. */
  listObjects(request: PageRequest): Promise<ListPage>;
  /** All versions and delete markers. */
  listVersions(request: PageRequest): Promise<ListPage>;
  /** Incomplete uploads, behind the one given. */
  listUploads(after: Pick<ListedUpload, 'key' | 'uploadId'> | null): Promise<UploadsPage>;
  /** The bytes of an upload's parts; 0 where it was completed or aborted meanwhile. */
  uploadBytes(upload: Pick<ListedUpload, 'key' | 'uploadId'>): Promise<number>;
  versioning(): Promise<Versioning>;
  lifecycle(): Promise<Lifecycle>;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const HOME_REGION = 'us-east-1';
const MAX_BUCKETS = '1000';
const MAX_KEYS = '1000';
const LISTINGS: ReadonlySet<string> = new Set([
  'ListBuckets',
  'ListObjectsV2',
  'ListObjectVersions',
  'ListMultipartUploads',
  'ListParts',
]);

export function createAccountReader(deps: AccountReaderDeps): AccountReader {
  const { endpointOverride, homeRegion = HOME_REGION } = deps;
  const overrides = endpointOverride === undefined ? {} : { aws: endpointOverride };
  const addressOf = (location: Pick<StoreLocation, 'bucketName' | 'region'>) =>
    bucketAddress({ provider: 'aws', ...location }, overrides);
  const call = createAccountCall({
    http: deps.http,
    credentials: deps.credentials,
    now: deps.now,
    timeoutMs: deps.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    onRequest: ({ operation, address }: AccountRequest) =>
      deps.onRequest(LISTINGS.has(operation) ? 'list' : 'other', address.region),
  });

  return {
    async listBuckets() {
      // A bucket without a name is the account: its path is the endpoint's own.
      const address = { ...addressOf({ bucketName: '', region: homeRegion }), pathPrefix: '' };
      const buckets: ListedBucket[] = [];
      for (let token: string | null = ''; token !== null;) {
        const query: Record<string, string> = { 'max-buckets': MAX_BUCKETS };
        if (token !== '') query['continuation-token'] = token;
        const page: BucketsPage = await call(
          { operation: 'ListBuckets', address, query },
          readBucketsPage,
        );
        buckets.push(...page.buckets);
        token = page.continuationToken;
      }
      return buckets;
    },

    bucket: ({ name, region }) => createBucketReader(call, addressOf({ bucketName: name, region })),
  };
}

function createBucketReader(call: AccountCall, address: BucketAddress): BucketReader {
  return {
    listObjects({ after, workedBefore = false }) {
      const query = {
        'list-type': '2',
        'encoding-type': 'url',
        'max-keys': MAX_KEYS,
        ...(after === null ? {} : { 'start-after': after.key }),
      };
      return call({ operation: 'ListObjectsV2', address, query, workedBefore }, readObjectsPage);
    },

    listVersions({ after, workedBefore = false }) {
      const query = {
        versions: '',
        'encoding-type': 'url',
        'max-keys': MAX_KEYS,
        ...(after === null ? {} : { 'key-marker': after.key }),
        ...(after?.versionId ? { 'version-id-marker': after.versionId } : {}),
      };
      const operation = 'ListObjectVersions';
      return call({ operation, address, query, workedBefore }, readVersionsPage);
    },

    listUploads(after) {
      const markers = after && { 'key-marker': after.key, 'upload-id-marker': after.uploadId };
      const query = { uploads: '', 'encoding-type': 'url', 'max-uploads': MAX_KEYS, ...markers };
      return call({ operation: 'ListMultipartUploads', address, query }, readUploadsPage);
    },

    async uploadBytes({ key, uploadId }) {
      let bytes = 0;
      for (let marker: string | null = '0'; marker !== null;) {
        const query = { uploadId, 'part-number-marker': marker };
        const request = { operation: 'ListParts', address, key, query };
        const page: PartsPage = await call(request, readPartsPage, ({ errorCode }) =>
          errorCode === 'NoSuchUpload' ? { bytes: 0, nextMarker: null } : undefined,
        );
        bytes += page.bytes;
        marker = page.nextMarker;
      }
      return bytes;
    },

    versioning: () =>
      call(
        { operation: 'GetBucketVersioning', address, query: { versioning: '' } },
        readVersioning,
      ),

    lifecycle() {
      const query = { lifecycle: '' };
      const request = { operation: 'GetBucketLifecycleConfiguration', address, query };
      return call(request, readLifecycle, ({ errorCode }) =>
        errorCode === 'NoSuchLifecycleConfiguration' ? 'none' : undefined,
      );
    },
  };
}
