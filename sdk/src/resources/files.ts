import { invalidArgument, StorageRoutingError } from '../http/errors.ts';
import { formatUsd } from '../http/money.ts';
import type { CallOptions, Route, Transport } from '../http/transport.ts';

/** The stores that the service can route to: `aws` (hyperscaler), `r2` (zero-egress edge), `b2` (archive). */
export const PROVIDERS = ['aws', 'r2', 'b2'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** What a file is kept for; it decides the store. */
export type Priority = 'hot' | 'archive' | 'cold';

/** What the service must know to choose a store. */
export interface InitRequest {
  /** 1-1024 characters, no control characters. */
  fileName: string;
  /** A media type, for example `image/png`. */
  contentType: string;
  fileSizeBytes: number;
  /** `hot` unless told otherwise. */
  priority?: Priority | undefined;
}

/** Where to put a file. */
export interface InitResult {
  fileId: string;
  /** Where to PUT the bytes. Whoever has it can write this one object until it expires: treat it as a secret. */
  presignedUrl: string;
  provider: Provider;
  /** US dollars per month against the hyperscaler's store; may be negative. */
  savedVsAws: number;
  /** The same with exactly six decimals, for example `"0.090240"`. */
  savedVsAwsFixed: string;
  /** Why another store than the preferred one was chosen. */
  routingWarning?: string;
  /** What the PUT must send besides the body and its length. */
  requiredHeaders: Record<string, string>;
  /** When the presigned URL ends, RFC 3339. */
  expiresAt: string;
}

/** A finished upload. */
export interface CompleteResult {
  fileId: string;
  status: 'active';
  provider: Provider;
  fileSizeBytes: number;
  /** RFC 3339. */
  completedAt: string;
}

/** Why a file went where it went. */
export interface RoutingDecision {
  provider: Provider;
  preferredProvider: Provider;
  priority: Priority;
  reason: string;
  /** Every configured store with its cost in US dollars per month. */
  costs: { provider: Provider; monthlyCostUsd: number }[];
  /** The version of the prices it was reckoned with. */
  priceBook: string;
  warning?: string;
}

/** A file as the service knows it. Times are RFC 3339. */
export interface FileInfo {
  fileId: string;
  status: 'pending' | 'active' | 'expired';
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
  /** When the download URL ends, null unless the file is active. */
  expiresAt: string | null;
}

/** A delete that is done, or one that the service has taken on and finishes by itself. */
export type DeleteFileResult =
  { fileId: string; status: 'deleted'; deletedAt: string } | { fileId: string; status: 'deleting' };

/**
 * A second init is a second file, so init is sent again only where it surely did nothing. Complete and delete end in the
 * same state however often they are called; complete answers 502 `provider_error` where the store did not answer, which
 * passes.
 */
export const fileRoutes = {
  init: { method: 'POST', path: '/v1/upload/init', auth: 'apiKey', repeat: 'unless_started' },
  complete: { method: 'POST', path: '/v1/upload/complete', auth: 'apiKey', repeat: 'safe' },
  get: { method: 'GET', path: '/v1/file/{fileId}', auth: 'apiKey', repeat: 'safe' },
  delete: { method: 'DELETE', path: '/v1/file/{fileId}', auth: 'apiKey', repeat: 'safe' },
} as const satisfies Record<string, Route>;

/** The calls about one file. */
export interface Files {
  /** Asks where to put a file. Each call makes a new file that waits for its bytes. */
  init(request: InitRequest, options?: CallOptions): Promise<InitResult>;
  /** Tells the service that the bytes are there. May be called again at any time. */
  complete(fileId: string, options?: CallOptions): Promise<CompleteResult>;
  getFile(fileId: string, options?: CallOptions): Promise<FileInfo>;
  /** Deletes the object at the store, then the file. May be called again at any time. */
  deleteFile(fileId: string, options?: CallOptions): Promise<DeleteFileResult>;
}

export function createFiles(transport: Transport): Files {
  return {
    async init(request, options = {}) {
      const { fileName, contentType, fileSizeBytes, priority } = request;
      checkSize(fileSizeBytes);
      const body = { fileName, contentType, fileSizeBytes, priority };
      const reply = await transport.call<Omit<InitResult, 'savedVsAwsFixed'>>(fileRoutes.init, {
        ...options,
        body,
      });
      checkInitReply(reply, options.requestId);
      return { ...reply, savedVsAwsFixed: formatUsd(reply.savedVsAws) };
    },
    complete: (fileId, options = {}) =>
      transport.call(fileRoutes.complete, { ...options, body: { fileId } }),
    getFile: (fileId, options = {}) =>
      transport.call(fileRoutes.get, { ...options, parameters: { fileId } }),
    deleteFile: (fileId, options = {}) =>
      transport.call(fileRoutes.delete, { ...options, parameters: { fileId } }),
  };
}

/** JSON would turn NaN and Infinity into null, and the service's answer would name the wrong mistake. */
function checkSize(fileSizeBytes: number): void {
  if (Number.isSafeInteger(fileSizeBytes) && fileSizeBytes >= 0) return;
  throw invalidArgument('fileSizeBytes must be a whole number of bytes, at least 0');
}

/** An upload goes on with these fields, so they are looked at before anything is sent anywhere. */
function checkInitReply(reply: Omit<InitResult, 'savedVsAwsFixed'>, requestId?: string): void {
  const { fileId, presignedUrl, requiredHeaders, savedVsAws } = reply;
  const fits =
    typeof fileId === 'string' &&
    URL.canParse(presignedUrl) &&
    /^https?:/i.test(presignedUrl) &&
    typeof requiredHeaders === 'object' &&
    Number.isFinite(savedVsAws);
  if (fits) return;
  const message = 'POST /v1/upload/init: the answer lacks what an upload needs';
  throw new StorageRoutingError({ code: 'invalid_response', message, requestId });
}
