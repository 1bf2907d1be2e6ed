import type { ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import type { BucketConnection } from './bucket-connection.ts';
import { STORE_CALLS, type CallOptions } from './call-bounds.ts';
import { isRefusal, isUnsupported, StoreError } from './errors.ts';
import { decodeKey } from './list-answers.ts';
import { unquotedEtag } from './object-description.ts';
import type {
  ListedPart,
  ListedUpload,
  ObjectStore,
  PartsPage,
  WriteCondition,
} from './object-store.ts';
import type { S3Call } from './s3-client.ts';

/** The bookkeeping of multipart uploads, through the SDK. */
export function createMultipartUploads(
  { callS3 }: Pick<BucketConnection, 'callS3'>,
  Bucket: string,
): Pick<ObjectStore, 'beginUpload' | 'parts' | 'completeUpload' | 'abortUpload' | 'uploads'> {
  return {
    async beginUpload(key, headers, options) {
      const { UploadId } = await callS3((sdk) => {
        const command = new sdk.CreateMultipartUploadCommand({ Bucket, Key: key });
        // As raw bytes: the SDK's own parameters take text, and a date for `expires`.
        command.middlewareStack.add(
          (next) => (args) => {
            Object.assign((args.request as { headers: object }).headers, headers);
            return next(args);
          },
          { step: 'build', name: 'objectHeaders' },
        );
        return command;
      }, options);
      return requireField(UploadId, 'UploadId');
    },

    parts: (key, uploadId, after, options) =>
      listPartsPage(callS3, { Bucket, Key: key, UploadId: uploadId }, after, options),

    async completeUpload(key, uploadId, etags, { condition, ...options } = {}) {
      const Parts = etags.map((etag, index) => ({ PartNumber: index + 1, ETag: `"${etag}"` }));
      const upload = { Bucket, Key: key, UploadId: uploadId, ...conditionInput(condition) };
      const { ETag, ServerSideEncryption = 'AES256' } = await callS3(
        (sdk) => new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }),
        { ...options, idleMs: STORE_CALLS.assembleIdleMs },
      );
      const etag = unquotedEtag(requireField(ETag, 'ETag'));
      return { etag, isOpaque: ServerSideEncryption !== 'AES256' };
    },

    async abortUpload(key, uploadId, options) {
      const upload = { Bucket, Key: key, UploadId: uploadId };
      try {
        await callS3((sdk) => new sdk.AbortMultipartUploadCommand(upload), options);
      } catch (error) {
        if (!isRefusal(error, 'NoSuchUpload')) throw error;
      }
    },

    async *uploads(prefix, options) {
      let after: ListedUpload | null = null;
      let page: UploadsPage;
      do {
        page = await listUploadsPage(callS3, { Bucket, prefix, after }, options);
        yield* page.uploads;
        after = page.uploads.at(-1) ?? null;
        if (page.isTruncated && !after) throw notAdvancing('uploads');
      } while (page.isTruncated);
    },
  };
}

/** The settings of a bucket, through the SDK. */
export function createBucketSettings(
  { callS3 }: Pick<BucketConnection, 'callS3'>,
  Bucket: string,
): Pick<ObjectStore, 'versions' | 'allowsAcls' | 'keepsVersions'> {
  return {
    async versions(prefix, options) {
      const input = { Bucket, Prefix: prefix, EncodingType: 'url' as const };
      const {
        Versions = [],
        DeleteMarkers = [],
        EncodingType,
        IsTruncated = false,
      } = await callS3((sdk) => new sdk.ListObjectVersionsCommand(input), options);
      const entries = [...Versions, ...DeleteMarkers].map(({ Key = '', VersionId = '' }) => ({
        key: EncodingType === 'url' ? decodeKey(Key) : Key,
        versionId: VersionId,
      }));
      return { entries, isTruncated: IsTruncated };
    },

    keepsVersions: (options) =>
      unlessUnknowable(async () => {
        const { Status } = await callS3(
          (sdk) => new sdk.GetBucketVersioningCommand({ Bucket }),
          options,
        );
        // A bucket whose versioning is suspended still holds its versions.
        return Status !== undefined;
      }),

    allowsAcls: (options) =>
      unlessUnknowable(async () => {
        try {
          const { OwnershipControls } = await callS3(
            (sdk) => new sdk.GetBucketOwnershipControlsCommand({ Bucket }),
            options,
          );
          const rules = OwnershipControls?.Rules ?? [];
          return rules.every(({ ObjectOwnership }) => ObjectOwnership !== 'BucketOwnerEnforced');
        } catch (error) {
          if (isRefusal(error, 'OwnershipControlsNotFoundError')) return true;
          throw error;
        }
      }),
  };
}

function conditionInput(condition: WriteCondition | undefined) {
  if (!condition) return {};
  return 'ifMatch' in condition
    ? { IfMatch: `"${condition.ifMatch}"` }
    : { IfNoneMatch: condition.ifNoneMatch };
}

/** Undefined where the store has no such setting, or the credentials may not read it. */
async function unlessUnknowable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const isDenied = error instanceof StoreError && error.failure === 'access_denied';
    if (isDenied || isUnsupported(error) || isRefusal(error, 'MethodNotAllowed')) return undefined;
    throw error;
  }
}

/** @throws StoreError for a response without its required field */
function requireField(value: string | undefined, name: string): string {
  if (!value) throw new StoreError('failed', new Error(`there is no ${name}`), true);
  return value;
}

/** Up to 1,000 parts after a number; undefined if there is no such upload. @throws StoreError */
export async function listPartsPage(
  callS3: S3Call,
  upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string },
  after: number,
  options?: CallOptions,
): Promise<PartsPage | undefined> {
  try {
    const { Parts = [], IsTruncated = false } = await callS3(
      (sdk) => new sdk.ListPartsCommand({ ...upload, PartNumberMarker: String(after) }),
      options,
    );
    const parts = Parts.map(({ PartNumber = 0, Size = 0, ETag = '' }): ListedPart => ({
      partNumber: PartNumber,
      sizeBytes: Size,
      etag: unquotedEtag(ETag),
    }));
    return { parts, isTruncated: IsTruncated };
  } catch (error) {
    if (isRefusal(error, 'NoSuchUpload')) return undefined;
    throw error;
  }
}

export interface UploadsPage {
  readonly uploads: readonly ListedUpload[];
  readonly isTruncated: boolean;
}

export interface UploadsPageRequest {
  readonly Bucket: string;
  readonly prefix?: string;
  /** The last upload of the page before. */
  readonly after: Pick<ListedUpload, 'key' | 'uploadId'> | null;
}

const MAX_UPLOADS = 1_000;

/** One page of a bucket's incomplete uploads, in the order of their keys. @throws StoreError */
export async function listUploadsPage(
  callS3: S3Call,
  { Bucket, prefix = '', after }: UploadsPageRequest,
  options?: CallOptions,
): Promise<UploadsPage> {
  const input = {
    Bucket,
    EncodingType: 'url' as const,
    MaxUploads: MAX_UPLOADS,
    ...(prefix === '' ? {} : { Prefix: prefix }),
    ...(after && { KeyMarker: after.key, UploadIdMarker: after.uploadId }),
  };
  const output = await callS3((sdk) => new sdk.ListMultipartUploadsCommand(input), options);
  const uploads = readUploads(output);
  const last = uploads.at(-1);
  const isTruncated = output.IsTruncated ?? false;
  if (isTruncated && after && last && !isUploadBehind(last, after)) throw notAdvancing('uploads');
  return { uploads, isTruncated };
}

/** Uploads of a key follow each other by their start, which their ids do not show. */
function isUploadBehind(
  last: Pick<ListedUpload, 'key' | 'uploadId'>,
  after: Pick<ListedUpload, 'key' | 'uploadId'>,
): boolean {
  const order = compareKeys(last.key, after.key);
  return order > 0 || (order === 0 && last.uploadId !== after.uploadId);
}

/** A store may ignore the requested encoding; the response names the one that it used. */
function readUploads({ Uploads = [], EncodingType }: ListMultipartUploadsCommandOutput) {
  return Uploads.map(({ Key = '', UploadId = '', Initiated }): ListedUpload => ({
    key: EncodingType === 'url' ? decodeKey(Key) : Key,
    uploadId: UploadId,
    initiatedAt: (Initiated ?? new Date(0)).toISOString(),
  }));
}

/** A list that repeats itself would never end. */
export function notAdvancing(items: string): StoreError {
  return new StoreError('failed', new Error(`the list of ${items} does not advance`));
}
