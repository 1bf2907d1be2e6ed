import assert from 'node:assert/strict';
import type { MigrationContext } from '../../../activities/contexts.ts';
import { sample } from '../../../activities/drills/sample.ts';
import type { ListedEntry } from '../../../adapters/object-store/list-answers.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { Account } from '../../../domain/accounts/account.ts';
import type { DrillRecord } from '../../../domain/drills/drill.ts';
import type { ManifestPage } from '../../../domain/migrations/manifest.ts';
import { MigrationStopError } from '../../../domain/migrations/stop.ts';
import { unreported } from '../../harness/progress.ts';
import { stubbed } from '../../harness/stubbed.ts';
import { priceBook } from '../price-book.ts';

const AT = new Date('2026-06-01T00:00:00.000Z');
const PAGE_KEYS = 100;

const entry = (n: number, part: Partial<ListedEntry> = {}): ListedEntry => ({
  key: `a/${String(n).padStart(4, '0')}`,
  sizeBytes: 1_000,
  etag: `etag-${n}`,
  lastModified: '2026-01-01T00:00:00.000Z',
  storageClass: 'STANDARD',
  kind: 'current',
  ...part,
});

const LISTED = [
  ...Array.from({ length: 600 }, (_each, n) => entry(n)),
  entry(600, { storageClass: 'DEEP_ARCHIVE' }),
  entry(601, { storageClass: 'UNKNOWN_CLASS' }),
  entry(602, { sizeBytes: 2 ** 50 }),
  entry(603, { lastModified: '2026-07-01T00:00:00.000Z' }),
];

/** What a drill of the bucket above stores. */
async function sampleWith(changes: Partial<DrillRecord>) {
  const pages: ManifestPage[] = [];
  let stored: Partial<DrillRecord> | undefined;
  const drill = stubbed<DrillRecord>({
    drillId: 'd',
    accountId: 'a',
    status: 'sampling',
    stopping: null,
    connectionId: 'c',
    from: { provider: 'aws', bucketName: 'old', region: 'us-east-1' },
    place: { provider: 'aws', bucketName: 'own', region: 'us-east-1' },
    to: { provider: 'b2', bucketName: 'new', region: 'us-west-004' },
    seed: 's',
    size: { files: 300 },
    sampleFiles: 300,
    maxTotalUsd: 1,
    startedAt: AT,
    ...changes,
  });
  const list: ObjectStore['list'] = async ({ after }) => {
    const behind = LISTED.filter(({ key }) => after === null || key > after);
    return { entries: behind.slice(0, PAGE_KEYS), isTruncated: behind.length > PAGE_KEYS };
  };
  const context = stubbed<MigrationContext>({
    priceBook,
    progress: unreported,
    attempt: () => 1,
    slices: { signal: () => new AbortController().signal, wait: async () => undefined },
    accounts: { findAccount: async () => stubbed<Account>({}) },
    stores: { at: async () => stubbed<ObjectStore>({ list }) },
    files: { sumActiveAt: async () => 0 },
    manifests: {
      addPage: async (_id: string, _page: number, page: ManifestPage) => {
        pages.push(page);
        return page;
      },
    },
    drills: {
      findRun: async () => drill,
      advance: async (_id: string, _from: string, _to: string, found?: Partial<DrillRecord>) => {
        stored = found;
      },
    },
  });
  await sample(context, drill);
  return { pages, sampled: stored?.sampled };
}

describe('the sampling of a drill', () => {
  it('plans numbered copies of what can be copied, and counts what cannot', async () => {
    const { pages, sampled } = await sampleWith({});
    assert.deepEqual(
      pages.map(({ entries, after, next }) => [entries.length, after, next]),
      [
        [250, null, '00250'],
        [50, null, null],
      ],
    );
    const entries = pages.flatMap((page) => page.entries);
    assert.deepEqual([entries[0]?.key, entries.at(-1)?.key], ['00001', '00300']);
    const keys = entries.map(({ sourceKey = '' }) => sourceKey);
    assert.deepEqual(keys, keys.toSorted());
    assert.ok(keys.every((key) => key < 'a/0600'));
    const { archived, unpriced, tooLarge, withoutRoom } = sampled?.leftOut ?? assert.fail();
    assert.deepEqual([archived, unpriced, tooLarge, withoutRoom], [1, 1, 1, 0]);
    assert.deepEqual([sampled?.files, sampled?.bytes], [300, 300_000]);
    assert.deepEqual([sampled?.whole.files, sampled?.whole.bytes], [600, 600_000]);
  });

  it('plans nothing where the sample costs more than is allowed', async () => {
    const refused = await sampleWith({ maxTotalUsd: 0.000001 }).catch((error: unknown) => error);
    assert.ok(refused instanceof MigrationStopError, String(refused));
    assert.equal(refused.code, 'quote_exceeded');
  });
});
