/**
 * Uppy in front of your own stores: the callbacks of `@uppy/aws-s3` 5, answered by the Storage Routing Service.
 *
 * ```ts
 * const uploads = createUppyUploads(client);
 * const uppy = new Uppy().use(AwsS3, uploads.options);
 * uppy.addPostProcessor(uploads.complete);
 * ```
 *
 * `client` is a client whose `baseUrl` is your own backend (`backend.ts`): the API key must not be in a page.
 */
import {
  type HeldPart,
  type StorageRoutingClient,
  StorageRoutingError,
} from '@storage-routing/client';

type Client = Pick<
  StorageRoutingClient,
  'init' | 'uploadParts' | 'listParts' | 'uploadUrl' | 'complete' | 'deleteFile'
>;

/** What the callbacks read of an Uppy file. */
interface UppyFile {
  id: string;
  name?: string | undefined;
  type?: string | undefined;
  size: number | null;
}

/** Uppy's handle of an upload: here both are the `fileId`. */
interface UploadHandle {
  uploadId?: string | undefined;
  key: string;
  signal?: AbortSignal | undefined;
}

interface SendBytes {
  signature: { url: string; method?: string; headers?: Record<string, string> };
  body: FormData | Blob;
  size?: number;
  onProgress: (event: { lengthComputable: boolean; loaded: number; total: number }) => void;
  onComplete: (etag: string) => void;
  signal?: AbortSignal;
}

const MIB = 1024 * 1024;

/** The size of all parts but the last, as the service divides a file: 8 MiB, or what makes 10,000 parts. */
function toPartSize(sizeBytes: number): number {
  return Math.max(8 * MIB, Math.ceil(sizeBytes / 10_000 / MIB) * MIB);
}

/** The options for `@uppy/aws-s3`, and a post-processor that completes what went by a single PUT. */
export function createUppyUploads(client: Client) {
  /** The `fileId` of each Uppy file that goes by a single PUT. */
  const single = new Map<string, string>();
  return {
    options: {
      shouldUseMultipart: ({ size }: UppyFile) => (size ?? 0) > 8 * MIB,
      getChunkSize: ({ size }: { size: number }) => toPartSize(size),
      ...createMultipartCallbacks(client),

      /** One PUT. When Uppy tries again, the same file gets a fresh URL. */
      async getUploadParameters(file: UppyFile, options: { signal?: AbortSignal | undefined }) {
        const { signal } = options;
        const begun = single.get(file.id);
        const { fileId, presignedUrl, requiredHeaders } =
          begun === undefined
            ? await client.init(toAnnouncement(file), { signal })
            : await client.uploadUrl(begun, { signal });
        single.set(file.id, fileId);
        return { method: 'PUT' as const, url: presignedUrl, headers: requiredHeaders, fields: {} };
      },
      uploadPartBytes: sendBytes,
    },

    /** For `uppy.addPostProcessor`: after it, the files whose PUT succeeded are active. */
    async complete(uppyFileIds: string[]): Promise<void> {
      for (const id of uppyFileIds) {
        const fileId = single.get(id);
        if (fileId === undefined) continue;
        try {
          await client.complete(fileId);
          single.delete(id);
        } catch (error) {
          // Uppy has reported this file as failed, and can try it again.
          if (!isNotThere(error)) throw error;
        }
      }
    },
  };
}

function isNotThere(error: unknown): boolean {
  if (!(error instanceof StorageRoutingError)) return false;
  return error.code === 'file_not_on_provider' || error.code === 'file_size_mismatch';
}

function createMultipartCallbacks(client: Client) {
  return {
    async createMultipartUpload(file: UppyFile) {
      const { fileId, multipart } = await client.init({ ...toAnnouncement(file), multipart: true });
      if (multipart.partSizeBytes !== toPartSize(file.size ?? 0)) {
        throw new Error('the service divides this file in another way');
      }
      return { uploadId: fileId, key: fileId };
    },

    /** Uppy asks again before each repeat, so every attempt has a fresh URL. */
    async signPart(
      _file: UppyFile,
      { key, partNumber, signal }: UploadHandle & { partNumber: number },
    ) {
      const { parts } = await client.uploadParts(key, [partNumber], { signal });
      return { method: 'PUT' as const, url: parts[0]?.presignedUrl ?? '' };
    },

    /** Parts of another size are left out, so that Uppy sends them again. */
    async listParts(file: UppyFile, { key, signal }: UploadHandle) {
      const partSizeBytes = toPartSize(file.size ?? 0);
      const last = Math.ceil((file.size ?? 0) / partSizeBytes);
      const isWhole = ({ partNumber, sizeBytes }: HeldPart): boolean =>
        sizeBytes ===
        (partNumber < last ? partSizeBytes : (file.size ?? 0) - (last - 1) * partSizeBytes);
      const parts: { PartNumber: number; Size: number; ETag: string }[] = [];
      for await (const part of client.listParts(key, { signal })) {
        const { partNumber: PartNumber, sizeBytes: Size, etag: ETag } = part;
        if (isWhole(part)) parts.push({ PartNumber, Size, ETag });
      }
      return parts;
    },

    /** The service lists the parts at the store itself, so Uppy's list of ETags is not needed. */
    completeMultipartUpload: (_file: UppyFile, { key, signal }: UploadHandle) =>
      client.complete(key, { signal }) as Promise<{ location?: string }>,

    /** Uppy calls this when the user removes a file, and after a part has failed for good. */
    async abortMultipartUpload(_file: UppyFile, { key }: UploadHandle): Promise<void> {
      await client.deleteFile(key);
    },
  };
}

function toAnnouncement({ name, type, size }: UppyFile) {
  return {
    fileName: name ?? 'file',
    contentType: type || 'application/octet-stream',
    fileSizeBytes: size ?? 0,
  };
}

/**
 * Sends a part, or a whole file. Uppy's own function waits for an ETag, which a page can read only if the CORS rule of
 * the bucket exposes it; here it is not needed. Uppy repeats by `source.status`, and asks for a new URL after this 403.
 */
async function sendBytes(sending: SendBytes): Promise<{ ETag: string }> {
  const { signature, body, size = 0, onProgress, onComplete } = sending;
  const { url, method = 'PUT', headers = {} } = signature;
  const signal = sending.signal ?? null;
  const response = await fetch(url, { method, headers, body, signal }).catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause;
    throw Object.assign(new Error('no answer of the store'), { source: { status: 0 } });
  });
  const { ok, status } = response;
  if (!ok) {
    const message = status === 403 ? 'Request has expired' : `the store answered with ${status}`;
    throw Object.assign(new Error(message), { source: { status } });
  }
  onProgress({ lengthComputable: true, loaded: size, total: size });
  onComplete('');
  return { ETag: '' };
}
