import { randomBytes } from 'node:crypto';

import type { Behaviour } from './behaviour.ts';
import type { Body } from './bodies.ts';
import { generateObjects, type GeneratedSpec } from './generated.ts';
import { compareUtf8, createSortedMap } from './keys.ts';
import {
  createDeleteMarker,
  type ObjectAttributes,
  type ObjectVersion,
  type Tag,
  type VersionContent,
} from './version.ts';

/** A bucket's name, region and owner. */
interface BucketIdentity {
  readonly name: string;
  readonly region: string;
  readonly accountId: string;
  readonly createdAtMs: number;
}

/** `Off` has no name in the API: a bucket that never was versioned answers nothing. */
export type Versioning = 'Off' | 'Enabled' | 'Suspended';

/** One bucket with its objects, uploads and settings. */
export interface Bucket extends BucketIdentity {
  versioning: Versioning;
  tags: readonly Tag[];
  /** Larger bodies are received and discarded. */
  keepBodiesUpToBytes: number;
  /** Settings by sub-resource (`lifecycle`, `cors`, …), as the document that was put. */
  readonly settings: Map<string, string>;
  readonly uploads: Uploads;
  /** All versions of a key, the newest first. */
  versions(key: string): readonly ObjectVersion[];
  /** The current version; undefined also if it is a delete marker. */
  current(key: string): ObjectVersion | undefined;
  /** Adds a version as the current one. */
  put(key: string, content: VersionContent, nowMs: number): ObjectVersion;
  /** Inserts a version unchanged, ordered by date. For seeding. */
  insert(key: string, version: ObjectVersion): void;
  /** Deletes as the versioning state requires: returns the version that was removed, or the marker that was added. */
  remove(key: string, nowMs: number): ObjectVersion | undefined;
  removeVersion(key: string, versionId: string): ObjectVersion | undefined;
  generate(spec: GeneratedSpec, nowMs: number): void;
  /** All keys in UTF-8 order, including some whose versions were deleted. */
  keys(): readonly string[];
}

/** The buckets of the whole double. */
export type Buckets = ReturnType<typeof createBuckets>;

/** Creates an empty set of buckets. */
export function createBuckets() {
  const buckets = new Map<string, Bucket>();
  return {
    get: (name: string) => buckets.get(name),
    add: (bucket: Bucket) => void buckets.set(bucket.name, bucket),
    remove: (name: string) => void buckets.delete(name),
    /** By name. */
    list: () => [...buckets.values()].sort((a, b) => compareUtf8(a.name, b.name)),
  };
}

/** Creates an empty bucket, as the store makes them. */
export function createBucket(
  identity: BucketIdentity,
  { versions, newBucketSettings }: Behaviour,
): Bucket {
  // Of a generated object only the function that makes it is kept.
  const objects = createSortedMap<readonly ObjectVersion[] | (() => ObjectVersion)>();

  function versionsOf(key: string): readonly ObjectVersion[] {
    const kept = objects.get(key) ?? [];
    return typeof kept === 'function' ? [kept()] : kept;
  }
  /** Puts a version before all others but that of its id, which it replaces. */
  function put(key: string, version: ObjectVersion): ObjectVersion {
    const others = versionsOf(key).filter(({ versionId }) => versionId !== version.versionId);
    objects.set(key, [version, ...others]);
    return version;
  }
  const bucket: Bucket = {
    ...identity,
    versioning: versions === 'always' ? 'Enabled' : 'Off',
    tags: [],
    keepBodiesUpToBytes: Number.POSITIVE_INFINITY,
    settings: new Map(Object.entries(newBucketSettings)),
    uploads: createUploads(),
    versions: versionsOf,
    current(key) {
      const [newest] = versionsOf(key);
      return newest?.isDeleteMarker === true ? undefined : newest;
    },
    put: (key, content, nowMs) =>
      put(key, {
        ...content,
        versionId: newVersionId(bucket),
        isDeleteMarker: false,
        lastModifiedMs: nowMs,
      }),
    insert(key, version) {
      const others = versionsOf(key).filter(({ versionId }) => versionId !== version.versionId);
      const older = others.findIndex((each) => each.lastModifiedMs < version.lastModifiedMs);
      objects.set(key, others.toSpliced(older < 0 ? others.length : older, 0, version));
    },
    remove: (key, nowMs) =>
      bucket.versioning === 'Off'
        ? bucket.removeVersion(key, 'null')
        : put(key, createDeleteMarker(newVersionId(bucket), nowMs)),
    removeVersion(key, versionId) {
      const before = versionsOf(key);
      const after = before.filter((version) => version.versionId !== versionId);
      if (after.length === 0) objects.delete(key);
      else objects.set(key, after);
      return before.find((version) => version.versionId === versionId);
    },
    generate: (spec, nowMs) => generateObjects(spec, nowMs, objects.set),
    keys: objects.keys,
  };
  return bucket;
}

/** The id of the next version: opaque, safe in a URL, as S3 makes them. */
export function newVersionId({ versioning }: Pick<Bucket, 'versioning'>): string {
  return versioning === 'Enabled' ? randomBytes(24).toString('base64url') : 'null';
}

/** A part that was uploaded. */
export interface UploadPart {
  readonly partNumber: number;
  readonly lastModifiedMs: number;
  /** Without quotes. */
  readonly etag: string;
  readonly body: Body;
}

/** A multipart upload that is neither completed nor aborted. */
export interface Upload {
  readonly uploadId: string;
  readonly key: string;
  readonly initiatedMs: number;
  readonly object: ObjectAttributes;
  readonly parts: Map<number, UploadPart>;
}

/** The unfinished uploads of a bucket. */
export type Uploads = ReturnType<typeof createUploads>;

/** Creates an empty set of uploads. */
function createUploads() {
  const uploads = new Map<string, Upload>();
  return {
    start(key: string, object: ObjectAttributes, initiatedMs: number): Upload {
      const uploadId = randomBytes(48).toString('base64url');
      const upload: Upload = { uploadId, key, initiatedMs, object, parts: new Map() };
      uploads.set(uploadId, upload);
      return upload;
    },
    find(key: string, uploadId: string): Upload | undefined {
      const upload = uploads.get(uploadId);
      return upload?.key === key ? upload : undefined;
    },
    remove: (uploadId: string) => void uploads.delete(uploadId),
    /** By key in UTF-8 order, then by start, then by id. */
    list: () =>
      [...uploads.values()].sort(
        (a, b) =>
          compareUtf8(a.key, b.key) ||
          a.initiatedMs - b.initiatedMs ||
          compareUtf8(a.uploadId, b.uploadId),
      ),
  };
}
