import assert from 'node:assert/strict';
import type { MigrationContext } from '../../../activities/contexts.ts';
import { remove } from '../../../activities/drills/remove.ts';
import type { ListedEntry } from '../../../adapters/object-store/list-answers.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import type { Account } from '../../../domain/accounts/account.ts';
import { NO_USE, type DrillRecord } from '../../../domain/drills/drill.ts';
import type { ManifestPage, ManifestPageEntry } from '../../../domain/migrations/manifest.ts';
import { unreported } from '../../harness/progress.ts';
import { stubbed } from '../../harness/stubbed.ts';

const SINCE = new Date('2026-06-01T00:00:00.000Z');
const KEYS = ['drill/d/00001', 'drill/d/00002'];

/** How far a removal comes whose target refuses to delete some keys. */
interface Case {
  readonly refused?: readonly string[];
  /** Places that were named for a write; no line tells what came of it. */
  readonly named?: ReadonlySet<number>;
  readonly mayList?: boolean;
  /** The target keeps versions of the keys that were deleted. */
  readonly keepsVersions?: boolean;
  readonly known?: readonly string[];
}

describe('the removal after a drill', () => {
  async function removeAfter(seconds: number, given: Case = {}) {
    const { refused = [], named = new Set(), mayList = true, known = [] } = given;
    const held = new Set(KEYS);
    const versions = new Map<string, string>();
    let ended: Partial<DrillRecord> | undefined;
    let saved: readonly string[] | undefined;
    const context = stubbed<MigrationContext>({
      now: () => new Date(SINCE.getTime() + seconds * 1_000),
      progress: unreported,
      slices: { signal: () => new AbortController().signal },
      accounts: { findAccount: async () => stubbed<Account>({}) },
      manifests: {
        close: async () => undefined,
        lines: async () => [],
        findPage: async () =>
          stubbed<ManifestPage>({
            entries: KEYS.map((key) => stubbed<ManifestPageEntry>({ key: key.slice(8) })),
          }),
      },
      ledger: {
        ofPage: async () => ({ named, lines: new Map(), batches: 1, isClosed: true }),
      },
      activities: { publish: async () => undefined },
      migrationUploads: { ofMigration: async () => [] },
      stores: {
        at: async () =>
          stubbed<ObjectStore>({
            async *uploads() {},
            list: async () => {
              if (!mayList) throw new StoreError('access_denied');
              const entries = [...held].map((key) => stubbed<ListedEntry>({ key }));
              return { entries, isTruncated: false };
            },
            versions: async () => ({
              entries: [...versions].map(([versionId, key]) => ({ key, versionId })),
              isTruncated: false,
            }),
            delete: async (key: string, { versionId } = {}) => {
              if (refused.includes(versionId ?? key)) throw new StoreError('access_denied');
              if (given.keepsVersions && !versionId) versions.set(`v-${key}`, key);
              if (versionId) versions.delete(versionId);
              else held.delete(key);
            },
          }),
      },
      drills: {
        end: async (_id: string, end: Partial<DrillRecord>) => {
          ended = end;
        },
        saveLeft: async (_id: string, left: readonly string[]) => {
          saved = left;
        },
      },
    });
    const drill = stubbed<DrillRecord>({
      drillId: 'd',
      status: 'removing',
      removingSince: SINCE,
      stopping: null,
      sampled: stubbed({
        pages: 1,
        files: 2,
        bytes: 2,
        bytesUsd: { read: 0, readBack: 0, kept: 0 },
        strata: [],
        leftOut: { archived: 0, unpriced: 0, tooLarge: 0, withoutRoom: 0 },
        whole: { files: 2, bytes: 2, onceUsd: 0, monthlyUsd: 0 },
      }),
      size: { files: 2 },
      left: known,
      used: NO_USE,
      from: { provider: 'aws', bucketName: 'old', region: 'us-east-1' },
      to: { provider: 'b2', bucketName: 'new', region: 'us-west-004' },
      connectionId: null,
      startedAt: SINCE,
      copyMs: 0,
    });
    const waitMs = await remove(context, drill, NO_USE);
    return { waitMs, ended, saved, held: [...held], versions: [...versions.keys()] };
  }

  it('ends once nothing is left', async () => {
    const { waitMs, ended, held } = await removeAfter(1);
    assert.deepEqual([waitMs, ended?.removed, ended?.status, held], [0, true, 'completed', []]);
  });

  it('is tried again for an hour, and then the end names what is left', async () => {
    const refused = KEYS.slice(1);
    const early = await removeAfter(60, { refused });
    assert.ok(early.waitMs > 0);
    assert.deepEqual([early.ended, early.saved], [undefined, refused]);
    const { ended } = await removeAfter(3_600, { refused });
    assert.deepEqual([ended?.removed, ended?.status, ended?.left], [false, 'failed', refused]);
    assert.match(ended?.error?.message ?? '', /drill\/d\/00002/);
  });

  it('names what is known to be left where nothing can be listed', async () => {
    const nothing = await removeAfter(3_600, { mayList: false });
    assert.deepEqual(nothing.ended?.left, []);
    const named = new Set([1]);
    const written = await removeAfter(3_600, { mayList: false, named });
    assert.deepEqual(written.ended?.left, KEYS.slice(1));
    const known = KEYS.slice(0, 1);
    const earlier = await removeAfter(3_600, { mayList: false, named, known });
    assert.deepEqual(earlier.ended?.left, known);
  });

  it('deletes old versions and delete markers too', async () => {
    const { ended, versions } = await removeAfter(1, { keepsVersions: true });
    assert.deepEqual([ended?.removed, versions], [true, []]);
    const refused = ['v-drill/d/00002'];
    const kept = await removeAfter(3_600, { keepsVersions: true, refused });
    assert.deepEqual([kept.ended?.removed, kept.ended?.left], [false, KEYS.slice(1)]);
  });

  it('waits for a write whose outcome no line tells', async () => {
    const named = new Set([0]);
    const early = await removeAfter(5, { named });
    assert.deepEqual([early.waitMs, early.ended], [25_000, undefined]);
    assert.equal((await removeAfter(31, { named })).ended?.removed, true);
  });
});
