import { EMPTY_BODY, type Body } from './bodies.ts';
import { seededEtag } from './seeded.ts';

/** A tag of an object or a bucket. */
export interface Tag {
  readonly key: string;
  readonly value: string;
}

/** The encryption of an object with a key that its owner sends (SSE-C). */
export const CUSTOMER_KEY = 'customer';

/** What an object is besides its bytes. */
export interface ObjectAttributes {
  readonly storageClass: string;
  /** What `PutObject` keeps, by lower-case header name (`content-type`, `expires`, …). */
  readonly headers: Readonly<Record<string, string>>;
  /** User metadata without the `x-amz-meta-` prefix. */
  readonly metadata: Readonly<Record<string, string>>;
  /** `AES256`, `aws:kms`, `aws:kms:dsse`, or {@link CUSTOMER_KEY}. Only with the first an ETag is an MD5. */
  readonly encryption: string;
  readonly tags: readonly Tag[];
}

/** A checksum that the client sent: `x-amz-checksum-crc32` and so on, and its value. */
export interface StoredChecksum {
  readonly header: string;
  readonly value: string;
}

/** The content of a new version. */
export interface VersionContent extends ObjectAttributes {
  readonly body: Body;
  /** Without quotes; null: the ETag of seeded bytes, computed on demand by {@link readEtag}. */
  readonly etag: string | null;
  readonly checksum: StoredChecksum | null;
}

/** One version of an object, or a delete marker. Never changed. */
export interface ObjectVersion extends VersionContent {
  /** `null` as a string if the bucket was not versioned. */
  readonly versionId: string;
  readonly isDeleteMarker: boolean;
  readonly lastModifiedMs: number;
}

/** The attributes of an object that was put without any. */
export const DEFAULT_ATTRIBUTES: ObjectAttributes = {
  storageClass: 'STANDARD',
  headers: { 'content-type': 'binary/octet-stream' },
  metadata: {},
  encryption: 'AES256',
  tags: [],
};

/** The ETag of a version, without quotes. */
export function readEtag({ etag, body }: Pick<ObjectVersion, 'etag' | 'body'>): string {
  return etag ?? (body.kind === 'seeded' ? seededEtag(body) : '');
}

/** A delete marker. */
export function createDeleteMarker(versionId: string, lastModifiedMs: number): ObjectVersion {
  return {
    ...DEFAULT_ATTRIBUTES,
    versionId,
    isDeleteMarker: true,
    lastModifiedMs,
    etag: '',
    body: EMPTY_BODY,
    headers: {},
    encryption: '',
    checksum: null,
  };
}

/** S3's storage classes. Source: `x-amz-storage-class` of PutObject, Amazon S3 API Reference. */
const STORAGE_CLASSES: ReadonlySet<string> = new Set(
  'STANDARD REDUCED_REDUNDANCY STANDARD_IA ONEZONE_IA INTELLIGENT_TIERING GLACIER_IR GLACIER DEEP_ARCHIVE EXPRESS_ONEZONE OUTPOSTS SNOW'.split(
    ' ',
  ),
);

/** Says whether S3 has a storage class of that name. */
export function isStorageClass(name: string): boolean {
  return STORAGE_CLASSES.has(name);
}
