import assert from 'node:assert/strict';
import { PART_BYTES } from '../../domain/common/parts.ts';
import { readAllowance } from '../../domain/migrations/manifest.ts';
import { eventually, openDatabase } from '../harness/customer.ts';
import {
  assertIdentical,
  migrationOf,
  type MigrationCustomer,
  type MigrationSuite,
} from '../harness/migration-customer.ts';
import { startMigrationService } from '../servers.ts';

const PARTS = 6;
const PARTS_AT_ONCE = 4;
const SIZE = (PARTS - 1) * PART_BYTES + 1;
const OBJECTS = 100;
const OBJECT_BYTES = 70_000;

describe('what a migration reads from its source', function () {
  this.timeout(240_000);
  let suite: MigrationSuite;
  before(async () => {
    suite = { ...(await startMigrationService({})), migrating: [] };
  });
  after(() => suite?.service.stop());

  const answered = ({ double }: MigrationCustomer, operation: string, bucket: string) =>
    double
      .requests()
      .filter((request) => request.operation === operation && request.bucket === bucket)
      .filter(({ key, status }) => key?.endsWith('large') === true && status < 300).length;

  it('is at most the parts in flight more, where the worker of a large object is killed', async () => {
    const move = await migrationOf(suite, {
      objects: [{ key: 'o/large', size: SIZE }],
      faults: [{ effect: 'latency', operation: 'UploadPart', side: 'target', latencyMs: 1_500 }],
    });
    const { customer, migrationId } = move;
    await eventually('parts of it are at the target', async () => {
      const { progress } = await customer.client.migrations.get(migrationId);
      return progress.bytesCopied > 0;
    });
    const [worker = assert.fail()] = suite.service.workers;
    await worker.kill('SIGKILL');
    await suite.service.addWorker();
    const migration = await customer.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    assert.equal(answered(customer, 'CreateMultipartUpload', customer.target), 1);
    const reads = answered(customer, 'GetObject', customer.source);
    // Besides, the preflight reads a byte of the object.
    assert.ok(reads <= PARTS + PARTS_AT_ONCE + 1, `${reads} reads of ${PARTS} parts`);
    // The whole is read back once, for its SHA-256, which is that of the source.
    assert.equal(answered(customer, 'GetObject', customer.target), PARTS);
    await assertIdentical(customer, migration);
  });

  it('ends the migration once it would be more than its quote allows', async () => {
    const late = { effect: 'latency', side: 'source', latencyMs: 1_000 } as const;
    const { customer, migrationId } = await migrationOf(suite, {
      objects: OBJECTS,
      faults: [
        { ...late, operation: 'ListObjectsV2' },
        { ...late, operation: 'GetObject' },
      ],
    });
    const database = await openDatabase(suite.stack);
    const bytes = readAllowance({ bytes: OBJECTS * OBJECT_BYTES });
    await database.db
      .collection<{ _id: string; bytes: number }>('manifestReads')
      .updateOne({ _id: migrationId }, { $inc: { bytes } }, { upsert: true });
    await database.close();
    const migration = await customer.migrated(migrationId);
    assert.deepEqual([migration.status, migration.error?.code], ['failed', 'quote_exceeded']);
    assert.match(migration.error?.message ?? '', /would read more than \d+ bytes from the source/);
    await assertIdentical(customer, migration);
  });
});
