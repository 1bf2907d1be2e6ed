import type { BucketConnection } from './bucket-connection.ts';
import { isRefusal, StoreError } from './errors.ts';
import { listUploadsPage, type ListedUpload, type UploadsPage } from './multipart-uploads.ts';
import { unquotedEtag } from './object-description.ts';
import type { TransferOptions, TransferStore } from './transfer-store.ts';

type TransferUploads = Pick<
  TransferStore,
  'beginUpload' | 'parts' | 'completeUpload' | 'abortUpload' | 'uploads' | 'aclsMatter'
>;

/** A store may need minutes to assemble the parts, and some send nothing meanwhile. */
const COMPLETE_IDLE_MS = 120_000;

/** The bookkeeping of multipart uploads, and the bucket's settings: rare calls, through the SDK. */
export function createTransferUploads(connection: BucketConnection): TransferUploads {
  const { bucketName: Bucket, callS3 } = connection;
  return {
    async beginUpload(key, headers, options) {
      const { UploadId } = await callS3((client, sdk) => {
        const command = new sdk.CreateMultipartUploadCommand({ Bucket, Key: key });
        // As raw bytes: the SDK's own parameters take text, and a date for `expires`.
        command.middlewareStack.add(
          (next) => (args) => {
            Object.assign((args.request as { headers: object }).headers, headers);
            return next(args);
          },
          { step: 'build', name: 'objectHeaders' },
        );
        return client.send(command, boundsOf(options));
      });
      return present(UploadId, 'UploadId');
    },

    async parts(key, uploadId, after, options) {
      const target = { Bucket, Key: key, UploadId: uploadId, PartNumberMarker: String(after) };
      try {
        const { Parts = [], IsTruncated = false } = await callS3((client, sdk) =>
          client.send(new sdk.ListPartsCommand(target), boundsOf(options)),
        );
        const parts = Parts.map(({ PartNumber = 0, Size = 0, ETag = '' }) => ({
          partNumber: PartNumber,
          sizeBytes: Size,
          etag: unquotedEtag(ETag),
        }));
        return { parts, isTruncated: IsTruncated };
      } catch (error) {
        if (isRefusal(error, 'NoSuchUpload')) return undefined;
        throw error;
      }
    },

    async completeUpload(key, uploadId, etags, options) {
      const Parts = etags.map((etag, index) => ({ PartNumber: index + 1, ETag: `"${etag}"` }));
      const { ETag } = await callS3((client, sdk) =>
        client.send(
          new sdk.CompleteMultipartUploadCommand({
            Bucket,
            Key: key,
            UploadId: uploadId,
            MultipartUpload: { Parts },
          }),
          { ...boundsOf(options), requestTimeout: COMPLETE_IDLE_MS },
        ),
      );
      return unquotedEtag(present(ETag, 'ETag'));
    },

    async abortUpload(key, uploadId, options) {
      const target = { Bucket, Key: key, UploadId: uploadId };
      try {
        await callS3((client, sdk) =>
          client.send(new sdk.AbortMultipartUploadCommand(target), boundsOf(options)),
        );
      } catch (error) {
        if (!isRefusal(error, 'NoSuchUpload')) throw error;
      }
    },

    uploads: (prefix, options) => listUploads(connection, prefix, options),

    async aclsMatter(options) {
      try {
        const { OwnershipControls } = await callS3((client, sdk) =>
          client.send(new sdk.GetBucketOwnershipControlsCommand({ Bucket }), boundsOf(options)),
        );
        const rules = OwnershipControls?.Rules ?? [];
        return rules.every(({ ObjectOwnership }) => ObjectOwnership !== 'BucketOwnerEnforced');
      } catch (error) {
        if (isRefusal(error, 'OwnershipControlsNotFoundError')) return true;
        if (error instanceof StoreError && isUnknowable(error)) return undefined;
        throw error;
      }
    },
  };
}

function boundsOf(options: TransferOptions | undefined): { abortSignal?: AbortSignal } {
  return options?.signal ? { abortSignal: options.signal } : {};
}

/** The store has no such setting, or the credentials may not read it. */
function isUnknowable({ failure, refusal }: StoreError): boolean {
  const isMissingCall = refusal?.status === 405 || refusal?.status === 501;
  return isMissingCall || refusal?.code === 'MethodNotAllowed' || failure === 'access_denied';
}

/** @throws StoreError for a response that lacks what it is there for */
function present(value: string | undefined, name: string): string {
  if (!value) throw new StoreError('failed', new Error(`there is no ${name}`), true);
  return value;
}

async function* listUploads(
  { bucketName, callS3 }: BucketConnection,
  prefix: string,
  options: TransferOptions | undefined,
): AsyncIterable<ListedUpload> {
  let after: ListedUpload | null = null;
  for (;;) {
    const request = { bucketName, after, prefix, signal: options?.signal };
    const page: UploadsPage = await listUploadsPage(callS3, request);
    yield* page.uploads;
    if (!page.isTruncated) return;
    const last = page.uploads.at(-1);
    if (!last || last.uploadId === after?.uploadId)
      throw new StoreError('failed', new Error('the listing of uploads does not advance'));
    after = last;
  }
}
