import { createHash } from 'node:crypto';

import type { Body } from '../store/bodies.ts';
import { newVersionId, type Bucket } from '../store/bucket.ts';
import { parseDate, type GeneratedSpec } from '../store/generated.ts';
import { seededEtag } from '../store/seeded.ts';
import {
  createDeleteMarker,
  DEFAULT_ATTRIBUTES,
  isStorageClass,
  type ObjectVersion,
  type Tag,
} from '../store/version.ts';

/** One object or version to seed. */
interface SeedObject {
  readonly key: string;
  /** Bytes; they are made on the fly from `seed`. Default 0. */
  readonly size?: number;
  /** Real content instead, UTF-8. */
  readonly text?: string;
  /** Default: the key. Objects of the same seed and size have the same bytes. */
  readonly seed?: string;
  /** ISO 8601. Default: now. */
  readonly lastModified?: string;
  readonly storageClass?: string;
  readonly contentType?: string;
  /** Further kept headers by lower-case name (`cache-control`, `content-language`, …). */
  readonly headers?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tags?: readonly Tag[];
  /** Without quotes; left out: the true MD5 up to 64 MiB, beyond it one like a multipart upload's. */
  readonly etag?: string;
  readonly deleteMarker?: boolean;
  /** Default: `AES256`. */
  readonly encryption?: ObjectVersion['encryption'];
}

/** An incomplete multipart upload. */
interface SeedUpload {
  readonly key: string;
  /** ISO 8601. Default: now. */
  readonly initiated?: string;
  /** Bytes of its parts. */
  readonly partSizes?: readonly number[];
}

/** What to seed into a bucket, without checks and permissions. */
export interface SeedSpec {
  readonly bucket: string;
  readonly objects?: readonly SeedObject[];
  readonly generated?: readonly GeneratedSpec[];
  readonly uploads?: readonly SeedUpload[];
}

/** Seeds a bucket. @throws TypeError for an invalid description */
export function seedBucket(bucket: Bucket, spec: SeedSpec, nowMs: number): void {
  const { objects = [], generated = [], uploads = [] } = spec;
  for (const { storageClass = 'STANDARD' } of [...objects, ...generated]) {
    const unknown = [storageClass].flat().find((name) => !isStorageClass(name));
    if (unknown !== undefined) throw new TypeError(`${unknown} is not a storage class`);
  }
  for (const object of objects) bucket.insert(object.key, makeVersion(bucket, object, nowMs));
  for (const each of generated) bucket.generate(each, nowMs);
  for (const { key, initiated, partSizes = [] } of uploads) {
    const initiatedMs = parseDate(initiated, nowMs);
    const { parts } = bucket.uploads.start(key, DEFAULT_ATTRIBUTES, initiatedMs);
    for (const [index, sizeBytes] of partSizes.entries()) {
      const body: Body = { kind: 'seeded', sizeBytes, seed: key, index };
      const partNumber = index + 1;
      const etag = seededEtag(body);
      parts.set(partNumber, { partNumber, lastModifiedMs: initiatedMs, etag, body });
    }
  }
}

function makeVersion(bucket: Bucket, object: SeedObject, nowMs: number): ObjectVersion {
  const { key, size: sizeBytes = 0, text, seed = key, etag, headers } = object;
  const { storageClass = 'STANDARD', metadata = {}, tags = [], contentType } = object;
  const versionId = newVersionId(bucket);
  const lastModifiedMs = parseDate(object.lastModified, nowMs);
  if (object.deleteMarker === true) return createDeleteMarker(versionId, lastModifiedMs);
  const bytes = text === undefined ? null : Buffer.from(text);
  const md5 = bytes && createHash('md5').update(bytes).digest('hex');
  const { encryption = DEFAULT_ATTRIBUTES.encryption } = object;
  // With another key the ETag has the form of an MD5, and is none.
  const other = createHash('md5').update(`${encryption} ${seed} ${sizeBytes}`).digest('hex');
  const own = encryption === DEFAULT_ATTRIBUTES.encryption ? md5 : other;
  return {
    ...DEFAULT_ATTRIBUTES,
    versionId,
    isDeleteMarker: false,
    lastModifiedMs,
    etag: etag ?? own,
    encryption,
    body: bytes
      ? { kind: 'memory', sizeBytes: bytes.length, bytes }
      : { kind: 'seeded', sizeBytes, seed, index: 0 },
    storageClass,
    headers: { 'content-type': contentType ?? 'binary/octet-stream', ...headers },
    metadata,
    checksum: null,
    tags,
  };
}
