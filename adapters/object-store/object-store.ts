import type { CorsRequest, PreflightAnswer } from '../../domain/providers/cors.ts';
import type { StoreLocation } from '../../domain/providers/catalogue.ts';
import type { StoreCredentials } from '../vault/vault.ts';
import type { CallOptions } from './call-bounds.ts';
import type { ListedEntry } from './list-answers.ts';
import type { ObjectDescription, ObjectHeaders, WrittenObject } from './object-description.ts';

export type { ObjectDescription, ObjectHeaders, WrittenObject } from './object-description.ts';

export interface UploadUrlRequest {
  readonly key: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Base64; the PUT must send it as `Content-MD5`. */
  readonly contentMd5?: string | undefined;
  readonly expiresInSeconds: number;
  readonly signedAt: Date;
}

export interface PartUrlRequest {
  readonly key: string;
  readonly uploadId: string;
  readonly partNumber: number;
  readonly sizeBytes: number;
  readonly expiresInSeconds: number;
  readonly signedAt: Date;
}

export interface DownloadUrlRequest {
  readonly key: string;
  /** The name under which a browser saves it. */
  readonly fileName: string;
  readonly expiresInSeconds: number;
  readonly signedAt: Date;
}

/** A range of an object, both ends included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** An object that is read. Lengths that the store does not announce are NaN. */
export interface OpenedObject extends ObjectDescription {
  /** The announced length of the body: of a range, that of the range. */
  readonly bodyBytes: number;
  /** Can be read once; a piece is valid until the next one. Only a `StoreError` ends it early. */
  readonly body: AsyncIterable<Buffer>;
  /** Drops the connection if the body was not read to its end. */
  close(): void;
}

/**
 * Bytes to write. A stream yields exactly `sizeBytes`, or throws; its error is thrown unchanged.
 * The next piece is asked for once the one before may change.
 */
export interface ObjectBody {
  readonly sizeBytes: number;
  /** Sent as `content-md5`, so that the store refuses other bytes. */
  readonly md5?: Buffer | undefined;
  readonly body: Buffer | AsyncIterable<Buffer>;
}

/** What must be at the key when an object appears there: nothing, or the object with this ETag. */
export type WriteCondition = { readonly ifNoneMatch: '*' } | { readonly ifMatch: string };

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

/** A multipart upload that was neither completed nor aborted. */
export interface ListedUpload {
  readonly key: string;
  readonly uploadId: string;
  /** As `toISOString()` writes it. */
  readonly initiatedAt: string;
}

export interface VersionsPage {
  readonly entries: readonly { readonly key: string; readonly versionId: string }[];
  readonly isTruncated: boolean;
}

export interface ListedPage {
  readonly entries: readonly ListedEntry[];
  readonly isTruncated: boolean;
}

export interface HeadOptions extends CallOptions {
  /** A 403 is thrown, also where a listing of the key would show that there is no object. */
  readonly throwsDenied?: boolean;
}

/**
 * One bucket of a customer, with the customer's credentials. The contract holds for every provider
 * and is tested by `test/contract/object-store.ts`.
 *
 * Every method that sends a request rejects with a `StoreError` if the store refuses, neither sends
 * nor receives for 15 s, or exceeds the call's time-out. A missing object is a result, not an
 * error, except for `open`.
 */
export interface ObjectStore {
  /** A URL for one PUT of exactly this type and size. */
  presignUpload(request: UploadUrlRequest): Promise<string>;
  /** A URL for PUTs of one part of exactly this size. */
  presignPart(request: PartUrlRequest): Promise<string>;
  /** A URL for GETs that saves the file under its own name. */
  presignDownload(request: DownloadUrlRequest): Promise<string>;
  /** Sends the preflight of a page's request, as a browser does; a refusal is an answer. */
  preflight(key: string, request: CorsRequest, options?: CallOptions): Promise<PreflightAnswer>;

  /** The current objects after a key, in the order of their UTF-8 bytes. */
  list(
    request: { prefix: string; after: string | null; maxKeys?: number },
    options?: CallOptions,
  ): Promise<ListedPage>;
  /** The object without its bytes; undefined if it is missing. */
  head(key: string, options?: HeadOptions): Promise<ObjectDescription | undefined>;
  /** Reads an object of up to 1 MiB into memory; undefined if it is missing. */
  get(key: string, options?: CallOptions): Promise<Buffer | undefined>;
  /**
   * The bytes of the object, if it still has that ETag.
   *
   * @throws StoreError `changed`, `missing`, `archived`
   */
  open(
    key: string,
    request: { ifMatch: string; range?: ByteRange | undefined },
    options?: Pick<CallOptions, 'signal'>,
  ): Promise<OpenedObject>;
  /** Writes a whole object. */
  write(
    key: string,
    request: ObjectBody & { readonly headers: ObjectHeaders },
    options?: CallOptions,
  ): Promise<WrittenObject>;
  /**
   * A missing object counts as deleted. With `ifMatch`, stores that have it refuse to delete an
   * object with another ETag.
   *
   * @throws StoreError `changed`
   */
  delete(
    key: string,
    options?: CallOptions & {
      readonly ifMatch?: string;
      /** Deletes this version or delete marker for good. */
      readonly versionId?: string | undefined;
    },
  ): Promise<void>;

  /** Creates a multipart upload and returns its id. */
  beginUpload(key: string, headers: ObjectHeaders, options?: CallOptions): Promise<string>;
  /** Parts are numbered from 1. */
  writePart(
    key: string,
    uploadId: string,
    partNumber: number,
    request: ObjectBody,
    options?: CallOptions,
  ): Promise<WrittenObject>;
  /**
   * Up to 1,000 of the parts after a number, in the order of their numbers; undefined if there is
   * no such upload.
   */
  parts(
    key: string,
    uploadId: string,
    after: number,
    options?: CallOptions,
  ): Promise<PartsPage | undefined>;
  /**
   * Makes an object of the parts with these ETags, in this order. Stores that have the condition
   * refuse to if the key has something else.
   *
   * @throws StoreError `changed`
   */
  completeUpload(
    key: string,
    uploadId: string,
    etags: readonly string[],
    options?: CallOptions & { readonly condition?: WriteCondition | undefined },
  ): Promise<WrittenObject>;
  /** A missing upload counts as aborted. */
  abortUpload(key: string, uploadId: string, options?: CallOptions): Promise<void>;
  /** The incomplete multipart uploads. The time-out bounds each page. */
  uploads(prefix: string, options?: CallOptions): AsyncIterable<ListedUpload>;
  /** The first versions and delete markers below a prefix, up to 1,000. */
  versions(prefix: string, options?: CallOptions): Promise<VersionsPage>;
  /** Whether objects may have their own ACLs; undefined if that cannot be read. */
  allowsAcls(options?: CallOptions): Promise<boolean | undefined>;
  /** Whether the bucket keeps replaced and deleted objects as versions; undefined: not known. */
  keepsVersions(options?: CallOptions): Promise<boolean | undefined>;
}

/** Opens a customer's bucket. Opening sends nothing. */
export type OpenObjectStore = (
  location: StoreLocation,
  credentials: StoreCredentials,
  /** Called where the store refuses the credentials themselves, not only what they may do. */
  onDenied?: () => void,
) => ObjectStore;
