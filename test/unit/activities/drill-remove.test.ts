import assert from 'node:assert/strict';
import type { MigrationContext } from '../../../activities/contexts.ts';
import { remove } from '../../../activities/drills/remove.ts';
import type { ListedEntry } from '../../../adapters/object-store/list-answers.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import type { Account } from '../../../domain/accounts/account.ts';
import type { DrillRecord } from '../../../domain/drills/drill.ts';
import { unreported } from '../../harness/progress.ts';
import { stubbed } from '../../harness/stubbed.ts';

const SINCE = new Date('2026-06-01T00:00:00.000Z');
const KEYS = ['drill/d/00001', 'drill/d/00002'];

describe('the removal after a drill', () => {
  async function removeAfter(
    seconds: number,
    refused: readonly string[],
    named = new Set<number>(),
  ) {
    const held = new Set(KEYS);
    let ended: Partial<DrillRecord> | undefined;
    const context = stubbed<MigrationContext>({
      now: () => new Date(SINCE.getTime() + seconds * 1_000),
      progress: unreported,
      slices: { signal: () => new AbortController().signal },
      accounts: { findAccount: async () => stubbed<Account>({}) },
      manifests: { close: async () => undefined, lines: async () => [] },
      ledger: {
        ofPage: async () => ({ named, lines: new Map(), batches: 1, isClosed: true }),
      },
      activities: { publish: async () => undefined },
      migrationUploads: { ofMigration: async () => [] },
      stores: {
        at: async () =>
          stubbed<ObjectStore>({
            async *uploads() {},
            list: async () => ({
              entries: [...held].map((key) => stubbed<ListedEntry>({ key })),
              isTruncated: false,
            }),
            delete: async (key: string) => {
              if (refused.includes(key)) throw new StoreError('access_denied');
              held.delete(key);
            },
          }),
      },
      drills: {
        end: async (_id: string, end: Partial<DrillRecord>) => {
          ended = end;
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
        strata: [],
        leftOut: { archived: 0, unpriced: 0, tooLarge: 0, withoutRoom: 0 },
        whole: { files: 2, bytes: 2, onceUsd: 0, monthlyUsd: 0 },
      }),
      size: { files: 2 },
      left: [],
      from: { provider: 'aws', bucketName: 'old', region: 'us-east-1' },
      to: { provider: 'b2', bucketName: 'new', region: 'us-west-004' },
      connectionId: null,
      startedAt: SINCE,
      copyMs: 0,
    });
    const waitMs = await remove(context, drill);
    return { waitMs, ended, held: [...held] };
  }

  it('ends once nothing is left', async () => {
    const { waitMs, ended, held } = await removeAfter(1, []);
    assert.deepEqual([waitMs, ended?.removed, ended?.status, held], [0, true, 'completed', []]);
  });

  it('is tried again for an hour, and then the end names what is left', async () => {
    const early = await removeAfter(60, KEYS.slice(1));
    assert.ok(early.waitMs > 0);
    assert.equal(early.ended, undefined);
    const { ended } = await removeAfter(3_600, KEYS.slice(1));
    assert.deepEqual(
      [ended?.removed, ended?.status, ended?.left],
      [false, 'failed', ['drill/d/00002']],
    );
    assert.match(ended?.error?.message ?? '', /drill\/d\/00002/);
  });

  it('waits for a write whose outcome no line tells', async () => {
    const early = await removeAfter(5, [], new Set([0]));
    assert.deepEqual([early.waitMs, early.ended], [25_000, undefined]);
    assert.equal((await removeAfter(31, [], new Set([0]))).ended?.removed, true);
  });
});
