import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { BucketDecision } from '../../../domain/decision/types.ts';
import type { BucketInventory } from '../../../domain/inventory/inventory.ts';
import { NOTHING_YET } from '../../../domain/scans/scan.ts';
import { NO_CHANGES } from '../../../domain/scans/changes.ts';
import { addSeconds } from '../../../domain/common/time.ts';
import { insertMove } from '../../harness/stored-recommendation.ts';
import { DECEMBER, fileOf, freshId, NOVEMBER, NOW, testDatabase, race } from './database.ts';

describe('the records of scans and of what they recommend', () => {
  const database = testDatabase();

  it('book exactly as many scans of a month as the plan allows, of twenty that come at once', async () => {
    const period = (month = NOVEMBER) => ({ accountId: freshId('account'), month });
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

  describe('scans', () => {
    const fresh = async ({ accountId = freshId('account'), startedAt = NOW } = {}) => {
      const ids = { scanId: randomUUID(), connectionId: randomUUID() };
      const scan = { ...ids, accountId, provider: 'aws', startedAt };
      await database.records.scans.insertQueued(scan);
      return scan;
    };
    const NO_REQUESTS = { list: 1, other: 0, costUsd: 0.000005 };

    it('are inserted once, and keep their first plan', async () => {
      const { scans } = database.records;
      const scan = await fresh();
      const createdAt = new Date('2020-01-02T03:04:05Z');
      const [a, b] = ['a', 'b'].map((name) => ({ name, region: 'us-east-1', createdAt }));
      assert.ok(a && b);
      await scans.saveBucketList(scan.scanId, [a, b], NO_REQUESTS);
      await scans.saveBucketList(scan.scanId, [b], NO_REQUESTS);
      await scans.insertQueued(scan);
      const found = await scans.findScan(scan);
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
      const nothing = { summary: null as never, decisionReport: null, changes: NO_CHANGES };
      const outcome = { ...end, ...nothing, revisions: [], edition: '' };
      await scans.complete(scan.scanId, outcome, NOW);
      const kept = await scans.findScan(scan);
      assert.deepEqual([kept?.status, kept?.error?.message], ['failed', 'why']);
    });

    // spec: endpoint.scanner-history
    it('are listed newest first, of one account, of the time that is asked for', async () => {
      const accountId = freshId('account');
      for (const seconds of [1, 3, 2, -100])
        await fresh({ accountId, startedAt: addSeconds(NOW, seconds) });
      const listed = await database.records.scans.listScans(accountId, NOW, 2);
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

    it('keep the decision before while the next one is written, and take a repeat once', async () => {
      const { scanBuckets } = database.records;
      const scanId = randomUUID();
      const work = await scanBuckets.open(scanId, 'a');
      const inventory = { name: 'a' } as BucketInventory;
      await scanBuckets.save(scanId, 'a', { ...work, inventory });
      const decide = async (revision: number) => {
        const decision = { name: 'a', currentMonthlyCostUsd: revision } as BucketDecision;
        await scanBuckets.decide({ scanId, revision }, [decision]);
      };
      const costAt = async (revision: number) =>
        (await scanBuckets.costs({ scanId, revision })).get('a');
      const read = async () => [await costAt(0), await costAt(1), await costAt(2)];
      for (const [revision, costs] of [
        [0, [0, undefined, undefined]],
        [1, [0, 1, undefined]],
        [2, [undefined, 1, 2]],
      ] as const)
        for (let repeat = 0; repeat < 2; repeat += 1) {
          await decide(revision);
          assert.deepEqual(await read(), costs);
        }
      await decide(1);
      assert.deepEqual(await read(), [undefined, 1, 2], 'a late one');
      for await (const found of scanBuckets.results({ scanId, revision: 2 }))
        assert.deepEqual([found.inventory, found.decision.currentMonthlyCostUsd], [inventory, 2]);
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
});

describe('overdue work', () => {
  const database = testDatabase('test');

  const read = async () => {
    const { sweeps, ...counts } = await database.records.readOverdueWork(NOW);
    const seconds = Object.fromEntries(
      sweeps.map(({ sweep, overdueSeconds }) => [sweep, overdueSeconds]),
    );
    return { ...seconds, ...counts };
  };
  const NONE = {
    uploads: 0,
    scans: 0,
    schedules: 0,
    migrations: 0,
    webhooks: 0,
    refusedDeletes: 0,
    pausedStores: 0,
    disabledWebhooks: 0,
    failedDeliveries: 0,
  };

  it('is none where nothing is stored, and where nothing is due yet', async () => {
    assert.deepEqual(await read(), NONE);
    await database.records.files.insertFile(fileOf({ nextAttemptAt: addSeconds(NOW, 1) }));
    await database.records.files.insertFile(fileOf({ status: 'active' }));
    assert.deepEqual(await read(), NONE);
  });

  it('is as old as the longest due of each sweep, beside repeated deletes and disabled webhooks', async () => {
    const { records, db } = database;
    const ago = (seconds: number) => ({ nextAttemptAt: addSeconds(NOW, -seconds) });
    for (const seconds of [30, 1_200, 600]) await records.files.insertFile(fileOf(ago(seconds)));
    await db.collection('scans').insertOne({ accountId: 'a', ...ago(90) });
    await insertMove(records, { accountId: freshId('account') });
    await db.collection('recommendations').updateOne({}, { $set: ago(7) });
    const connections = db.collection<{ _id: string }>('connections');
    await connections.insertOne({ _id: freshId('connection'), schedule: {}, ...ago(60) } as never);
    // Deletes that are repeated for over an hour, and no other file.
    const later = ago(-600);
    for (const attempts of [5, 6, 40])
      await records.files.insertFile(fileOf({ status: 'deleting', attempts, ...later }));
    await records.files.insertFile(fileOf({ attempts: 9, ...later }));
    for (const work of ['delete', 'settle'] as const)
      await records.files.insertFile(
        fileOf({
          status: work === 'delete' ? 'deleting' : 'pending',
          held: { accountId: 'a', store: 'b2', work, since: NOW },
          ...later,
        }),
      );
    const webhooks = db.collection<{ _id: string; items: object[] }>('webhooks');
    const [on, off] = [{ disabledAt: null }, { disabledAt: NOW }];
    for (const items of [[on, off, off], [on], [off]])
      await webhooks.insertOne({ _id: freshId('account'), items });
    const due = { uploads: 1_200, scans: 90, schedules: 60, migrations: 7 };
    assert.deepEqual(await read(), {
      ...NONE,
      ...due,
      refusedDeletes: 3,
      pausedStores: 1,
      disabledWebhooks: 3,
    });
  });

  it('has release checks, and former places that were not looked at', async () => {
    const { db } = database;
    const ago = (seconds: number) => ({ nextAttemptAt: addSeconds(NOW, -seconds) });
    const insert = async (name: string, document: object) =>
      await db.collection<{ _id: string }>(name).insertOne({ _id: freshId(name), ...document });
    await insert('releases', { accountId: 'a', ...ago(45) });
    await insert('formerPlaces', { items: [], ...ago(20) });
    assert.deepEqual(await read(), { ...NONE, migrations: 45, uploads: 20 });
    await insert('recommendations', { accountId: 'a', ...ago(50) });
    await insert('files', { accountId: 'a', status: 'pending', ...ago(30) });
    assert.deepEqual(await read(), { ...NONE, migrations: 50, uploads: 30 });
  });

  it('has events that are not told, deliveries that are due, and those that failed today', async () => {
    const { records, db } = database;
    const accountId = freshId('account');
    const emitted = { _id: accountId, outboxAt: addSeconds(NOW, -400) };
    const accounts = db.collection<{ _id: string }>('accounts');
    await accounts.insertOne(emitted);
    assert.deepEqual(await read(), { ...NONE, webhooks: 400 });
    for (const [eventId, status, ageSeconds] of [
      ['a', 'failed', 3_600],
      ['b', 'failed', 90_000],
      ['c', 'delivered', 3_600],
    ] as const) {
      const key = { accountId, webhookId: 'w', eventId };
      await records.deliveries.insertDelivery({ ...key, type: 'scan.completed', body: '{}' }, NOW);
      const before = (await records.deliveries.findDelivery(key)) ?? assert.fail();
      const after = { status, nextAttemptAt: null, disables: null };
      const endedAt = addSeconds(NOW, -ageSeconds);
      await records.deliveries.settle(before, { status: 500, error: null }, after, endedAt);
    }
    const key = { accountId, webhookId: 'w', eventId: 'due' };
    const dueAt = addSeconds(NOW, -500);
    await records.deliveries.insertDelivery({ ...key, type: 'scan.completed', body: '{}' }, dueAt);
    assert.deepEqual(await read(), { ...NONE, webhooks: 500, failedDeliveries: 1 });
  });
});

const FREE = 10;

describe('the attempts to connect a role', () => {
  const database = testDatabase();
  const accountId = 'acme';
  let roleArn: string;
  beforeEach(() => {
    roleArn = freshId('arn:aws:iam::111122223333:role/r');
  });

  const begin = (afterSeconds = 0) =>
    database.records.roleAttempts.begin({ accountId, roleArn }, addSeconds(NOW, afterSeconds));
  const useUp = async () => {
    for (let attempt = 0; attempt < FREE; attempt += 1) assert.equal(await begin(), true);
  };

  it('are free at first, then ever more rare, to one in 15 minutes; those between do not count', async () => {
    await useUp();
    let atSeconds = 0;
    for (const delay of [60, 120, 240, 480, 900, 900]) {
      for (const _attempt of [1, 2, 3]) assert.equal(await begin(atSeconds + delay - 1), false);
      atSeconds += delay;
      assert.equal(await begin(atSeconds), true, String(delay));
    }
  });

  it('are free also for a process whose clock is behind', async () => {
    assert.equal(await begin(1), true);
    assert.equal(await begin(0), true);
  });

  it('are counted exactly where many are made at once', async () => {
    const begun = await race(30, () => begin());
    assert.ok(begun.filter(Boolean).length <= FREE, String(begun));
    while (await begin());
    const stored = await database.db
      .collection<{ _id: string; attempts: number }>('roleAttempts')
      .findOne({ _id: `${roleArn} ${accountId}` });
    assert.equal(stored?.attempts, FREE);
  });

  it('are forgotten when the role was assumed, and a day after the last one', async () => {
    await useUp();
    await database.records.roleAttempts.clear({ accountId, roleArn });
    await useUp();
    assert.equal(await begin(60 + 86_400 - 1), true);
    assert.equal(await begin(60 + 86_400 + 118), false);
    const later = 60 + 3 * 86_400;
    for (let attempt = 0; attempt < FREE; attempt += 1) assert.equal(await begin(later), true);
    assert.equal(await begin(later), false);
  });
});
