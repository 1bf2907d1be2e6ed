import type { ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import { StoreError } from './errors.ts';
import { decodeKey } from './list-answers.ts';
import type { S3Call } from './s3-client.ts';

/** A multipart upload that was neither completed nor aborted. */
export interface ListedUpload {
  readonly key: string;
  readonly uploadId: string;
  /** As `toISOString()` writes it. */
  readonly initiatedAt: string;
}

export interface UploadsPage {
  readonly uploads: readonly ListedUpload[];
  readonly isTruncated: boolean;
}

export interface UploadsPageRequest {
  readonly bucketName: string;
  /** The last upload of the page before. */
  readonly after: Pick<ListedUpload, 'key' | 'uploadId'> | null;
  readonly prefix?: string;
  readonly signal?: AbortSignal | undefined;
}

const MAX_UPLOADS = 1_000;

/** One page of a bucket's incomplete uploads, in the order of their keys. @throws StoreError */
export async function listUploadsPage(
  callS3: S3Call,
  { bucketName, after, prefix = '', signal }: UploadsPageRequest,
): Promise<UploadsPage> {
  const output = await callS3((client, sdk) =>
    client.send(
      new sdk.ListMultipartUploadsCommand({
        Bucket: bucketName,
        EncodingType: 'url',
        MaxUploads: MAX_UPLOADS,
        ...(prefix === '' ? {} : { Prefix: prefix }),
        ...(after && { KeyMarker: after.key, UploadIdMarker: after.uploadId }),
      }),
      signal ? { abortSignal: signal } : {},
    ),
  );
  const uploads = uploadsOf(output);
  const last = uploads.at(-1);
  const isTruncated = output.IsTruncated ?? false;
  if (isTruncated && after && last && !isBehind(last, after))
    throw new StoreError('failed', new Error('the list of uploads does not advance'));
  return { uploads, isTruncated };
}

/** Uploads of one key follow each other in the order of their start, which their ids do not show. */
function isBehind(
  last: Pick<ListedUpload, 'key' | 'uploadId'>,
  after: Pick<ListedUpload, 'key' | 'uploadId'>,
): boolean {
  const order = compareKeys(last.key, after.key);
  return order > 0 || (order === 0 && last.uploadId !== after.uploadId);
}

/** A store may ignore the requested encoding; the response names the one that it used. */
function uploadsOf({ Uploads = [], EncodingType }: ListMultipartUploadsCommandOutput) {
  return Uploads.map(({ Key = '', UploadId = '', Initiated }): ListedUpload => ({
    key: EncodingType === 'url' ? decodeKey(Key) : Key,
    uploadId: UploadId,
    initiatedAt: (Initiated ?? new Date(0)).toISOString(),
  }));
}
