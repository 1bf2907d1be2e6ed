import type { Api, CompleteResult, FileInfo, Priority } from '../http/api-types.ts';
import { invalidArgument, StorageRoutingError } from '../http/errors.ts';
import { createMethods } from '../http/methods.ts';
import { formatUsd } from '../http/money.ts';
import type { CallOptions, Reply, Route, Transport } from '../http/transport.ts';
import { createParts, type Parts } from './parts.ts';

type InitInput = Api['POST /v1/upload/init']['input'];
type InitReply = Reply<typeof fileRoutes.init>;

/** The input of routing. */
export interface InitRequest extends Omit<InitInput, 'priority' | 'contentMd5' | 'multipart'> {
  /** Default `hot`. */
  priority?: Priority | undefined;
  /** The MD5 of all bytes, base64: the store refuses others. Becomes a required header. */
  contentMd5?: string | undefined;
  multipart?: false | undefined;
}

/** The input of routing for an upload in parts. */
export interface MultipartInitRequest extends Omit<InitRequest, 'contentMd5' | 'multipart'> {
  multipart: true;
}

/** The store of a new file, and the URL to upload it. */
export interface InitResult extends Omit<InitReply, 'multipart'> {
  /** The URL for the PUT. It permits writing this object until it expires: treat it as a secret. */
  presignedUrl: string;
  /** US dollars per month compared with the hyperscaler's store; may be negative. */
  savedVsAws: number;
  /** The same with exactly six decimals, for example `"0.090240"`. */
  savedVsAwsFixed: string;
  /** The reason why the preferred store was not chosen. */
  routingWarning?: string;
  /** Headers that the PUT must send besides the content length. */
  requiredHeaders: Record<string, string>;
}

/** A new file that is uploaded in parts, which are equal but the last. */
export interface MultipartInitResult extends Omit<InitResult, 'presignedUrl'> {
  multipart: { partSizeBytes: number; partCount: number };
  /** When the upload's window closes. */
  expiresAt: string;
}

/** A completed delete, or one that the service has accepted and completes later. */
export type DeleteFileResult = Reply<typeof fileRoutes.delete>;

/**
 * A second init creates a second file, so init is repeated only if it had no effect. Complete and
 * delete are idempotent; complete answers 502 `provider_error` if the store did not answer, which
 * is transient.
 */
export const fileRoutes = {
  init: { method: 'POST', path: '/v1/upload/init', auth: 'apiKey', repeat: 'unless_started' },
  complete: { method: 'POST', path: '/v1/upload/complete', auth: 'apiKey' },
  get: { method: 'GET', path: '/v1/file/{fileId}', auth: 'apiKey' },
  delete: { method: 'DELETE', path: '/v1/file/{fileId}', auth: 'apiKey' },
} as const satisfies Record<string, Route>;

/** Calls about one file. */
export interface Files extends Parts {
  /** Routes a file. Each call creates a new pending file. */
  init(request: InitRequest, options?: CallOptions): Promise<InitResult>;
  /** Routes a file that is uploaded in parts. */
  init(request: MultipartInitRequest, options?: CallOptions): Promise<MultipartInitResult>;
  /** Verifies the uploaded object and completes the upload. May be repeated at any time. */
  complete(fileId: string, options?: CallOptions): Promise<CompleteResult>;
  /**
   * A file with its routing decision. `downloadUrl` is a presigned GET, null unless the file is
   * active: treat it as a secret. A deleted file is `file_deleted`; one that is being deleted too,
   * unless its delete has stopped (`error`).
   */
  getFile(fileId: string, options?: CallOptions): Promise<FileInfo>;
  /** Deletes the object at the store, then the file. May be repeated at any time. */
  deleteFile(fileId: string, options?: CallOptions): Promise<DeleteFileResult>;
}

export function createFiles(transport: Transport): Files {
  const { byId } = createMethods(transport);
  return {
    init: ((request: InitRequest, options: CallOptions = {}) =>
      init(transport, request, options)) as Files['init'],
    ...createParts(transport),
    complete: (fileId, options = {}) =>
      transport.call(fileRoutes.complete, { ...options, body: { fileId } }),
    getFile: byId(fileRoutes.get),
    deleteFile: byId(fileRoutes.delete),
  };
}

async function init(
  transport: Transport,
  request: InitRequest | MultipartInitRequest,
  options: CallOptions,
): Promise<Omit<InitResult, 'presignedUrl'>> {
  const { fileName, contentType, fileSizeBytes, priority, multipart } = request;
  checkSize(fileSizeBytes);
  const contentMd5 = 'contentMd5' in request ? request.contentMd5 : undefined;
  const body = { fileName, contentType, fileSizeBytes, priority, contentMd5, multipart };
  const reply = await transport.call(fileRoutes.init, { ...options, body });
  checkInitReply(reply, request, options.requestId);
  return { ...reply, savedVsAwsFixed: formatUsd(reply.savedVsAws) };
}

/** JSON has null for NaN and Infinity, and the service's error would name the wrong problem. */
function checkSize(fileSizeBytes: number): void {
  if (Number.isSafeInteger(fileSizeBytes) && fileSizeBytes >= 0) return;
  throw invalidArgument('fileSizeBytes must be a whole number of bytes, at least 0');
}

/** An upload depends on these fields, so they are validated before the first PUT. */
function checkInitReply(
  reply: InitReply,
  request: InitRequest | MultipartInitRequest,
  requestId?: string,
): void {
  const { fileId, presignedUrl, requiredHeaders, savedVsAws } = reply;
  const fits =
    typeof fileId === 'string' &&
    typeof requiredHeaders === 'object' &&
    Number.isFinite(savedVsAws) &&
    (request.multipart === true
      ? dividesInto(reply.multipart, request.fileSizeBytes)
      : URL.canParse(presignedUrl ?? '') && /^https?:/i.test(presignedUrl ?? ''));
  if (fits) return;
  const message = 'POST /v1/upload/init: the answer lacks what an upload needs';
  throw new StorageRoutingError({ code: 'invalid_response', message, requestId });
}

function dividesInto(
  parts: MultipartInitResult['multipart'] | undefined,
  sizeBytes: number,
): boolean {
  if (parts === undefined || !Number.isSafeInteger(parts.partSizeBytes)) return false;
  const { partSizeBytes, partCount } = parts;
  return partSizeBytes > 0 && partCount === Math.max(1, Math.ceil(sizeBytes / partSizeBytes));
}
