import { hash } from 'node:crypto';
import type { ObjectDescription, ObjectStore } from '../../adapters/object-store/object-store.ts';
import { multipartEtag } from '../../domain/migrations/copying.ts';

const unused = (): never => {
  throw new Error('this call of a store is not expected');
};

/** A store that fails every call, for tests that replace the calls they expect. */
export const UNUSED_STORE: ObjectStore = {
  presignUpload: unused,
  presignPart: unused,
  presignDownload: unused,
  preflight: unused,
  list: unused,
  head: unused,
  get: unused,
  open: unused,
  write: unused,
  delete: unused,
  beginUpload: unused,
  writePart: unused,
  parts: unused,
  completeUpload: unused,
  abortUpload: unused,
  uploads: unused,
  versions: unused,
  allowsAcls: unused,
  keepsVersions: unused,
};

/** A plain object of that size. */
export function describeObject(sizeBytes: number): ObjectDescription {
  return {
    sizeBytes,
    etag: '0'.repeat(32),
    md5: null,
    isOpaque: false,
    lastModified: '2026-11-01T00:00:00.000Z',
    headers: {},
    notCarried: [],
    storageClass: 'STANDARD',
  };
}

/**
 * A bucket in memory that gives back what was written, whole or by an upload of one part, with some of its methods
 * replaced.
 */
export function bucketInMemory(overrides: Partial<ObjectStore> = {}): ObjectStore {
  const objects = new Map<string, Buffer>();
  const store = (key: string, body: Buffer) => {
    objects.set(key, body);
    const md5 = hash('md5', body, 'buffer');
    return { etag: md5.toString('hex'), isOpaque: false, md5 };
  };
  return {
    ...UNUSED_STORE,
    write: async (key, { body }) => store(key, body as Buffer),
    beginUpload: async (key) => `upload of ${key}`,
    writePart: async (_key, uploadId, _part, { body }) => store(uploadId, body as Buffer),
    async completeUpload(key, uploadId) {
      const { md5 } = store(key, objects.get(uploadId) ?? Buffer.alloc(0));
      return { etag: multipartEtag([md5]), isOpaque: false };
    },
    async head(key) {
      const found = objects.get(key);
      return found && describeObject(found.length);
    },
    get: async (key) => objects.get(key),
    delete: async (key) => void objects.delete(key),
    ...overrides,
  };
}
