import type { HeldPart, PartUrlsResult, UploadUrlResult } from '../http/api-types.ts';
import type { CallOptions, Reply, Route, Transport } from '../http/transport.ts';

/** The start of a list of parts. */
export interface ListPartsOptions extends CallOptions {
  /** A part number; default 0. */
  after?: number | undefined;
}

/** Each answer has fresh URLs and changes nothing, so all of them may be repeated. */
export const partRoutes = {
  urls: { method: 'POST', path: '/v1/upload/parts', auth: 'apiKey' },
  list: { method: 'GET', path: '/v1/upload/parts/{fileId}', auth: 'apiKey' },
  url: { method: 'POST', path: '/v1/upload/url', auth: 'apiKey' },
} as const satisfies Record<string, Route>;

/** Calls about the bytes of a pending file. */
export interface Parts {
  /**
   * Presigns up to 100 parts. May be repeated at any time: each answer has fresh URLs. A URL
   * permits writing its part until it expires: treat it as a secret. Its PUT needs no header
   * besides the content length.
   */
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
    const input = { ...options, id: fileId, query: { after: next } };
    const page: Reply<typeof partRoutes.list> = await transport.call(partRoutes.list, input);
    yield* page.items;
    next = page.next;
  }
}
