import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { NOTHING_YET } from '../../../domain/scan/scan.ts';
import { addSeconds } from '../../../domain/common/time.ts';
import { insertApproved } from '../../harness/stored-approval.ts';
import { DECEMBER, freshId, NOVEMBER, NOW, testDatabase, race } from './database.ts';

describe('the records of scans and of what they recommend', () => {
  const database = testDatabase();

  describe('the scans of a month', () => {
    const period = (month = NOVEMBER) => ({ accountId: freshId('account'), month });

    it('are exactly as many as the plan allows, of twenty that come at once', async () => {
      const november = period();
      const { scanQuota } = database.records;
      const booked = await race(20, () => scanQuota.book(november, randomUUID(), 7));
      assert.equal(booked.filter(Boolean).length, 7);
      assert.equal(await scanQuota.book({ ...november, month: DECEMBER }, randomUUID(), 7), true);
      assert.equal(await scanQuota.book(period(), randomUUID(), null), true);
      assert.equal(await scanQuota.book(period(), randomUUID(), 0), false);
      // One scan counts once, however often it is counted.
      const [again, one] = [period(), randomUUID()];
      assert.ok((await race(10, () => scanQuota.book(again, one, 1))).every(Boolean));
      assert.equal(await scanQuota.book(again, randomUUID(), 1), false);
    });
  });

  describe('scans', () => {
    const fresh = async ({ accountId = freshId('account'), startedAt = NOW } = {}) => {
      const ids = { scanId: randomUUID(), connectionId: randomUUID() };
      const scan = { ...ids, accountId, startedAt };
      await database.records.scans.insertQueued(scan);
      return scan;
    };
    const NO_REQUESTS = { list: 1, other: 0, costUsd: 0.000005 };

    it('are inserted once, and keep their first plan', async () => {
      const { scans } = database.records;
      const scan = await fresh();
      const [a, b] = ['a', 'b'].map((name) => ({ name, region: 'us-east-1' }));
      assert.ok(a && b);
      await scans.saveBucketList(scan.scanId, [a, b], NO_REQUESTS);
      await scans.saveBucketList(scan.scanId, [b], NO_REQUESTS);
      await scans.insertQueued(scan);
      const found = await scans.find(scan);
      assert.deepEqual([found?.status, found?.progress.bucketsTotal], ['running', 2]);
      assert.deepEqual(await scans.findBucketList(scan.scanId), [a, b]);
      assert.deepEqual(await scans.findListedBucket(scan.scanId, 1), b);
      assert.equal(await scans.findListedBucket(scan.scanId, 2), undefined);
    });

    it('end once: a failed one is not completed any more', async () => {
      const { scans } = database.records;
      const scan = await fresh();
      const progress = { bucketsTotal: 0, bucketsDone: 0, objects: 0, bytes: 0 };
      const end = { progress, requests: NO_REQUESTS };
      for (const message of ['why', 'y'])
        await scans.fail(scan.scanId, { ...end, error: { code: 'internal_error', message } }, NOW);
      const outcome = { ...end, summary: null as never, decisionReport: null };
      await scans.complete(scan.scanId, outcome, NOW);
      const kept = await scans.find(scan);
      assert.deepEqual([kept?.status, kept?.error?.message], ['failed', 'why']);
    });

    // spec: endpoint.scanner-history
    it('are listed newest first, of one account, of the time that is asked for', async () => {
      const accountId = freshId('account');
      for (const seconds of [1, 3, 2, -100])
        await fresh({ accountId, startedAt: addSeconds(NOW, seconds) });
      const listed = await database.records.scans.list(accountId, NOW, 2);
      const wanted = [addSeconds(NOW, 3), addSeconds(NOW, 2)];
      assert.deepEqual(
        listed.map(({ startedAt }) => startedAt),
        wanted,
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
      const none = { bucketsDone: 0, sum: NOTHING_YET };
      assert.deepEqual(await scanBuckets.progress(randomUUID()), none);
    });
  });

  describe('an approved recommendation', () => {
    for (const isSuperseded of [false, true])
      it(`is ${isSuperseded ? 'superseded' : 'open'} when it is withdrawn ${isSuperseded ? 'after' : 'without'} a newer scan`, async () => {
        const { recommendations } = database.records;
        const key = await insertApproved(database.records, { accountId: freshId('account') });
        const approved = (await recommendations.findApproved(key)) ?? assert.fail();
        if (isSuperseded) await recommendations.supersedeAll(approved.connectionId, new Date());
        assert.equal((await recommendations.find(key))?.status, 'approved');
        await recommendations.withdraw(approved);
        const found = await recommendations.find(key);
        assert.equal(found?.status, isSuperseded ? 'superseded' : 'open');
        assert.equal(found.approval, null);
      });
  });
});
