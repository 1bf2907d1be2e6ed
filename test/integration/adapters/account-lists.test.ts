import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { NO_COUNTS } from '../../../domain/migration/counts.ts';
import { MIGRATION_STATUSES, type MigrationStatus } from '../../../domain/migration/migration.ts';
import type { RecommendationStatus } from '../../../domain/recommendation/recommendation.ts';
import { addSeconds } from '../../../domain/common/time.ts';
import { insertMove } from '../../harness/stored-recommendation.ts';
import { NOW, openTestDatabase, type TestDatabase } from './database.ts';

const FIRST = { limit: 50, offset: 0 };
const REGION = 'us-east-1';
const zero = {
  egressUsd: 0,
  sourceRequestsUsd: 0,
  retrievalUsd: 0,
  earlyDeletionUsd: 0,
  destinationRequestsUsd: 0,
  transitionUsd: 0,
  totalUsd: 1,
  totalWithExitWaiverUsd: 1,
};

describe('the lists of an account', () => {
  let database: TestDatabase;
  let accountId: string;

  before(async () => {
    database = await openTestDatabase();
  });
  after(() => database.close());
  beforeEach(() => {
    accountId = randomUUID();
  });

  /** A recommendation with these fields, whatever a scan would store. */
  async function store(
    fields: {
      status?: RecommendationStatus;
      expiresAt?: Date;
      monthlySavingsUsd?: number;
      connectionId?: string;
    } = {},
    owner = accountId,
  ): Promise<string> {
    const bucket = `b-${randomUUID()}`;
    const move = { accountId: owner, bucket, region: REGION, objects: 1, bytes: 1 };
    const id = await insertMove(database.records, move);
    const set = { expiresAt: addSeconds(NOW, 600), ...fields };
    await database.db
      .collection<{ _id: string }>('recommendations')
      .updateOne({ _id: id }, { $set: set });
    return id;
  }

  describe('of recommendations', () => {
    const list = async (
      filter: { status?: RecommendationStatus; connectionId?: string } = {},
      page = FIRST,
    ) => {
      const lists = database.records.accountLists;
      const { items, total } = await lists.recommendations({ accountId, ...filter }, NOW, page);
      return { ids: items.map(({ recommendationId }) => recommendationId), total };
    };

    it('have the largest savings first, then the order of their ids, in pages', async () => {
      const small = await store({ monthlySavingsUsd: 0.000001 });
      const equal = [await store({ monthlySavingsUsd: 5 }), await store({ monthlySavingsUsd: 5 })];
      const large = await store({ monthlySavingsUsd: 1_000 });
      await store({ monthlySavingsUsd: 1e6 }, randomUUID());
      const wanted = [large, ...equal.toSorted(), small];
      assert.deepEqual(await list(), { ids: wanted, total: 4 });
      const pages = await Promise.all(
        [0, 1, 2, 3, 4].map((offset) => list({}, { limit: 1, offset })),
      );
      assert.deepEqual(
        pages.map(({ ids }) => ids),
        [...wanted.map((id) => [id]), []],
      );
      assert.ok(pages.every(({ total }) => total === 4));
    });

    it('count one that has passed its time as expired, not as open', async () => {
      const open = await store();
      const passed = await store({ expiresAt: NOW, monthlySavingsUsd: 3 });
      const expired = await store({ status: 'expired', monthlySavingsUsd: 2 });
      const approved = await store({ status: 'approved', expiresAt: addSeconds(NOW, -60) });
      const superseded = await store({ status: 'superseded', expiresAt: addSeconds(NOW, -60) });
      assert.deepEqual(await list({ status: 'open' }), { ids: [open], total: 1 });
      assert.deepEqual(await list({ status: 'expired' }), { ids: [passed, expired], total: 2 });
      assert.deepEqual(await list({ status: 'approved' }), { ids: [approved], total: 1 });
      assert.deepEqual(await list({ status: 'superseded' }), { ids: [superseded], total: 1 });
      assert.equal((await list()).total, 5);
    });

    it('are those of one connection where one is named', async () => {
      const connectionId = randomUUID();
      const ours = await store({ connectionId });
      const passed = await store({ connectionId, expiresAt: NOW });
      await store();
      assert.deepEqual((await list({ connectionId })).ids.toSorted(), [ours, passed].toSorted());
      assert.deepEqual(await list({ connectionId, status: 'expired' }), {
        ids: [passed],
        total: 1,
      });
      assert.deepEqual(await list({ connectionId: randomUUID() }), { ids: [], total: 0 });
    });
  });

  describe('of migrations', () => {
    /** A migration in this state, approved so many seconds after the others. */
    async function migrate(
      status: MigrationStatus,
      seconds: number,
      owner = accountId,
    ): Promise<string> {
      const { recommendations, migrations } = database.records;
      const recommendationId = await store({}, owner);
      const migrationId = recommendationId;
      const approvedAt = addSeconds(NOW, seconds);
      const place = { provider: 'b2', bucketName: 'target', region: 'us-west-002' } as const;
      const key = { recommendationId, accountId: owner };
      const approval = { targetProvider: 'b2', quote: zero, approvedBy: 'p' } as const;
      assert.ok(
        await recommendations.approve(key, {
          ...approval,
          approvedAt,
          requestId: 'r',
          source: { ...place, provider: 'aws' },
          target: place,
        }),
      );
      if (status === 'queued') return migrationId;
      const run = { cloudAccountId: '111122223333', asOf: NOW, approvedAt, startedAt: approvedAt };
      await migrations.open({ migrationId, ...key, ...run });
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

    it('have the newest approval first, whatever their state, in pages', async () => {
      const ids: string[] = [];
      for (const [index, status] of MIGRATION_STATUSES.entries())
        ids.unshift(await migrate(status, index));
      await migrate('copying', 100, randomUUID());
      const whole = await list();
      assert.deepEqual(whole.ids, ids);
      assert.deepEqual(whole.statuses, MIGRATION_STATUSES.toReversed());
      const second = await list(undefined, { limit: 2, offset: 2 });
      assert.deepEqual([second.ids, second.total], [ids.slice(2, 4), ids.length]);
    });

    for (const status of MIGRATION_STATUSES)
      it(`are those that are ${status} where that is asked for`, async () => {
        const [first, second, third] = [
          await migrate(status, 1),
          await migrate(status, 3),
          await migrate(status, 2),
        ];
        await migrate(status === 'failed' ? 'queued' : 'failed', 4);
        await migrate(status, 5, randomUUID());
        const found = await list(status);
        assert.deepEqual(found.ids, [second, third, first]);
        assert.deepEqual(found.statuses, [status, status, status]);
        assert.equal(found.total, 3);
        const last = await list(status, { limit: 2, offset: 2 });
        assert.deepEqual([last.ids, last.total], [[first], 3]);
        assert.deepEqual((await list(status, { limit: 2, offset: 3 })).ids, []);
      });

    it('do not count one as queued that has ended and whose workflow has not', async () => {
      const migrationId = await migrate('planning', 1);
      const end = { status: 'completed', error: null, counts: NO_COUNTS } as const;
      await database.records.migrations.end(migrationId, end, NOW);
      assert.deepEqual((await list('queued')).ids, []);
      assert.deepEqual((await list('completed')).ids, [migrationId]);
    });
  });
});
