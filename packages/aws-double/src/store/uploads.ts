import { randomBytes } from 'node:crypto';

import type { Body } from './bodies.ts';
import { compareUtf8 } from './order.ts';
import type { ObjectHeaders, Tag } from './version.ts';

/** A part that was uploaded. */
export interface UploadPart {
  readonly partNumber: number;
  readonly lastModifiedMs: number;
  /** Without quotes. */
  readonly etag: string;
  readonly body: Body;
}

/** What the finished object will be, besides its bytes. */
export interface UploadedObject {
  readonly storageClass: string;
  readonly headers: ObjectHeaders;
  readonly metadata: Readonly<Record<string, string>>;
  readonly encryption: string;
  readonly tags: readonly Tag[];
}

/** A multipart upload that is neither completed nor aborted. */
export interface Upload {
  readonly uploadId: string;
  readonly key: string;
  readonly initiatedMs: number;
  readonly object: UploadedObject;
  readonly parts: Map<number, UploadPart>;
}

/** The unfinished uploads of a bucket. */
export interface Uploads {
  start(key: string, object: UploadedObject, initiatedMs: number): Upload;
  find(key: string, uploadId: string): Upload | undefined;
  remove(uploadId: string): void;
  /** By key in UTF-8 order, then by start, then by id. */
  list(): readonly Upload[];
}

/** Creates an empty set of uploads. */
export function createUploads(): Uploads {
  const uploads = new Map<string, Upload>();
  return {
    start(key, object, initiatedMs) {
      const uploadId = randomBytes(48).toString('base64url');
      const upload: Upload = { uploadId, key, initiatedMs, object, parts: new Map() };
      uploads.set(uploadId, upload);
      return upload;
    },
    find(key, uploadId) {
      const upload = uploads.get(uploadId);
      return upload?.key === key ? upload : undefined;
    },
    remove: (uploadId) => void uploads.delete(uploadId),
    list: () =>
      [...uploads.values()].sort(
        (a, b) =>
          compareUtf8(a.key, b.key) ||
          a.initiatedMs - b.initiatedMs ||
          compareUtf8(a.uploadId, b.uploadId),
      ),
  };
}

/** The parts in order of their numbers. */
export function sortedParts(upload: Upload): readonly UploadPart[] {
  return [...upload.parts.values()].sort((a, b) => a.partNumber - b.partNumber);
}
