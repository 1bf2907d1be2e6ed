import type { Body } from './bodies.ts';
import { seededEtag } from './seeded.ts';

/** What `PutObject` keeps beside the bytes, by lower-case header name (`content-type`, `expires`, …). */
export type ObjectHeaders = Readonly<Record<string, string>>;

/** A checksum that the client sent and the double kept. */
export interface StoredChecksum {
  /** `x-amz-checksum-crc32` and so on. */
  readonly header: string;
  readonly value: string;
}

/** One version of an object, or a delete marker. Never changed but for its tags. */
export interface ObjectVersion {
  /** `null` as a string where the bucket was not versioned. */
  readonly versionId: string;
  readonly deleteMarker: boolean;
  readonly lastModifiedMs: number;
  readonly sizeBytes: number;
  /** Without quotes; null: the ETag of seeded bytes, computed on demand by {@link etagOf}. */
  readonly etag: string | null;
  readonly body: Body;
  readonly storageClass: string;
  readonly headers: ObjectHeaders;
  /** User metadata without the `x-amz-meta-` prefix. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly encryption: string;
  readonly checksum: StoredChecksum | null;
  tags: readonly Tag[];
}

/** The ETag of a version, without quotes. */
export function etagOf(version: Pick<ObjectVersion, 'etag' | 'body'>): string {
  if (version.etag !== null) return version.etag;
  return version.body.kind === 'seeded' ? seededEtag(version.body) : '';
}

/** A tag of an object or a bucket. */
export interface Tag {
  readonly key: string;
  readonly value: string;
}

/** S3's storage classes. Source: `x-amz-storage-class` of PutObject, Amazon S3 API Reference. */
export const STORAGE_CLASSES: readonly string[] = [
  'STANDARD',
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER',
  'DEEP_ARCHIVE',
  'GLACIER_IR',
  'EXPRESS_ONEZONE',
  'OUTPOSTS',
  'SNOW',
];

/** Says whether an object must be restored before it can be read. */
export function needsRestore(storageClass: string): boolean {
  return storageClass === 'GLACIER' || storageClass === 'DEEP_ARCHIVE';
}
