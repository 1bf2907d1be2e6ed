import assert from 'node:assert/strict';
import { CopyObjectCommand, GetObjectCommand } from '@aws-sdk/client-s3';
import { eventually } from '../../harness/customer.ts';
import { assertIdentical, type MigrationCustomer } from '../../harness/migration-customer.ts';
import { customerWith } from '../customers.ts';

const MIB = 2 ** 20;

describe('objects that a migration finds at the target', () => {
  const filled = () => customerWith([{ key: 'large', size: 5 * MIB }]);
  const keyOf = (customer: MigrationCustomer, key: string) => `${customer.source}/${key}`;

  const at = (customer: MigrationCustomer, key: string) => {
    return { Bucket: customer.target, Key: keyOf(customer, key) };
  };
  const write = (customer: MigrationCustomer, key: string, body: string, metadata = {}) =>
    customer.write(customer.target, keyOf(customer, key), body, metadata);
  const read = async (customer: MigrationCustomer, key: string) =>
    await (
      await customer.s3For(customer.target).send(new GetObjectCommand(at(customer, key)))
    ).Body?.transformToString();
  async function outcomes(customer: MigrationCustomer, migrationId: string) {
    const lines = await customer.report(migrationId);
    return Object.fromEntries(
      lines.map(({ key, outcome, code, replaced }) => [key, [outcome, code, replaced]]),
    );
  }
  const COPIED = ['copied', undefined, undefined];
  const OCCUPIED = ['failed', 'target_occupied', undefined];

  it('are skipped where they are equal, and stay where they are others', async () => {
    const customer = await filled();
    customer.put([
      { key: 'equal', text: 'the same' },
      { key: 'other', text: 'new text' },
      { key: 'longer', text: 'short' },
      { key: 'claimed', text: 'of a source' },
      { key: 'missing', text: 'not there' },
    ]);
    await write(customer, 'equal', 'the same');
    await write(customer, 'other', 'old text');
    await write(customer, 'longer', 'not so short');
    await write(customer, 'unrelated', 'mine');
    // The id of a migration that is not this account's.
    const origin = { 'migration-id': 'f3b6a1de-0000-4000-8000-000000000000', 'src-etag': 'x' };
    await write(customer, 'claimed', 'by another', origin);
    const migrationId = await customer.move();
    const migration = await customer.migrated(migrationId);
    assert.equal(migration.status, 'completed_with_failures', JSON.stringify(migration));
    assert.deepEqual(await outcomes(customer, migrationId), {
      claimed: OCCUPIED,
      equal: ['skipped', undefined, undefined],
      large: COPIED,
      longer: OCCUPIED,
      missing: COPIED,
      other: OCCUPIED,
    });
    assert.equal(await read(customer, 'other'), 'old text');
    assert.equal(await read(customer, 'longer'), 'not so short');
    assert.equal(await read(customer, 'claimed'), 'by another');
    const { reason } = migration.failures.find(({ key }) => key === 'other') ?? assert.fail();
    assert.equal(reason, 'the target holds another object under its key, which stays');
    await assertIdentical(customer, migration);
  });

  it('are replaced where an earlier migration of the account wrote them, and the report says so', async () => {
    const customer = await filled();
    customer.put([
      { key: 'changed', text: 'first' },
      { key: 'grown', text: 'first' },
      { key: 'kept', text: 'kept' },
    ]);
    assert.equal((await customer.migrated(await customer.move())).status, 'completed');
    customer.put([
      { key: 'changed', text: 'other' },
      { key: 'copied', text: 'of the source' },
      { key: 'grown', text: 'second, and longer' },
      { key: 'large', size: 6 * MIB },
    ]);
    // While the source holds a migrated object, nothing is recommended.
    await customer.remove(customer.source, 'kept');
    // A copy keeps the metadata. The earlier migration has written no object under this key.
    const CopySource = `${customer.target}/${keyOf(customer, 'kept')}`;
    const copy = new CopyObjectCommand({ ...at(customer, 'copied'), CopySource });
    await customer.s3For(customer.target).send(copy);
    const { recommendations } = await customer.scan();
    const again = recommendations.find(({ bucket }) => bucket === customer.source);
    const migrationId = await customer.approve(again?.recommendationId ?? assert.fail());
    const migration = await customer.migrated(migrationId);
    const seen = await outcomes(customer, migrationId);
    const REPLACED = ['copied', undefined, true];
    const { changed, grown, large, copied } = seen;
    assert.deepEqual([changed, grown, large, copied], [REPLACED, REPLACED, REPLACED, OCCUPIED]);
    assert.equal(await read(customer, 'copied'), 'kept');
    await assertIdentical(customer, migration);
  });

  it('stay where another writer was faster than the copy, or came after it', async () => {
    const customer = await filled();
    customer.put([
      { key: 'after', text: 'of the source' },
      { key: 'parts', size: 64 * MIB + 1 },
    ]);
    const { target: bucket } = customer;
    const slow = { effect: 'latency', operation: 'UploadPart', latencyMs: 3_000 } as const;
    customer.addFaults([{ ...slow, side: 'target' }]);
    const migrationId = await customer.move();
    const Key = keyOf(customer, 'after');
    await eventually('it is copied', async () => (await customer.hashes(bucket)).has(Key));
    // Of the same size: only its ETag tells it.
    await write(customer, 'after', 'not the same!');
    await write(customer, 'parts', 'while it was copied');
    const migration = await customer.migrated(migrationId);
    customer.double.clearFaults();
    assert.deepEqual(await outcomes(customer, migrationId), {
      after: OCCUPIED,
      large: COPIED,
      parts: OCCUPIED,
    });
    assert.equal(await read(customer, 'after'), 'not the same!');
    assert.equal(await read(customer, 'parts'), 'while it was copied');
    await assertIdentical(customer, migration);
  });

  it('stay where another writer comes between the look and the write, and a write whose answer was lost is no other’s', async () => {
    const customer = await filled();
    customer.put([
      { key: 'lost', text: 'stored, and not answered' },
      { key: 'raced', text: 'of the source' },
    ]);
    customer.addFaults([
      { side: 'source', effect: 'latency', operation: 'GetObject', key: 'raced', latencyMs: 4_000 },
      {
        side: 'target',
        effect: 'cut',
        at: 'response',
        operation: 'PutObject',
        key: keyOf(customer, 'lost'),
        times: 1,
      },
    ]);
    const migrationId = await customer.move();
    const isCopied = async () =>
      (await customer.hashes(customer.target)).has(keyOf(customer, 'large'));
    await eventually('the others are copied', isCopied);
    await write(customer, 'raced', 'by another writer');
    const migration = await customer.migrated(migrationId);
    customer.double.clearFaults();
    assert.deepEqual(await outcomes(customer, migrationId), {
      large: COPIED,
      lost: COPIED,
      raced: OCCUPIED,
    });
    assert.equal(await read(customer, 'raced'), 'by another writer');
    await assertIdentical(customer, migration);
  });
});
