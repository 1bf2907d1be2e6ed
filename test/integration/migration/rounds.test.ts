import assert from 'node:assert/strict';
import type { Migration, RoundRequest } from '../../../sdk/src/index.ts';
import { objectsOf, type MigrationCustomer } from '../../harness/migration-customer.ts';
import { assertRefusal, customerWith, migrate, sharedMigrationDatabase } from '../customers.ts';

const ENOUGH = { maxTotalUsd: 1 };

async function runRound(
  customer: MigrationCustomer,
  { migrationId }: Pick<Migration, 'migrationId'>,
  request: RoundRequest = ENOUGH,
): Promise<Migration> {
  const started = await customer.client.migrations.startRound(migrationId, request);
  assert.equal(started.completedAt, null);
  return await customer.migrated(migrationId);
}

/** Each key at the target has the bytes of the source. */
async function assertSame(customer: MigrationCustomer): Promise<void> {
  const { source, target, hashes } = customer;
  const sources = await hashes(source);
  const expected = new Map([...sources].map(([key, hash]) => [`${source}/${key}`, hash]));
  assert.deepEqual(await hashes(target), expected);
}

describe('a round of a migration', () => {
  const database = sharedMigrationDatabase();
  it('copies what is new, changed and failed, and sends nothing else than listings for the rest', async () => {
    const customer = await customerWith([
      ...objectsOf(30),
      { key: 'o/changed', size: 70_000 },
      { key: 'o/refused', size: 80_000 },
    ]);
    const { migration } = await migrate(customer, {
      faults: [
        { side: 'source', operation: 'GetObject', key: 'o/refused', effect: 'access_denied' },
      ],
    });
    assert.equal(migration.status, 'completed_with_failures');
    assert.deepEqual(
      [migration.round, migration.rounds.map(({ costUsd }) => costUsd)],
      [1, [migration.quote.totalUsd]],
    );
    await customer.write(customer.source, 'o/new', 'new');
    await customer.write(customer.source, 'o/changed', 'changed');
    const scan = await customer.scan();
    const { findings } = scan.buckets.find(({ name }) => name === customer.source) ?? assert.fail();
    const left = findings.find(({ code }) => code === 'not_moved_yet');
    assert.deepEqual([left?.objects, left?.migrationId], [3, migration.migrationId]);
    assert.ok(!scan.recommendations.some(({ bucket }) => bucket === customer.source));
    const sent = customer.double.requests().length;

    const second = await runRound(customer, migration);

    const touched = customer.double
      .requests()
      .slice(sent)
      .filter(({ key }) => key?.includes('o/0'));
    assert.equal(second.status, 'completed', JSON.stringify(second));
    await assertSame(customer);
    const { number, status, ...counts } = second.rounds[1] ?? assert.fail();
    assert.deepEqual([second.round, second.rounds.length, number, status], [2, 2, 2, 'completed']);
    assert.deepEqual(
      [counts.objectsCopied, counts.objectsUnchanged, counts.objectsGone, counts.objectsFailed],
      [3, 30, 0, 0],
    );
    assert.equal(second.progress.objectsTotal, 3);
    assert.ok(counts.costUsd > 0 && counts.costUsd < migration.quote.totalUsd);
    assert.deepEqual(touched, []);
    const lines = await customer.report(second.migrationId);
    const ofChanged = lines.filter(({ key }) => key === 'o/changed');
    assert.deepEqual(
      ofChanged.map(({ round, outcome, replaced }) => [round, outcome, replaced]),
      [
        [1, 'copied', undefined],
        [2, 'copied', true],
      ],
    );
    assert.deepEqual(
      lines.filter(({ key }) => key === 'o/refused').map(({ outcome }) => outcome),
      ['failed', 'copied'],
    );
  });

  it('copies each object that failed, once its cause is gone as the advice says', async () => {
    const long = 'x'.repeat(1_020);
    const failing = {
      source_refused: { side: 'source', operation: 'GetObject', effect: 'access_denied' },
      source_incomplete: { side: 'source', operation: 'GetObject', effect: 'truncate' },
      source_unavailable: { side: 'source', operation: 'GetObject', effect: 'internal_error' },
      target_refused: { side: 'target', operation: 'PutObject', effect: 'access_denied' },
      target_unavailable: { side: 'target', operation: 'PutObject', effect: 'internal_error' },
    } as const;
    const customer = await customerWith([
      ...Object.keys(failing).map((key) => ({ key: `o/${key}`, size: 70_000 })),
      { key: 'o/needs_restore', size: 70_000, storageClass: 'GLACIER' },
      { key: 'o/target_occupied', size: 70_000 },
      { key: `o/${long}`, size: 70_000 },
      ...objectsOf(20),
    ]);
    const { source, target } = customer;
    const occupied = `${source}/o/target_occupied`;
    await customer.write(target, occupied, 'of another');
    const { migration } = await migrate(customer, {
      faults: Object.entries(failing).map(([code, fault]) =>
        Object.assign({ key: `*o/${code}` }, fault),
      ),
    });
    assert.deepEqual(
      migration.failures.map(({ code }) => code).sort(),
      [...Object.keys(failing), 'key_too_long', 'needs_restore', 'target_occupied'].sort(),
    );
    // `migrate` has cleared the faults: the stores work and permit.
    await customer.remove(target, occupied);
    await customer.remove(source, `o/${long}`);
    customer.put([
      { key: 'o/needs_restore', size: 70_000 },
      { key: 'o/shorter', size: 70_000 },
    ]);
    const round = await runRound(customer, migration);
    assert.deepEqual([round.status, round.failures], ['completed', []]);
    assert.equal(round.rounds[1]?.objectsCopied, 8);
    await assertSame(customer);
  });

  it('counts what is gone, and removes it only within the number that is allowed', async () => {
    const customer = await customerWith(objectsOf(12));
    const { source, target } = customer;
    const { migration } = await migrate(customer);
    const targetKey = (key: string) => `${source}/${key}`;
    for (const key of ['o/0000', 'o/0005', 'o/0011']) await customer.remove(source, key);
    await customer.write(target, targetKey('o/0005'), 'of another');

    const kept = await runRound(customer, migration);
    assert.deepEqual(
      [kept.status, kept.error, kept.rounds[1]?.objectsGone, kept.rounds[1]?.objectsRemoved],
      ['completed', null, 3, 0],
    );
    const tooMany = await runRound(customer, migration, { ...ENOUGH, removeAtMost: 2 });
    assert.deepEqual(
      [tooMany.status, tooMany.error?.code, tooMany.rounds[2]?.objectsRemoved],
      ['completed_with_failures', 'too_many_gone', 0],
    );
    assert.equal((await customer.hashes(target)).size, 12);

    const removed = await runRound(customer, migration, { ...ENOUGH, removeAtMost: 3 });
    assert.deepEqual(
      [
        removed.status,
        removed.error,
        removed.rounds[3]?.objectsGone,
        removed.rounds[3]?.objectsRemoved,
      ],
      ['completed', null, 3, 2],
    );
    const left = await customer.hashes(target);
    assert.deepEqual(
      ['o/0000', 'o/0005', 'o/0011'].map((key) => left.has(targetKey(key))),
      [false, true, false],
    );

    await customer.write(customer.source, 'o/0000', 'returned');
    const returned = await runRound(customer, migration, { ...ENOUGH, removeAtMost: 3 });
    assert.deepEqual([returned.status, returned.rounds[4]?.objectsCopied], ['completed', 1]);
    assert.ok((await customer.hashes(target)).has(targetKey('o/0000')));
  });

  it('copies nothing where it would cost more than is allowed, and may be asked for again', async () => {
    const customer = await customerWith([{ key: 'o/1', size: 700_000 }]);
    const { migration } = await migrate(customer);
    customer.put([{ key: 'o/2', size: 700_000 }]);
    const refused = await runRound(customer, migration, { maxTotalUsd: 0 });
    assert.deepEqual(
      [refused.status, refused.error?.code, refused.rounds[1]?.costUsd],
      ['failed', 'quote_exceeded', 0],
    );
    assert.equal((await customer.hashes(customer.target)).size, 1);
    const { migrations } = customer.client;
    const { migrationId } = migration;
    await migrations.startRound(migrationId, ENOUGH);
    await assertRefusal(migrations.startRound(migrationId, ENOUGH), 409, 'migration_running');
    assert.equal((await customer.migrated(migrationId)).status, 'completed');
    await assertSame(customer);
  });

  it('empties no target where the source is empty, gone, refuses its listing or does not end it', async () => {
    const customer = await customerWith(objectsOf(8));
    const { source, double } = customer;
    const { migration } = await migrate(customer);
    const { migrationId } = migration;
    const ALL = { ...ENOUGH, removeAtMost: 1_000_000_000 };
    const targets = await customer.hashes(customer.target);
    const endOf = async (request: RoundRequest) => {
      const { status, error, rounds } = await runRound(customer, migration, request);
      assert.equal(rounds.at(-1)?.objectsRemoved, 0);
      assert.deepEqual(await customer.hashes(customer.target), targets);
      return [status, error?.code];
    };
    const list = { side: 'source', operation: 'ListObjectsV2' } as const;
    customer.addFaults([{ ...list, effect: 'access_denied' }]);
    assert.deepEqual(await endOf(ALL), ['failed', 'provider_error']);
    double.clearFaults();

    customer.addFaults([{ ...list, effect: 'cut' }]);
    await customer.client.migrations.startRound(migrationId, ALL);
    await customer.client.migrations.cancel(migrationId);
    assert.equal((await customer.migrated(migrationId)).status, 'cancelled');
    assert.deepEqual(await customer.hashes(customer.target), targets);
    double.clearFaults();

    for (const { key } of objectsOf(8)) await customer.remove(source, key);
    assert.deepEqual(await endOf({ ...ENOUGH, removeAtMost: 7 }), [
      'completed_with_failures',
      'too_many_gone',
    ]);
    double.removeBucket(source);
    assert.deepEqual(await endOf(ALL), ['failed', 'provider_error']);
  });

  it('is started by one of many calls at once, and refused to another tenant and beyond the fiftieth', async () => {
    const customer = await customerWith([{ key: 'o/1', size: 700_000 }]);
    const { migration } = await migrate(customer);
    const { migrationId } = migration;
    const { migrations } = customer.client;
    const calls = await Promise.allSettled(
      Array.from({ length: 8 }, () => migrations.startRound(migrationId, ENOUGH)),
    );
    assert.equal(calls.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal((await customer.migrated(migrationId)).round, 2);
    const other = await customerWith();
    const foreign = other.client.migrations.startRound(migrationId, ENOUGH);
    await assertRefusal(foreign, 404, 'migration_not_found');
    await assertRefusal(
      other.client.migrations.beginRelease(migrationId),
      404,
      'migration_not_found',
    );
    const { db } = database;
    const rounds = Array.from({ length: 49 }, (_unused, n) => ({ number: n + 2 }));
    await db
      .collection<{ _id: string }>('recommendations')
      .updateOne({ _id: migrationId }, { $set: { 'approval.rounds': rounds } });
    await db
      .collection<{ _id: string }>('migrations')
      .updateOne({ _id: migrationId }, { $set: { round: 50 } });
    await assertRefusal(migrations.startRound(migrationId, ENOUGH), 409, 'too_many_rounds');
  });
});
