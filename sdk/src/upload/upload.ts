import { hasCode, invalidArgument, notify, StorageRoutingError } from '../http/errors.ts';
import { throwIfAborted } from '../http/deadline.ts';
import { type CallOptions, withRequestId } from '../http/transport.ts';
import type { CompleteResult, Priority, Provider } from '../http/api-types.ts';
import type { InitRequest, InitResult, MultipartInitResult } from '../resources/files.ts';
import { openSource } from '../source/open.ts';
import type { OpenedSource, UploadSource } from '../source/types.ts';
import type { UploadContext, UploadDeps } from './context.ts';
import { computeMd5 } from './held-parts.ts';
import { checkedParallel, sendPartsAndComplete } from './parts.ts';
import type { OnProgress } from './progress.ts';
import { putAndComplete } from './single.ts';

/** Options of `upload` and `resume`. */
export interface TransferOptions extends CallOptions {
  /** Called after each piece. If it throws, the upload is stopped. */
  onProgress?: OnProgress | undefined;
  /** How many parts are sent at a time, 1 to 32; default 4. */
  parallelParts?: number | undefined;
}

/** What to upload, with options. */
export type UploadRequest = UploadSource &
  TransferOptions & {
    /** A media type; default: the type of the Blob, or `application/octet-stream`. */
    contentType?: string | undefined;
    /** Default `hot`. */
    priority?: Priority | undefined;
    /** In parts, which can be resumed? Default: above 64 MiB, without `contentMd5`. */
    multipart?: boolean | undefined;
    /**
     * The MD5 of all bytes, base64: the store refuses other ones. For an upload by a single PUT.
     * Where a store demands it, it is computed, unless the source is a stream.
     */
    contentMd5?: string | undefined;
    /** Called once the file exists. Keep the `fileId` to resume the upload after a crash. */
    onStarted?: ((file: StartedFile) => void) | undefined;
  };

/** A file whose upload begins. */
export interface StartedFile {
  fileId: string;
  provider: Provider;
  /** Is it sent in parts? */
  multipart: boolean;
}

/** A completed upload, with its routing result. */
export interface UploadResult extends CompleteResult {
  /** US dollars per month compared with the hyperscaler's store; may be negative. */
  savedVsAws: number;
  /** The same with exactly six decimals. */
  savedVsAwsFixed: string;
  routingWarning?: string;
}

/** Above this size, an upload that is cut off loses more than it costs to send parts. */
const LARGEST_SINGLE_BYTES = 64 * 1024 * 1024;

/**
 * Uploads a source: init, one PUT or several parts, complete.
 *
 * A single PUT is sent once. A part is sent again after a transient failure, because a part
 * replaces the one of its number.
 *
 * Where the store demands a digest, the source is read once more for its MD5.
 *
 * @throws StorageRoutingError `upload_to_provider_failed` if the store refused, or has no complete
 *   object after an uncertain PUT; `source_…` and `aborted`; the errors of init and complete. After
 *   init, with `fileId`: `resume` continues.
 */
export async function upload(deps: UploadDeps, request: UploadRequest): Promise<UploadResult> {
  const options = withRequestId(request);
  throwIfAborted(options.signal, options.requestId);
  const parallel = checkedParallel(request.parallelParts);
  if (request.multipart === true && request.contentMd5 !== undefined) {
    throw invalidArgument('contentMd5 is for an upload by a single PUT');
  }
  const source = await openSource(deps.platform, request);
  const context = { ...deps, onProgress: request.onProgress, options };
  try {
    const { init, send } = await begin(context, request, source, parallel);
    const { fileId, provider } = init;
    const completed = await withFileId(fileId, () => {
      const multipart = 'multipart' in init;
      notify('onStarted', request.onStarted, { fileId, provider, multipart }, options.requestId);
      return send();
    });
    const { savedVsAws, savedVsAwsFixed, routingWarning } = init;
    return {
      ...completed,
      savedVsAws,
      savedVsAwsFixed,
      ...(routingWarning !== undefined && { routingWarning }),
    };
  } finally {
    await source.close();
  }
}

interface Begun {
  init: InitResult | MultipartInitResult;
  send: () => Promise<CompleteResult>;
}

async function begin(
  context: UploadContext,
  request: UploadRequest,
  source: OpenedSource,
  parallel: number,
): Promise<Begun> {
  const { fileName, sizeBytes } = source;
  const { priority, contentMd5 } = request;
  const contentType = request.contentType ?? source.contentType ?? 'application/octet-stream';
  const file = { fileName, contentType, fileSizeBytes: sizeBytes, priority };
  const isLarge = contentMd5 === undefined && sizeBytes > LARGEST_SINGLE_BYTES;
  const init =
    (request.multipart ?? isLarge)
      ? await initParts(context, file, request.multipart === true)
      : undefined;
  if (init !== undefined) {
    const plan = { fileId: init.fileId, sizeBytes, ...init.multipart };
    const send = (): Promise<CompleteResult> =>
      sendPartsAndComplete(context, {
        plan,
        source,
        parallel,
        held: new Map(),
        compare: undefined,
      });
    return { init, send };
  }
  const single = await initSingle(context, { ...file, contentMd5 }, source);
  return { init: single, send: () => putAndComplete(context, single, source) };
}

/**
 * Undefined if every store demands a digest, which the parts of a file do not have, and the caller
 * has not asked for parts: then the file is sent by a single PUT.
 */
async function initParts(
  { files, options }: UploadContext,
  file: InitRequest,
  isRequired: boolean,
): Promise<MultipartInitResult | undefined> {
  try {
    return await files.init({ ...file, multipart: true }, options);
  } catch (error) {
    if (isRequired || !hasCode(error, 'provider_not_usable')) throw error;
    return undefined;
  }
}

/** Where the chosen store demands a digest, the source is read for it, if it can be read again. */
async function initSingle(
  { files, platform, options }: UploadContext,
  file: InitRequest,
  source: OpenedSource,
): Promise<InitResult> {
  try {
    return await files.init(file, options);
  } catch (error) {
    if (file.contentMd5 !== undefined || !demandsDigest(error)) throw error;
    if (!source.isRepeatable) throw needsDigest(error);
    const onRead = (): void => throwIfAborted(options.signal, options.requestId);
    const contentMd5 = await computeMd5(await platform.createMd5(), source, 'base64', onRead);
    return await files.init({ ...file, contentMd5 }, options);
  }
}

function demandsDigest(error: unknown): error is StorageRoutingError {
  if (!hasCode(error, 'invalid_request')) return false;
  return error.details?.some(({ path }) => path === '/contentMd5') ?? false;
}

function needsDigest(cause: StorageRoutingError): StorageRoutingError {
  const { code, status, requestId, details } = cause;
  const message =
    'the store demands the MD5 of the bytes, and a stream can be read only once: give contentMd5, or a file, a Blob or bytes in place of the stream';
  return new StorageRoutingError({ code, message, status, requestId, details, cause });
}

/** Adds the file id to the errors of the work, so that the caller can resume or delete the file. */
export async function withFileId<T>(fileId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageRoutingError) error.fileId = fileId;
    throw error;
  }
}
