import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Connection } from '../../../domain/scan/connection.ts';
import { NOTHING_YET } from '../../../domain/scan/scan.ts';
import { addSeconds } from '../../../domain/common/time.ts';
import {
  DECEMBER,
  freshId,
  NOVEMBER,
  NOW,
  openTestDatabase,
  race,
  type TestDatabase,
} from './database.ts';

describe('the records of connections and scans', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase();
  });
  after(() => database.close());

  const connectionOf = (changes: Partial<Connection> = {}): Connection => ({
    connectionId: randomUUID(),
    accountId: freshId('account'),
    roleArn: `arn:aws:iam::111122223333:role/${randomUUID()}`,
    externalId: 'secret',
    regions: ['us-east-1'],
    bucketCount: 3,
    warnings: [],
    createdAt: NOW,
    ...changes,
  });

  describe('connections', () => {
    it('keep the first of ten accounts that want the same role', async () => {
      const { roleArn } = connectionOf();
      const kept = await race(10, () =>
        database.records.connections.save(connectionOf({ roleArn })),
      );
      assert.equal(new Set(kept.map(({ accountId }) => accountId)).size, 1);
    });

    it('keep their id and their beginning when they are saved again', async () => {
      const { connections } = database.records;
      const first = connectionOf();
      await connections.save(first);
      const changed = { externalId: 'other', regions: ['us-west-2'], bucketCount: 0 };
      const later = {
        ...first,
        ...changed,
        connectionId: randomUUID(),
        createdAt: addSeconds(NOW, 9),
      };
      assert.deepEqual(await connections.save(later), { ...first, ...changed });
    });

    it('are hidden from other accounts', async () => {
      const { connections } = database.records;
      const { connectionId, accountId, roleArn } = await connections.save(connectionOf());
      const foreign = { connectionId, accountId: freshId('account') };
      assert.equal(await connections.find(foreign), undefined);
      await connections.remove(foreign);
      assert.ok(await connections.find({ connectionId, accountId }));
      await connections.remove({ connectionId, accountId });
      assert.equal(await connections.findByRole(roleArn), undefined);
    });
  });

  describe('the scans of a month', () => {
    it('are exactly as many as the plan allows, of twenty that come at once', async () => {
      const period = { accountId: freshId('account'), month: NOVEMBER };
      const { scanQuota } = database.records;
      const booked = await race(20, () => scanQuota.book(period, randomUUID(), 7));
      assert.equal(booked.filter(Boolean).length, 7);
      assert.equal(await scanQuota.book({ ...period, month: DECEMBER }, randomUUID(), 7), true);
    });

    it('count a scan once, however often it is counted', async () => {
      const period = { accountId: freshId('account'), month: NOVEMBER };
      const { scanQuota } = database.records;
      const [one, other] = [randomUUID(), randomUUID()];
      assert.deepEqual(await race(10, () => scanQuota.book(period, one, 1)), Array(10).fill(true));
      assert.equal(await scanQuota.book(period, other, 1), false);
      assert.equal(await scanQuota.book(period, one, 1), true);
    });

    it('have no end without a limit, and no beginning with a limit of none', async () => {
      const period = { accountId: freshId('account'), month: NOVEMBER };
      assert.equal(await database.records.scanQuota.book(period, randomUUID(), null), true);
      assert.equal(await database.records.scanQuota.book(period, randomUUID(), 0), false);
    });
  });

  describe('scans', () => {
    const fresh = async (connectionId: string = randomUUID()) => {
      const scan = {
        scanId: randomUUID(),
        accountId: freshId('account'),
        connectionId,
        startedAt: NOW,
      };
      await database.records.scans.insertQueued(scan);
      return scan;
    };
    const NO_REQUESTS = { list: 1, other: 0, costUsd: 0.000005 };

    it('are inserted once, by the first of several callers', async () => {
      const { scans } = database.records;
      const scan = await fresh();
      await scans.saveBucketList(scan.scanId, [{ name: 'b', region: 'us-east-1' }], NO_REQUESTS);
      await scans.insertQueued(scan);
      assert.equal((await scans.find(scan))?.status, 'running');
      assert.equal((await scans.find(scan))?.progress.bucketsTotal, 1);
    });

    it('keep their first plan', async () => {
      const { scans } = database.records;
      const { scanId } = await fresh();
      const [a, b] = [
        { name: 'a', region: 'us-east-1' },
        { name: 'b', region: 'us-east-1' },
      ];
      await scans.saveBucketList(scanId, [a, b], NO_REQUESTS);
      await scans.saveBucketList(scanId, [b], NO_REQUESTS);
      assert.deepEqual(await scans.findBucketList(scanId), [a, b]);
      assert.deepEqual(await scans.findListedBucket(scanId, 1), b);
      assert.equal(await scans.findListedBucket(scanId, 2), undefined);
    });

    it('end once: a failed one is not completed any more', async () => {
      const { scans } = database.records;
      const scan = await fresh();
      const end = {
        progress: { bucketsTotal: 0, bucketsDone: 0, objects: 0, bytes: 0 },
        requests: NO_REQUESTS,
        error: { code: 'internal_error', message: 'why' },
      };
      await scans.fail(scan.scanId, end, NOW);
      await scans.fail(scan.scanId, { ...end, error: { code: 'x', message: 'y' } }, NOW);
      const { error: _error, ...outcome } = end;
      await scans.complete(
        scan.scanId,
        { ...outcome, summary: null as never, decisionReport: null },
        NOW,
      );
      const kept = await scans.find(scan);
      assert.deepEqual([kept?.status, kept?.error?.message], ['failed', 'why']);
    });

    it('of a connection without a workflow fail when the next one starts', async () => {
      const { scans } = database.records;
      const lost = await fresh();
      const next = await fresh(lost.connectionId);
      const elsewhere = await fresh();
      const error = { code: 'internal_error', message: 'lost' };
      await scans.failOthers(lost.connectionId, next.scanId, error, NOW);
      assert.equal((await scans.find(lost))?.status, 'failed');
      assert.equal((await scans.find(next))?.status, 'queued');
      assert.equal((await scans.find(elsewhere))?.status, 'queued');
    });

    // spec: endpoint.scanner-history
    it('are listed newest first, of one account, of the time that is asked for', async () => {
      const { scans } = database.records;
      const accountId = freshId('account');
      for (const seconds of [1, 3, 2, -100]) {
        await scans.insertQueued({
          scanId: randomUUID(),
          accountId,
          connectionId: 'c',
          startedAt: addSeconds(NOW, seconds),
        });
      }
      const listed = await scans.list(accountId, NOW, 2);
      assert.deepEqual(
        listed.map(({ startedAt }) => (startedAt.getTime() - NOW.getTime()) / 1000),
        [3, 2],
      );
    });
  });

  describe('the buckets of a scan', () => {
    it('are written by one of ten concurrent writers', async () => {
      const { scanBuckets } = database.records;
      const scanId = randomUUID();
      const work = await scanBuckets.open(scanId, 'bucket');
      assert.equal(work.revision, 0);
      const saved = await race(10, (objects) =>
        scanBuckets.save(scanId, 'bucket', { ...work, progress: { ...NOTHING_YET, objects } }),
      );
      assert.equal(saved.filter(Boolean).length, 1);
      assert.equal((await scanBuckets.open(scanId, 'bucket')).revision, 1);
    });

    it('sum up to the progress of the scan, the largest values included', async () => {
      const { scanBuckets } = database.records;
      const scanId = randomUUID();
      const huge = 5 * 2 ** 50;
      for (const name of ['a', 'b']) {
        const work = await scanBuckets.open(scanId, name);
        const progress = { objects: 2 ** 40, bytes: huge, list: 3, other: 1, costUsd: 0.25 };
        await scanBuckets.save(scanId, name, { ...work, progress });
      }
      assert.deepEqual(await scanBuckets.progress(scanId), {
        bucketsDone: 0,
        sum: { objects: 2 ** 41, bytes: 2 * huge, list: 6, other: 2, costUsd: 0.5 },
      });
      assert.deepEqual(await scanBuckets.progress(randomUUID()), {
        bucketsDone: 0,
        sum: NOTHING_YET,
      });
    });
  });
});
