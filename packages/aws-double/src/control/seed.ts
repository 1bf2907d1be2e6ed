import { createHash } from 'node:crypto';

import type { Bodies, Body } from '../store/bodies.ts';
import { createDeleteMarker, newVersionId, type Bucket } from '../store/bucket.ts';
import type { GeneratedSpec } from '../store/generated.ts';
import { seededEtag } from '../store/seeded.ts';
import { STORAGE_CLASSES, type ObjectVersion, type Tag } from '../store/version.ts';

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
  /** Default: a new one in a versioned bucket, else `null`. */
  readonly versionId?: string;
  readonly deleteMarker?: boolean;
}

/** An incomplete multipart upload. */
interface SeedUpload {
  readonly key: string;
  /** ISO 8601. Default: now. */
  readonly initiated?: string;
  /** Bytes of its parts. */
  readonly partSizes?: readonly number[];
  readonly storageClass?: string;
}

/** What to seed into a bucket, without checks and permissions. */
export interface SeedSpec {
  readonly bucket: string;
  readonly objects?: readonly SeedObject[];
  readonly generated?: readonly GeneratedSpec[];
  readonly uploads?: readonly SeedUpload[];
}

/** Seeds a bucket. @throws TypeError for an invalid description */
export function seedBucket(bucket: Bucket, spec: SeedSpec, nowMs: number, bodies: Bodies): void {
  for (const object of spec.objects ?? []) {
    checkStorageClass(object.storageClass);
    bucket.insert(object.key, makeVersion(bucket, object, nowMs));
  }
  for (const generated of spec.generated ?? []) {
    for (const storageClass of [generated.storageClass ?? []].flat()) {
      checkStorageClass(storageClass);
    }
    bucket.generate(generated, nowMs);
  }
  for (const upload of spec.uploads ?? []) seedUpload(bucket, upload, nowMs, bodies);
}

function checkStorageClass(storageClass: string | undefined): void {
  if (storageClass === undefined || STORAGE_CLASSES.includes(storageClass)) return;
  throw new TypeError(`${storageClass} is not a storage class`);
}

function parseDate(text: string | undefined, nowMs: number): number {
  if (text === undefined) return nowMs;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new TypeError(`${text} is not a date`);
  return ms;
}

function makeVersion(bucket: Bucket, object: SeedObject, nowMs: number): ObjectVersion {
  const versionId = object.versionId ?? (bucket.versioning === 'Enabled' ? newVersionId() : 'null');
  const lastModifiedMs = parseDate(object.lastModified, nowMs);
  if (object.deleteMarker === true) return createDeleteMarker(versionId, lastModifiedMs);
  const body = makeBody(object);
  return {
    versionId,
    deleteMarker: false,
    lastModifiedMs,
    sizeBytes: body.sizeBytes,
    etag: object.etag ?? (body.kind === 'seeded' ? null : md5Of(body.bytes)),
    body,
    storageClass: object.storageClass ?? 'STANDARD',
    headers: { 'content-type': object.contentType ?? 'binary/octet-stream', ...object.headers },
    metadata: object.metadata ?? {},
    encryption: 'AES256',
    checksum: null,
    tags: object.tags ?? [],
  };
}

type MadeBody = Extract<Body, { kind: 'memory' | 'seeded' }>;

function makeBody(object: SeedObject): MadeBody {
  if (object.text !== undefined) {
    const bytes = Buffer.from(object.text);
    return { kind: 'memory', sizeBytes: bytes.length, bytes };
  }
  const sizeBytes = object.size ?? 0;
  return { kind: 'seeded', sizeBytes, seed: object.seed ?? object.key, index: 0 };
}

function md5Of(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

function seedUpload(bucket: Bucket, spec: SeedUpload, nowMs: number, bodies: Bodies): void {
  checkStorageClass(spec.storageClass);
  const initiatedMs = parseDate(spec.initiated, nowMs);
  const object = {
    storageClass: spec.storageClass ?? 'STANDARD',
    headers: { 'content-type': 'binary/octet-stream' },
    metadata: {},
    encryption: 'AES256',
    tags: [],
  };
  const upload = bucket.uploads.start(spec.key, object, initiatedMs);
  for (const [at, sizeBytes] of (spec.partSizes ?? []).entries()) {
    const body: Body = { kind: 'seeded', sizeBytes, seed: spec.key, index: at };
    bodies.hold(body);
    const part = { partNumber: at + 1, lastModifiedMs: initiatedMs, etag: seededEtag(body), body };
    upload.parts.set(part.partNumber, part);
  }
}
