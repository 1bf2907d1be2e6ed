import { randomBytes } from 'node:crypto';

import { EMPTY_BODY } from './bodies.ts';
import { mergeCursors, type KeyCursor } from './cursor.ts';
import { createGeneratedRange, type GeneratedRange, type GeneratedSpec } from './generated.ts';
import { createKeyRecords } from './records.ts';
import { createUploads, type Uploads } from './uploads.ts';
import type { ObjectVersion, Tag } from './version.ts';

/** A bucket's name, region and owner. */
export interface BucketIdentity {
  readonly name: string;
  readonly region: string;
  readonly accountId: string;
  readonly createdAtMs: number;
}

/** `Off` has no name in the API: a bucket that never was versioned answers nothing. */
export type Versioning = 'Off' | 'Enabled' | 'Suspended';

/** The result of a delete. */
interface DeleteOutcome {
  /** The version that was removed or, as a marker, added. Null without either. */
  readonly version: ObjectVersion | null;
  readonly removed: readonly ObjectVersion[];
}

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
  versionsOf(key: string): readonly ObjectVersion[];
  /** The current version; undefined also where it is a delete marker. */
  current(key: string): ObjectVersion | undefined;
  /** Adds a version and returns what it replaced. */
  put(key: string, make: (versionId: string) => ObjectVersion): readonly ObjectVersion[];
  /** Inserts a version unchanged, ordered by date. For seeding. */
  insert(key: string, version: ObjectVersion): void;
  /** Deletes as the versioning state requires: removes the version, or adds a marker. */
  remove(key: string, nowMs: number): DeleteOutcome;
  removeVersion(key: string, versionId: string): DeleteOutcome;
  generate(spec: GeneratedSpec, nowMs: number): void;
  /** All keys in UTF-8 order, including some whose versions were deleted. */
  cursor(): KeyCursor;
  isEmpty(): boolean;
}

/** The buckets of the whole double. */
export interface Buckets {
  get(name: string): Bucket | undefined;
  add(bucket: Bucket): void;
  remove(name: string): void;
  /** By name. */
  list(): readonly Bucket[];
}

/** An id as S3 makes them: opaque, safe in a URL. */
export function newVersionId(): string {
  return randomBytes(24).toString('base64url');
}

/** Creates an empty bucket. */
export function createBucket(identity: BucketIdentity): Bucket {
  const ranges: GeneratedRange[] = [];
  const records = createKeyRecords((key) => findGenerated(ranges, key) === undefined);

  function versionsOf(key: string): readonly ObjectVersion[] {
    const record = records.get(key);
    if (record !== undefined) return record.versions;
    const generated = findGenerated(ranges, key);
    return generated === undefined ? [] : [generated];
  }
  function change(
    key: string,
    next: (versions: readonly ObjectVersion[]) => readonly ObjectVersion[],
  ): readonly ObjectVersion[] {
    const before = versionsOf(key);
    const after = [...next(before)];
    if (after.length > 0 || before.length > 0) records.ensure(key).versions = after;
    return before.filter((version) => !after.includes(version));
  }
  const bucket: Bucket = {
    ...identity,
    versioning: 'Off',
    tags: [],
    keepBodiesUpToBytes: Number.POSITIVE_INFINITY,
    settings: new Map(),
    uploads: createUploads(),
    versionsOf,
    current(key) {
      const [newest] = versionsOf(key);
      return newest === undefined || newest.deleteMarker ? undefined : newest;
    },
    put(key, make) {
      const version = make(bucket.versioning === 'Enabled' ? newVersionId() : 'null');
      return change(key, (versions) => [version, ...without(versions, version.versionId)]);
    },
    insert(key, version) {
      change(key, (versions) =>
        [...without(versions, version.versionId), version].sort(
          (a, b) => b.lastModifiedMs - a.lastModifiedMs,
        ),
      );
    },
    remove(key, nowMs) {
      if (bucket.versioning === 'Off') return bucket.removeVersion(key, 'null');
      const marker = createDeleteMarker(
        bucket.versioning === 'Enabled' ? newVersionId() : 'null',
        nowMs,
      );
      const removed = change(key, (versions) => [marker, ...without(versions, marker.versionId)]);
      return { version: marker, removed };
    },
    removeVersion(key, versionId) {
      const removed = change(key, (versions) => without(versions, versionId));
      return { version: removed[0] ?? null, removed };
    },
    generate: (spec, nowMs) => void ranges.push(createGeneratedRange(spec, nowMs)),
    // Records hide generated objects, and a later range hides the earlier ones.
    cursor: () =>
      mergeCursors([records.cursor(), ...ranges.map((range) => range.cursor()).reverse()]),
    isEmpty() {
      for (const cursor = bucket.cursor(); cursor.key() !== null; cursor.next()) {
        if (cursor.versions().length > 0) return false;
      }
      return true;
    },
  };
  return bucket;
}

function findGenerated(ranges: readonly GeneratedRange[], key: string): ObjectVersion | undefined {
  // The latest range wins for a key that two ranges hold, as a later write would.
  for (let at = ranges.length - 1; at >= 0; at -= 1) {
    const version = ranges[at]?.find(key);
    if (version !== undefined) return version;
  }
  return undefined;
}

function without(versions: readonly ObjectVersion[], versionId: string): readonly ObjectVersion[] {
  return versions.filter((version) => version.versionId !== versionId);
}

/** A delete marker. */
export function createDeleteMarker(versionId: string, lastModifiedMs: number): ObjectVersion {
  return {
    versionId,
    deleteMarker: true,
    lastModifiedMs,
    sizeBytes: 0,
    etag: '',
    body: EMPTY_BODY,
    storageClass: 'STANDARD',
    headers: {},
    metadata: {},
    encryption: '',
    checksum: null,
    tags: [],
  };
}
