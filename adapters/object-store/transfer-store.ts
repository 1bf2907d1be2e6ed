import type { ListedEntry } from './list-answers.ts';
import type { ListedUpload } from './multipart-uploads.ts';
import type { ObjectHeaders, ObjectDescription } from './object-description.ts';

export type { ObjectHeaders, ObjectDescription } from './object-description.ts';

export interface TransferOptions {
  /** When it is aborted, its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** A range of an object, both ends included. */
export interface TransferRange {
  readonly first: number;
  readonly last: number;
}

export interface OpenedObject extends ObjectDescription {
  /** The announced length of the body: of a range, that of the range. */
  readonly bodyBytes: number;
  /** Can be read once. Ends early only by throwing a `StoreError`. */
  readonly body: AsyncIterable<Buffer>;
  /** Drops the connection if the body was not read to its end. */
  close(): void;
}

/** Bytes to write. A stream yields exactly `sizeBytes`, or throws; its error is thrown unchanged. */
export interface TransferBody {
  readonly sizeBytes: number;
  /** Sent as `content-md5`, so that the store refuses other bytes. */
  readonly md5?: Buffer | undefined;
  readonly body: Buffer | AsyncIterable<Buffer>;
}

/** A part that the store holds. */
export interface ListedPart {
  readonly partNumber: number;
  readonly sizeBytes: number;
  /** Without its quotes. */
  readonly etag: string;
}

export interface PartsPage {
  readonly parts: readonly ListedPart[];
  readonly isTruncated: boolean;
}

export interface ListedPage {
  readonly entries: readonly ListedEntry[];
  readonly isTruncated: boolean;
}

/**
 * One bucket of a customer, to copy objects of any size from or to. The contract is tested by
 * `test/contract/transfer-store.ts`.
 *
 * Every method rejects with a `StoreError` where the store refuses, or sends and takes nothing for
 * 15 s. The whole time of a call is not bounded.
 */
export interface TransferStore {
  /** The current objects after a key, in the order of their UTF-8 bytes. */
  list(
    request: { prefix: string; after: string | null; maxKeys?: number },
    options?: TransferOptions,
  ): Promise<ListedPage>;
  /** The object without its bytes; undefined where it is missing. */
  head(key: string, options?: TransferOptions): Promise<ObjectDescription | undefined>;
  /**
   * The bytes of the object, if it still has that ETag.
   *
   * @throws StoreError `changed`, `missing`, `archived`
   */
  open(
    key: string,
    request: { ifMatch: string; range?: TransferRange | undefined },
    options?: TransferOptions,
  ): Promise<OpenedObject>;
  /** Writes a whole object and returns its ETag. */
  write(
    key: string,
    request: TransferBody & { readonly headers: ObjectHeaders },
    options?: TransferOptions,
  ): Promise<string>;
  /** Creates a multipart upload and returns its id. */
  beginUpload(key: string, headers: ObjectHeaders, options?: TransferOptions): Promise<string>;
  /** Parts are numbered from 1. Returns the part's ETag. */
  writePart(
    key: string,
    uploadId: string,
    partNumber: number,
    request: TransferBody,
    options?: TransferOptions,
  ): Promise<string>;
  /**
   * Up to 1,000 of the parts after a number, in the order of their numbers; undefined where there is no
   * such upload.
   */
  parts(
    key: string,
    uploadId: string,
    after: number,
    options?: TransferOptions,
  ): Promise<PartsPage | undefined>;
  /** Makes an object of the parts with these ETags, in this order, and returns its ETag. */
  completeUpload(
    key: string,
    uploadId: string,
    etags: readonly string[],
    options?: TransferOptions,
  ): Promise<string>;
  /** A missing upload counts as aborted. */
  abortUpload(key: string, uploadId: string, options?: TransferOptions): Promise<void>;
  /** The incomplete multipart uploads. */
  uploads(prefix: string, options?: TransferOptions): AsyncIterable<ListedUpload>;
  /** Whether objects may have their own ACLs; undefined where that cannot be read. */
  aclsMatter(options?: TransferOptions): Promise<boolean | undefined>;
  /** A missing object counts as deleted. */
  delete(key: string, options?: TransferOptions): Promise<void>;
}
