import type { ListedEntry } from './list-answers.ts';
import type { ListedUpload } from './multipart-uploads.ts';
import type { ObjectHeaders, ObjectDescription } from './object-description.ts';

export type { ObjectHeaders, ObjectDescription } from './object-description.ts';

export interface TransferOptions {
  /** Where it is aborted, its reason is what is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** A stretch of an object, both ends included. */
export interface TransferRange {
  readonly first: number;
  readonly last: number;
}

export interface OpenedObject extends ObjectDescription {
  /** How many bytes the answer announced: of a range those of the range. */
  readonly bodyBytes: number;
  /** Once. Ends early only by throwing a `StoreError`. */
  readonly body: AsyncIterable<Buffer>;
  /** Lets go of the connection, where the body was not read to its end. */
  close(): void;
}

/** Bytes to be written. A stream brings exactly `sizeBytes`, or throws; what it throws is thrown. */
export interface TransferBody {
  readonly sizeBytes: number;
  /** Sent ahead, so that the store refuses other bytes. */
  readonly md5?: Buffer | undefined;
  readonly body: Buffer | AsyncIterable<Buffer>;
}

export interface ListedPage {
  readonly entries: readonly ListedEntry[];
  readonly isTruncated: boolean;
}

/**
 * One bucket of a customer, as objects of any size are copied from it or to it. What is promised
 * here is held by one suite, `test/contract/transfer-store.ts`.
 *
 * Every method rejects with a `StoreError` where the store refused, or left us for 15 s without an
 * answer or a byte. Nothing here is bounded in its whole time.
 */
export interface TransferStore {
  /** The current objects behind a key, in the order of their UTF-8 bytes. */
  list(
    request: { prefix: string; after: string | null; maxKeys?: number },
    options?: TransferOptions,
  ): Promise<ListedPage>;
  /** Undefined where it is missing. */
  head(key: string, options?: TransferOptions): Promise<ObjectDescription | undefined>;
  /**
   * Its bytes, if it is still the one of that ETag.
   *
   * @throws StoreError `changed`, `missing`, `archived`
   */
  open(
    key: string,
    request: { ifMatch: string; range?: TransferRange | undefined },
    options?: TransferOptions,
  ): Promise<OpenedObject>;
  /** Writes a whole object and gives its ETag. */
  write(
    key: string,
    request: TransferBody & { readonly headers: ObjectHeaders },
    options?: TransferOptions,
  ): Promise<string>;
  /** Begins to write in parts and gives the upload's id. */
  beginUpload(key: string, headers: ObjectHeaders, options?: TransferOptions): Promise<string>;
  /** Parts are numbered from 1. Gives the part's ETag. */
  writePart(
    key: string,
    uploadId: string,
    partNumber: number,
    request: TransferBody,
    options?: TransferOptions,
  ): Promise<string>;
  /** Makes the parts of these ETags, in their order, an object, and gives its ETag. */
  completeUpload(
    key: string,
    uploadId: string,
    etags: readonly string[],
    options?: TransferOptions,
  ): Promise<string>;
  /** One that is gone counts as aborted. */
  abortUpload(key: string, uploadId: string, options?: TransferOptions): Promise<void>;
  /** Uploads that were neither completed nor aborted. */
  uploads(prefix: string, options?: TransferOptions): AsyncIterable<ListedUpload>;
  /**
   * Whether objects may have ACLs of their own; undefined where we may not know.
   */
  aclsMatter(options?: TransferOptions): Promise<boolean | undefined>;
  /** A missing object counts as deleted. */
  delete(key: string, options?: TransferOptions): Promise<void>;
}
