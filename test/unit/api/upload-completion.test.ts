import assert from 'node:assert/strict';
import {
  completeUpload,
  type UploadCompletionDeps,
} from '../../../operations/uploads/completion.ts';
import { classifyRefusal } from '../../../adapters/object-store/errors.ts';
import type { FileChange } from '../../../adapters/mongo/uploads/files.ts';
import type { ObjectStore, PartsPage } from '../../../adapters/object-store/object-store.ts';
import { computeExpiry } from '../../../operations/uploads/url.ts';
import { addSeconds, toMonth } from '../../../domain/common/time.ts';
import { toMicroUsd } from '../../../domain/pricing/money.ts';
import type { FileRecord } from '../../../domain/uploads/file.ts';
import { ACCOUNT } from '../../contract/described-api.ts';
import { describeObject, UNUSED_STORE } from '../../harness/unused-store.ts';

const NOW = new Date('2026-11-21T00:00:00.000Z');
const SIZE_BYTES = 12;
const PARTS = [
  { partNumber: 1, sizeBytes: 8, etag: 'e1' },
  { partNumber: 2, sizeBytes: 4, etag: 'e2' },
];
const times = { createdAt: NOW, urlExpiresAt: NOW, deadline: NOW, lastLookAt: NOW };
const PENDING = {
  fileId: 'f',
  accountId: ACCOUNT.accountId,
  status: 'pending',
  sizeBytes: SIZE_BYTES,
  location: { provider: 'r2', bucketName: 'b', region: 'auto' },
  objectKey: 'uploads/f/film.mov',
  savedVsAws: toMicroUsd(0),
  month: toMonth(NOW),
  ...times,
  multipart: { partSizeBytes: 8, partCount: 2, uploadId: 'u' },
} as FileRecord;

/** Completes the file at a store that shows its object from the nth HEAD on. */
function completing(shownAtHead: number, calls: Partial<ObjectStore>) {
  let file = PENDING;
  let heads = 0;
  const store: ObjectStore = {
    ...UNUSED_STORE,
    head: async () => {
      heads += 1;
      return heads >= shownAtHead ? describeObject(SIZE_BYTES) : undefined;
    },
    ...calls,
  };
  const deps = {
    now: () => NOW,
    stores: { at: () => store, of: () => store },
    files: {
      findFile: async () => file,
      change: async (_fileId: string, _from: unknown, { set }: FileChange) => {
        file = { ...file, ...set };
        return file;
      },
    },
    usage: { record: async () => {} },
    usageTotals: { generation: async () => 0, count: async () => true },
  } as unknown as UploadCompletionDeps;
  return {
    complete: () => completeUpload(deps, ACCOUNT, 'f'),
    heads: () => heads,
    change: (set: Partial<FileRecord>) => {
      file = { ...file, ...set };
    },
  };
}

describe('completing an upload in parts while another call assembles the object', () => {
  const listing = (parts: PartsPage['parts']): Partial<ObjectStore> => ({
    parts: () => Promise.resolve({ parts, isTruncated: false }),
    completeUpload: () => Promise.reject(classifyRefusal(404, 'NoSuchUpload')),
  });

  /** The upload is there for the first listing only. */
  const listingOnce = (): Partial<ObjectStore> => {
    const pages = [{ parts: PARTS, isTruncated: false }];
    return { ...listing(PARTS), parts: async () => pages.shift() };
  };

  it('succeeds once the object is shown, whenever the upload is gone', async () => {
    for (const gone of [{ parts: () => Promise.resolve(undefined) }, listingOnce()])
      assert.equal((await completing(4, gone).complete()).status, 'active');
  });

  it('answers file_incomplete at once if some parts are missing, or if the object does not appear', async () => {
    const { complete, heads } = completing(4, listing(PARTS.slice(1)));
    await assert.rejects(complete(), { code: 'file_incomplete' });
    assert.equal(heads(), 2);
    const hidden = completing(Infinity, listingOnce());
    await assert.rejects(hidden.complete(), { code: 'file_incomplete' });
  });
});

describe('completing an upload in parts', () => {
  const assembled: string[][] = [];
  const atStore = (pages: readonly PartsPage[]): Partial<ObjectStore> => ({
    parts: async (_key, _uploadId, after) =>
      pages.find((page) => (page.parts[0]?.partNumber ?? 0) > after),
    completeUpload: async (_key, _uploadId, etags) => {
      assembled.push([...etags]);
      return { etag: 'etag', isOpaque: false };
    },
  });

  it('assembles the parts of every page of their list', async () => {
    const pages = PARTS.map((part) => ({ parts: [part], isTruncated: part.partNumber < 2 }));
    assert.equal((await completing(Infinity, atStore(pages)).complete()).status, 'active');
    assert.deepEqual(assembled, [['e1', 'e2']]);
  });

  it('names a part of another size', async () => {
    const parts = PARTS.with(1, { partNumber: 2, sizeBytes: 3, etag: 'e2' });
    const { complete } = completing(Infinity, atStore([{ parts, isTruncated: false }]));
    const details = [{ path: '/parts/2', message: 'has 3 bytes instead of 4' }];
    await assert.rejects(complete(), { code: 'file_incomplete', details });
  });
});

describe('a fresh URL for an upload', () => {
  it('is valid no longer than the window of the upload', () => {
    const file = { ...PENDING, deadline: addSeconds(NOW, 10) };
    for (const [uploadUrlSeconds, seconds] of [
      [3_600, 10],
      [5, 5],
    ] as const)
      assert.equal(
        computeExpiry({ uploadUrlSeconds, now: () => NOW }, file).expiresInSeconds,
        seconds,
      );
  });
});

describe('completing an upload while another call ends it', () => {
  for (const [status, code] of [
    ['deleting', 'file_deleted'],
    ['expired', 'file_expired'],
  ] as const) {
    it(`answers ${code}, whatever the store says during it`, async () => {
      for (const said of [classifyRefusal(500, 'InternalError'), undefined]) {
        const { complete, change } = completing(Infinity, {
          head: () => {
            change({ status });
            return said ? Promise.reject(said) : Promise.resolve(undefined);
          },
        });
        await assert.rejects(complete(), { code });
      }
    });
  }
});
