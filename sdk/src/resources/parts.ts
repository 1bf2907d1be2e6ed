import type { CallOptions, Route, Transport } from '../http/transport.ts';

/** The URL of one part. Its PUT needs no header besides the content length. */
export interface PartUrl {
  /** From 1. */
  partNumber: number;
  sizeBytes: number;
  /** Permits writing this part until it expires: treat it as a secret. */
  presignedUrl: string;
}

/** The URLs of some parts. */
export interface PartUrlsResult {
  parts: PartUrl[];
  /** Expiry of the URLs, RFC 3339. */
  expiresAt: string;
}

/** A part that the store holds. */
export interface HeldPart {
  partNumber: number;
  sizeBytes: number;
  etag: string;
}

/** A fresh URL for a pending file that is uploaded by a single PUT. */
export interface UploadUrlResult {
  fileId: string;
  /** Treat it as a secret. */
  presignedUrl: string;
  requiredHeaders: Record<string, string>;
  /** RFC 3339. */
  expiresAt: string;
}

/** Where to begin a list of parts. */
export interface ListPartsOptions extends CallOptions {
  /** A part number; default 0. */
  after?: number | undefined;
}

/** Each answer has fresh URLs and changes nothing, so all of them may be repeated. */
export const partRoutes = {
  urls: { method: 'POST', path: '/v1/upload/parts', auth: 'apiKey', repeat: 'safe' },
  list: { method: 'GET', path: '/v1/upload/parts/{fileId}', auth: 'apiKey', repeat: 'safe' },
  url: { method: 'POST', path: '/v1/upload/url', auth: 'apiKey', repeat: 'safe' },
} as const satisfies Record<string, Route>;

/** Calls about the bytes of a pending file. */
export interface Parts {
  /** Presigns up to 100 parts. May be repeated at any time: each answer has fresh URLs. */
  uploadParts(
    fileId: string,
    partNumbers: readonly number[],
    options?: CallOptions,
  ): Promise<PartUrlsResult>;
  /** The parts that the store holds, ascending, those after `after`; requested page by page. */
  listParts(fileId: string, options?: ListPartsOptions): AsyncIterable<HeldPart>;
  /** A fresh URL for a file that is uploaded by a single PUT. */
  uploadUrl(fileId: string, options?: CallOptions): Promise<UploadUrlResult>;
}

export function createParts(transport: Transport): Parts {
  return {
    uploadParts: (fileId, partNumbers, options = {}) =>
      transport.call(partRoutes.urls, { ...options, body: { fileId, partNumbers } }),
    listParts: (fileId, options = {}) => listParts(transport, fileId, options),
    uploadUrl: (fileId, options = {}) =>
      transport.call(partRoutes.url, { ...options, body: { fileId } }),
  };
}

async function* listParts(
  transport: Transport,
  fileId: string,
  { after = 0, ...options }: ListPartsOptions,
): AsyncGenerator<HeldPart> {
  for (let next: number | null = after; next !== null;) {
    const input = { ...options, parameters: { fileId }, query: { after: next } };
    const page: { items: HeldPart[]; next: number | null } = await transport.call(
      partRoutes.list,
      input,
    );
    yield* page.items;
    next = page.next;
  }
}
