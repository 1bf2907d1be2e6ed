import assert from 'node:assert/strict';
import { toCredentials } from '../../../dev/first-account.ts';
import { localMigrationService, type IsolatedService } from '../../servers.ts';
import { eventually, openDatabase } from '../../harness/customer.ts';
import { lastMonth } from '../../harness/bill-rows.ts';
import { assertIdentical, objectsOf } from '../../harness/migration-customer.ts';
import { customerWith, migrate } from '../customers.ts';

const MIB = 2 ** 20;

type Request = ReturnType<Awaited<ReturnType<typeof customerWith>>['double']['requests']>[number];

describe('a migration', () => {
  let service: IsolatedService['service'];
  let stack: IsolatedService['stack'];

  before(async () => {
    ({ stack, service } = await localMigrationService());
  });

  async function readMetrics(): Promise<number[]> {
    const text = await (await fetch(`${service.workers[0]?.metricsUrl}/metrics`)).text();
    return [
      'migration_objects{outcome="copied"}',
      'migration_objects{outcome="failed"}',
      'migration_copied_bytes',
      'objects_listed',
    ].map((name) => {
      const line = text.split('\n').find((each) => each.startsWith(`${name} `));
      return Number(line?.slice(name.length) ?? 0);
    });
  }

  it('moves every kind of key and size byte for byte, and reports the objects it could not copy', async () => {
    const customer = await customerWith();
    const before = await readMetrics();
    const longestBytes = 1_024 - Buffer.byteLength(`${customer.source}/o/`);
    const longest = 'x'.repeat(longestBytes % 2) + 'é'.repeat(longestBytes >> 1);
    customer.put([
      { key: 'o/empty', size: 0 },
      { key: 'o/folder/', size: 0 },
      { key: 'o//b', size: 1 },
      { key: 'o/./../c', size: 70_000 },
      { key: 'o/same', size: 7 },
      { key: 'o/same/below', size: 8 },
      { key: 'o/ blanks \t+%20', size: 9 },
      { key: 'o/Case', size: 5 },
      { key: 'o/case', size: 6 },
      { key: 'o/ünï/😀 +%25&?#', size: 3 * MIB },
      { key: `o/${longest}`, size: 9 },
      { key: `o/${longest}x`, size: 9 },
      { key: 'o/held', size: 8 * MIB },
      { key: 'o/streamed', size: 8 * MIB + 1 },
      { key: 'o/parts', size: 64 * MIB + 1 },
      { key: 'o/frozen', size: 100, storageClass: 'GLACIER' },
      { key: 'o/late', size: 50, lastModified: new Date(Date.now() + 3_600_000).toISOString() },
      { key: 'o/tagged', size: 300_000, tags: [{ key: 'team', value: 'red' }] },
    ]);
    const { recommendation, migration } = await migrate(customer);
    assert.deepEqual(
      recommendation.blockers.map(({ code, objects }) => [code, objects]),
      [
        ['needs_restore', 1],
        ['key_too_long', 1],
      ],
    );
    assert.equal(migration.status, 'completed_with_failures', JSON.stringify(migration));
    assert.equal(migration.error, null);
    assert.deepEqual(
      migration.failures.map(({ key, code, attempts }) => [key, code, attempts]),
      [
        ['o/frozen', 'needs_restore', 0],
        [`o/${longest}x`, 'key_too_long', 0],
      ],
    );
    assert.deepEqual(migration.notCarried, [{ what: 'tags', objects: 1 }]);
    assert.equal(migration.progress.objectsTotal, 17, 'what came later does not enter');
    assert.equal(migration.progress.objectsCopied, 15);
    assert.equal(migration.progress.percent, 100);
    await assertIdentical(customer, migration);

    const { bytesCopied } = migration.progress;
    const grown = (await readMetrics()).map((value, at) => value - (before[at] ?? 0));
    assert.deepEqual(grown, [15, 2, bytesCopied, 18]);
  });

  it('is held to the quote at the prices that its scan has found in the bill', async () => {
    const customer = await customerWith([{ key: 'o/a', size: 60 * MIB }]);
    const { awsAccount: accountId, double } = customer;
    const line = (usageType: string, quantity: number, netUnblendedUsd: number) => ({
      month: lastMonth().month,
      linkedAccount: accountId,
      usageType,
      quantity,
      unblendedUsd: 1,
      netUnblendedUsd,
    });
    const rows = [line('TimedStorage-ByteHrs', 1, 1), line('DataTransfer-Out-Bytes', 0.05, 0.4)];
    double.putBill({ accountId, rows });
    const { recommendation, migration } = await migrate(customer);
    const quote = recommendation.options.find(({ provider }) => provider === 'b2')?.quote;
    assert.equal(quote?.egressUsd, Number(((60 / 1_024) * 0.09 * 0.4).toFixed(6)));
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
  });

  it('leaves behind an object that the target does not store at its size, and says so before', async () => {
    const customer = await customerWith([
      { key: 'o/clip.bin', size: 70_000 },
      { key: 'o/film.bin', size: 6_000_000_000_000 },
    ]);
    await customer.client.providers.save(toCredentials('r2', stack.environment));
    const { recommendation, migration } = await migrate(customer, { target: 'r2' });
    const blocker = recommendation.blockers.find(({ message }) => message.includes('(r2)'));
    assert.deepEqual([blocker?.code, blocker?.objects], ['object_too_large', 1]);
    assert.match(blocker?.message ?? '', /5,492,189,429,760 bytes.* Cloudflare R2 \(r2\);/);
    assert.equal(migration.status, 'completed_with_failures', JSON.stringify(migration));
    const reason = 'it is larger than the target stores';
    const failure = { key: 'o/film.bin', code: 'object_too_large', reason, attempts: 0 };
    assert.deepEqual(migration.failures, [failure]);
    const lines = await customer.report(migration.migrationId);
    assert.deepEqual(
      lines.map(({ outcome, code }) => code ?? outcome),
      ['copied', 'object_too_large'],
    );
  });

  it('of large objects is shared out in pages of few of them, which one listing fills', async () => {
    const customer = await customerWith([
      { key: 'o/a', size: 256 * MIB },
      { key: 'o/b', size: 1 },
      { key: 'o/c', size: 1 },
    ]);
    const { migration } = await migrate(customer);
    assert.deepEqual([migration.status, migration.progress.objectsCopied], ['completed', 3]);
    const database = await openDatabase(stack);
    const { migrationId } = migration;
    const pages = await database.read('manifestPages', { migrationId });
    await database.close();
    const keys = pages.map(({ entries }) => (entries as { key: string }[]).map(({ key }) => key));
    assert.deepEqual(keys, [['o/a'], ['o/b', 'o/c']]);
  });

  it('of nothing at all completes at once', async () => {
    const customer = await customerWith([{ key: 'a', size: 5 * MIB }]);
    // All of it was written anew since the scan.
    const lastModified = new Date(Date.now() + 60_000).toISOString();
    const meanwhile = () => customer.put([{ key: 'a', size: 5, lastModified }]);
    const { migration } = await migrate(customer, { meanwhile });
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    assert.deepEqual([migration.progress.objectsTotal, migration.progress.percent], [0, 100]);
  });

  it('ends before its first copy where it would cost over ten per cent more than the quote', async () => {
    const customer = await customerWith(objectsOf(20));
    const { migration } = await migrate(customer, { meanwhile: () => customer.put(objectsOf(23)) });
    assert.deepEqual([migration.status, migration.error?.code], ['failed', 'quote_exceeded']);
    assert.match(migration.error?.message ?? '', /23 objects instead of 20/);
    assert.deepEqual([...(await customer.hashes(customer.target)).keys()], []);
    assert.deepEqual(await customer.report(migration.migrationId), []);
    // And the stores are free again.
    await customer.client.providers.delete('b2');
  });

  // What the approval covers is copied as it is then: `faults/migration-faults`.
  it('does not copy an object that has grown beyond the approved quote, and copies the rest', async () => {
    const customer = await customerWith([...objectsOf(30), { key: 'o/grown', size: 1_000 }]);
    const { recommendationId } = await customer.recommend();
    const slow = { effect: 'latency', operation: 'ListObjectsV2', latencyMs: 2_000 } as const;
    customer.addFaults([{ ...slow, side: 'target' }]);
    const migrationId = await customer.approve(recommendationId);
    const database = await openDatabase(stack);
    await eventually('the manifest is whole', async () => {
      const [stored] = await database.read('migrations', { _id: migrationId });
      return stored?.status === 'copying';
    });
    await database.close();
    customer.put([{ key: 'o/grown', size: 50 * MIB, seed: 'replaced' }]);
    customer.double.clearFaults();
    const migration = await customer.migrated(migrationId);
    assert.equal(migration.status, 'completed_with_failures', JSON.stringify(migration));
    assert.deepEqual(
      migration.failures.map(({ key, code }) => [key, code]),
      [['o/grown', 'quote_exceeded']],
    );
    const { objectsTotal, objectsCopied, bytesTotal, bytesCopied } = migration.progress;
    assert.deepEqual([objectsTotal, objectsCopied, bytesTotal - bytesCopied], [31, 30, 1_000]);
    const lines = await customer.report(migrationId);
    assert.equal(lines.find(({ key }) => key === 'o/grown')?.bytes, 1_000);
    const isRead = ({ operation, key, status }: Request) =>
      operation === 'GetObject' && key === 'o/grown' && status < 300;
    assert.deepEqual(customer.double.requests().filter(isRead), [], 'of its new bytes');
    assert.ok(!(await customer.hashes(customer.target)).has(`${customer.source}/o/grown`));
    await assertIdentical(customer, migration);
  });

  it('goes on where the owner deletes many objects at the source meanwhile', async () => {
    const gone = objectsOf(60);
    const customer = await customerWith([{ key: 'large', size: 5 * MIB }, ...gone]);
    const slow = { effect: 'latency', operation: 'ListObjectsV2', latencyMs: 5_000 } as const;
    const { recommendationId } = await customer.recommend();
    customer.addFaults([{ ...slow, side: 'target', times: 1 }]);
    const migrationId = await customer.approve(recommendationId);
    const isListed = async () =>
      (await customer.client.migrations.get(migrationId)).status === 'copying';
    await eventually('the source is listed', isListed);
    await Promise.all(gone.map(({ key }) => customer.remove(customer.source, key)));
    const { status, progress, failures } = await customer.migrated(migrationId);
    assert.deepEqual(
      [status, progress.objectsCopied, progress.objectsFailed],
      ['completed_with_failures', 1, 60],
    );
    assert.ok(failures.every(({ code }) => code === 'source_missing'));
  });

  it('stops at once when it is cancelled: copies in flight are aborted, and nothing of them stays', async () => {
    const large = 3 * 64 * MIB;
    const customer = await customerWith([
      { key: 'a', size: large },
      { key: 'b', size: large },
    ]);
    const slow = { effect: 'latency', operation: 'UploadPart', latencyMs: 20_000 } as const;
    customer.double.addFault({ ...slow, bucket: customer.target, key: '*/?' });
    const migrationId = await customer.move();
    const sentTo = (bucket: string) =>
      customer.double
        .requests()
        .filter(({ bucket: name, key }) => name === bucket && /\/[ab]$/.test(key ?? ''))
        .map(({ operation }) => operation ?? '');
    await eventually('it sends parts', async () => sentTo(customer.target).includes('UploadPart'));
    const answered = await customer.client.migrations.cancel(migrationId);
    assert.equal(answered.status, 'cancelling');
    const began = Date.now();
    const ended = await customer.migrated(migrationId);
    assert.ok(Date.now() - began < slow.latencyMs / 2, 'no part in flight was awaited');
    const sent = sentTo(customer.target).length;
    customer.double.clearFaults();
    assert.equal(ended.status, 'cancelled', JSON.stringify(ended));
    assert.equal(ended.progress.objectsCopied, 0);
    assert.deepEqual([...(await customer.hashes(customer.target)).keys()], []);
    assert.equal(await customer.leftovers(), 0);
    for (const operation of sentTo(customer.target).slice(sent))
      assert.doesNotMatch(operation, /^(?:PutObject|UploadPart|GetObject)$/);
  });
});
