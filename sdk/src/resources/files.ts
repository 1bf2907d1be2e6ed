import { invalidArgument, StorageRoutingError } from '../http/errors.ts';
import { formatUsd } from '../http/money.ts';
import type { CallOptions, Route, Transport } from '../http/transport.ts';
import { createParts, type Parts } from './parts.ts';

/** The stores that the service can route to: `aws` (hyperscaler), `r2` (zero-egress edge), `b2` (archive). */
export const PROVIDERS = ['aws', 'r2', 'b2'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** The storage priority of a file; it determines the store. */
export type Priority = 'hot' | 'archive' | 'cold';

/** The input of routing. */
export interface InitRequest {
  /** 1-1024 characters, no control characters. */
  fileName: string;
  /** A media type, for example `image/png`. */
  contentType: string;
  fileSizeBytes: number;
  /** Default `hot`. */
  priority?: Priority | undefined;
  /** The MD5 of all bytes, base64: the store refuses other ones. It becomes one of the required headers. */
  contentMd5?: string | undefined;
  multipart?: false | undefined;
}

/** The input of routing for an upload in parts. */
export interface MultipartInitRequest extends Omit<InitRequest, 'contentMd5' | 'multipart'> {
  multipart: true;
}

/** The store of a new file, and the URL to upload it. */
export interface InitResult {
  fileId: string;
  /** The URL for the PUT. It permits writing this object until it expires: treat it as a secret. */
  presignedUrl: string;
  provider: Provider;
  /** US dollars per month compared with the hyperscaler's store; may be negative. */
  savedVsAws: number;
  /** The same with exactly six decimals, for example `"0.090240"`. */
  savedVsAwsFixed: string;
  /** The reason why the preferred store was not chosen. */
  routingWarning?: string;
  /** Headers that the PUT must send besides the content length. */
  requiredHeaders: Record<string, string>;
  /** Expiry of the presigned URL, RFC 3339. */
  expiresAt: string;
}

/** The store of a new file that is uploaded in parts, and their size. All parts are equal but the last. */
export interface MultipartInitResult extends Omit<InitResult, 'presignedUrl'> {
  multipart: { partSizeBytes: number; partCount: number };
  /** When the upload's window closes, RFC 3339. */
  expiresAt: string;
}

/** A completed upload. */
export interface CompleteResult {
  fileId: string;
  status: 'active';
  provider: Provider;
  fileSizeBytes: number;
  /** RFC 3339. */
  completedAt: string;
}

/** The reason for the choice of the store. */
export interface RoutingDecision {
  provider: Provider;
  preferredProvider: Provider;
  priority: Priority;
  reason: string;
  /** Every configured store with its monthly cost in US dollars. */
  costs: { provider: Provider; monthlyCostUsd: number }[];
  /** The version of the price book used. */
  priceBook: string;
  warning?: string;
}

/** A file. Times are RFC 3339. */
export interface FileInfo {
  fileId: string;
  /** `deleting` is shown only with an `error`; other deleting and deleted files are `file_deleted`. */
  status: 'pending' | 'active' | 'expired' | 'deleting';
  fileName: string;
  contentType: string;
  fileSizeBytes: number;
  priority: Priority;
  provider: Provider;
  createdAt: string;
  completedAt: string | null;
  routing: RoutingDecision;
  /** A presigned GET, null unless the file is active. Treat it as a secret. */
  downloadUrl: string | null;
  /** Expiry of the download URL, null unless the file is active. */
  expiresAt: string | null;
  /**
   * Why the delete of a `deleting` file has stopped: the store refused it for 7 days. `deleteFile`, or new credentials
   * of the provider, resume it.
   */
  error?: { code: string; message: string };
}

/** A completed delete, or one that the service has accepted and completes later. */
export type DeleteFileResult =
  { fileId: string; status: 'deleted'; deletedAt: string } | { fileId: string; status: 'deleting' };

/**
 * A second init creates a second file, so init is repeated only where it had no effect. Complete and delete are
 * idempotent; complete answers 502 `provider_error` where the store did not answer, which is transient.
 */
export const fileRoutes = {
  init: { method: 'POST', path: '/v1/upload/init', auth: 'apiKey', repeat: 'unless_started' },
  complete: { method: 'POST', path: '/v1/upload/complete', auth: 'apiKey', repeat: 'safe' },
  get: { method: 'GET', path: '/v1/file/{fileId}', auth: 'apiKey', repeat: 'safe' },
  delete: { method: 'DELETE', path: '/v1/file/{fileId}', auth: 'apiKey', repeat: 'safe' },
} as const satisfies Record<string, Route>;

/** Calls about one file. */
export interface Files extends Parts {
  /** Routes a file. Each call creates a new pending file. */
  init(request: InitRequest, options?: CallOptions): Promise<InitResult>;
  /** Routes a file that is uploaded in parts. */
  init(request: MultipartInitRequest, options?: CallOptions): Promise<MultipartInitResult>;
  /** Verifies the uploaded object and completes the upload. May be repeated at any time. */
  complete(fileId: string, options?: CallOptions): Promise<CompleteResult>;
  getFile(fileId: string, options?: CallOptions): Promise<FileInfo>;
  /** Deletes the object at the store, then the file. May be repeated at any time. */
  deleteFile(fileId: string, options?: CallOptions): Promise<DeleteFileResult>;
}

export function createFiles(transport: Transport): Files {
  return {
    init: ((request: InitRequest, options: CallOptions = {}) =>
      init(transport, request, options)) as Files['init'],
    ...createParts(transport),
    complete: (fileId, options = {}) =>
      transport.call(fileRoutes.complete, { ...options, body: { fileId } }),
    getFile: (fileId, options = {}) =>
      transport.call(fileRoutes.get, { ...options, parameters: { fileId } }),
    deleteFile: (fileId, options = {}) =>
      transport.call(fileRoutes.delete, { ...options, parameters: { fileId } }),
  };
}

type InitReply = Omit<InitResult, 'savedVsAwsFixed'> & Partial<MultipartInitResult>;

async function init(
  transport: Transport,
  request: InitRequest | MultipartInitRequest,
  options: CallOptions,
): Promise<InitResult> {
  const { fileName, contentType, fileSizeBytes, priority, multipart } = request;
  checkSize(fileSizeBytes);
  const contentMd5 = 'contentMd5' in request ? request.contentMd5 : undefined;
  const body = { fileName, contentType, fileSizeBytes, priority, contentMd5, multipart };
  const reply = await transport.call<InitReply>(fileRoutes.init, { ...options, body });
  checkInitReply(reply, request, options.requestId);
  return { ...reply, savedVsAwsFixed: formatUsd(reply.savedVsAws) };
}

/** JSON serialises NaN and Infinity as null, and the service's error would name the wrong problem. */
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
      : URL.canParse(presignedUrl) && /^https?:/i.test(presignedUrl));
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
