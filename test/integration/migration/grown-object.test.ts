import assert from 'node:assert/strict';
import { eventually, openDatabase } from '../../harness/customer.ts';
import { assertIdentical, type MigrationCustomer } from '../../harness/migration-customer.ts';
import { localMigrationService } from '../../servers.ts';
import { customerWith, manyObjects } from './migration-of.ts';

const OBJECTS = 30;
const SIZE = 200_000;
const MIB = 2 ** 20;

type Request = ReturnType<MigrationCustomer['double']['requests']>[number];

describe('an object that is replaced between the manifest and its copy', () => {
  /** Migrates with the given objects, and replaces some while the first page waits for the target. */
  async function replaceWhileMigrating(
    before: Parameters<MigrationCustomer['put']>[0],
    after: Parameters<MigrationCustomer['put']>[0],
  ) {
    const { stack } = await localMigrationService();
    const customer = await customerWith([...manyObjects(OBJECTS, SIZE), ...before]);
    const { recommendationId } = await customer.recommend();
    customer.double.addFault({
      effect: 'latency',
      operation: 'ListObjectsV2',
      bucket: customer.target,
      latencyMs: 2_000,
    });
    const { migrationId } = await customer.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const database = await openDatabase(stack);
    await eventually('the manifest is whole', async () => {
      const [stored] = await database.read('migrations', { _id: migrationId });
      return stored?.status === 'copying';
    });
    await database.close();
    customer.put(after.map((object) => ({ ...object, seed: 'replaced' })));
    customer.double.clearFaults();
    return { customer, migration: await customer.migrated(migrationId) };
  }

  it('is not copied where it has grown beyond the approved quote; the rest is', async () => {
    const { customer, migration } = await replaceWhileMigrating(
      [{ key: 'o/grown', size: 1_000 }],
      [{ key: 'o/grown', size: 50 * MIB }],
    );
    assert.equal(migration.status, 'completed_with_failures', JSON.stringify(migration));
    assert.deepEqual(
      migration.failures.map(({ key, code }) => [key, code]),
      [['o/grown', 'quote_exceeded']],
    );
    const { objectsTotal, objectsCopied, objectsFailed, bytesTotal, bytesCopied } =
      migration.progress;
    assert.deepEqual([objectsTotal, objectsCopied, objectsFailed], [OBJECTS + 1, OBJECTS, 1]);
    assert.deepEqual([bytesTotal, bytesCopied], [OBJECTS * SIZE + 1_000, OBJECTS * SIZE]);
    const line = (await customer.report(migration.migrationId)).find(
      ({ key }) => key === 'o/grown',
    );
    assert.deepEqual([line?.outcome, line?.code, line?.bytes], ['failed', 'quote_exceeded', 1_000]);
    const isRead = ({ operation, key, status }: Request) =>
      operation === 'GetObject' && key === 'o/grown' && status < 300;
    const read = customer.double.requests().filter(isRead);
    assert.deepEqual(read, [], 'none of its new bytes were read');
    const targets = await customer.hashes(customer.target);
    assert.equal(targets.has(`${customer.source}/o/grown`), false);
    await assertIdentical(customer, migration);
  });

  it('is copied as it is now where the approval covers it', async () => {
    const { customer, migration } = await replaceWhileMigrating(
      [
        { key: 'o/grown', size: 1_000 },
        { key: 'o/smaller', size: SIZE },
      ],
      [
        { key: 'o/grown', size: 10_000 },
        { key: 'o/smaller', size: 5 },
      ],
    );
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    const copied = new Map(
      (await customer.report(migration.migrationId)).map(({ key, bytes }) => [key, bytes]),
    );
    assert.deepEqual([copied.get('o/grown'), copied.get('o/smaller')], [10_000, 5]);
    await assertIdentical(customer, migration);
  });
});
