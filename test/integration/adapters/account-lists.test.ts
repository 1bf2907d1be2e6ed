import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { NO_COUNTS } from '../../../domain/migrations/counts.ts';
import { MIGRATION_STATUSES, type MigrationStatus } from '../../../domain/migrations/migration.ts';
import type {
  RecommendationRecord,
  RecommendationStatus,
} from '../../../domain/recommendations/recommendation.ts';
import { addSeconds } from '../../../domain/common/time.ts';
import { insertApproved, openStored } from '../../harness/stored-approval.ts';
import { insertMove } from '../../harness/stored-recommendation.ts';
import { NOW, testDatabase } from './database.ts';

const FIRST = { limit: 50, offset: 0 };

describe('the lists of an account', () => {
  const database = testDatabase();
  let accountId: string;
  beforeEach(() => {
    accountId = randomUUID();
  });

  describe('of recommendations', () => {
    /** A recommendation with these fields, whatever a scan would store. */
    async function store(
      fields: Partial<RecommendationRecord> = {},
      owner = accountId,
    ): Promise<string> {
      const id = await insertMove(database.records, { accountId: owner });
      await database.db
        .collection<{ _id: string }>('recommendations')
        .updateOne({ _id: id }, { $set: { expiresAt: addSeconds(NOW, 600), ...fields } });
      return id;
    }
    const list = async (
      filter: { status?: RecommendationStatus; connectionId?: string } = {},
      page = FIRST,
    ) => {
      const lists = database.records.accountLists;
      const { items, total } = await lists.recommendations({ accountId, ...filter }, NOW, page);
      return { ids: items.map(({ recommendationId }) => recommendationId), total };
    };

    it('count one that has passed its time as expired, not as open', async () => {
      const passed = { expiresAt: addSeconds(NOW, -60) };
      const stored = {
        open: [await store()],
        expired: [
          await store({ expiresAt: NOW, monthlySavingsUsd: 3 }),
          await store({ status: 'expired', monthlySavingsUsd: 2 }),
        ],
        approved: [await store({ status: 'approved', ...passed })],
        superseded: [await store({ status: 'superseded', ...passed })],
      };
      for (const [status, ids] of Object.entries(stored))
        assert.deepEqual(await list({ status } as never), { ids, total: ids.length });
      assert.equal((await list()).total, 5);
    });

    it('are those of one connection where one is named', async () => {
      const connectionId = randomUUID();
      const ours = await store({ connectionId });
      const passed = await store({ connectionId, expiresAt: NOW });
      await store({ connectionId }, randomUUID());
      await store();
      assert.deepEqual((await list({ connectionId })).ids.toSorted(), [ours, passed].toSorted());
      const expired = { ids: [passed], total: 1 };
      assert.deepEqual(await list({ connectionId, status: 'expired' }), expired);
      assert.deepEqual(await list({ connectionId: randomUUID() }), { ids: [], total: 0 });
    });
  });

  describe('of migrations', () => {
    /** A migration in this state, approved so many seconds after the others. */
    async function migrate(status: MigrationStatus, seconds: number, owner = accountId) {
      const at = addSeconds(NOW, seconds);
      const { migrationId } = await insertApproved(database.records, { accountId: owner }, at);
      if (status === 'queued') return migrationId;
      await openStored(database.records, { migrationId, accountId: owner }, at);
      await database.db
        .collection<{ _id: string }>('migrations')
        .updateOne({ _id: migrationId }, { $set: { status } });
      return migrationId;
    }

    const list = async (status?: MigrationStatus, page = FIRST) => {
      const lists = database.records.accountLists;
      const { items, total } = await lists.migrations({ accountId, status }, page);
      return {
        ids: items.map(({ approved }) => approved.recommendationId),
        statuses: items.map(({ record }) => record?.status ?? 'queued'),
        total,
      };
    };

    it('have the newest approval first, of all states or of one, in pages', async () => {
      const ids: string[] = [];
      for (const [index, status] of [...MIGRATION_STATUSES, ...MIGRATION_STATUSES].entries()) {
        ids.unshift(await migrate(status, index));
        await migrate(status, 100, randomUUID());
      }
      const statuses = [...MIGRATION_STATUSES, ...MIGRATION_STATUSES].toReversed();
      const total = ids.length;
      assert.deepEqual(await list(), { ids, statuses, total });
      const second = await list(undefined, { limit: 2, offset: 2 });
      assert.deepEqual([second.ids, second.total], [ids.slice(2, 4), total]);
      for (const status of MIGRATION_STATUSES) {
        const wanted = ids.filter((_id, at) => statuses[at] === status);
        assert.deepEqual(await list(status), { ids: wanted, statuses: [status, status], total: 2 });
        const last = await list(status, { limit: 1, offset: 1 });
        assert.deepEqual([last.ids, last.total], [wanted.slice(1), 2]);
      }
    });

    it('do not count one as queued that has ended and whose workflow has not', async () => {
      const migrationId = await migrate('planning', 1);
      const end = { status: 'completed', error: null, counts: NO_COUNTS } as const;
      await database.records.migrations.end({ migrationId, round: 1 }, end, NOW);
      assert.deepEqual((await list('queued')).ids, []);
      assert.deepEqual((await list('completed')).ids, [migrationId]);
    });
  });
});
