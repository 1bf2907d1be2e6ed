import assert from 'node:assert/strict';
import { PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import type { Release } from '../../../sdk/src/index.ts';
import { objectsOf, type MigrationCustomer } from '../../harness/migration-customer.ts';
import { addOwner, openTerminal, type Terminal } from '../../harness/pasted-commands.ts';
import { programPath } from '../../harness/programs.ts';
import { localMigrationService } from '../../servers.ts';
import { assertRefusal, customerWith, migrate } from '../customers.ts';

const cli = programPath('aws');
const ENOUGH = { maxTotalUsd: 1, removeAtMost: 0 };

async function check({ client }: MigrationCustomer, migrationId: string): Promise<Release> {
  await client.migrations.beginRelease(migrationId);
  return await client.migrations.waitForRelease(migrationId, { pollMs: 50 });
}

async function movedCustomer(count: number) {
  const customer = await customerWith(objectsOf(count));
  const { migration } = await migrate(customer);
  assert.equal(migration.status, 'completed');
  return { customer, migrationId: migration.migrationId };
}

/** A terminal of the owner of the source, who may call the service too. */
async function terminalOf(customer: MigrationCustomer): Promise<Terminal> {
  const { double, awsAccount, token } = customer;
  const { baseUrl } = (await localMigrationService()).service;
  const owner = addOwner(double, awsAccount);
  const more = { SRS_BASE_URL: baseUrl, SRS_DASHBOARD_TOKEN: token };
  return await openTerminal(cli ?? assert.fail('there is no AWS CLI'), double, owner, more);
}

describe('the release of a source', () => {
  it('names each object that differs at either side; a round copies them, and then the source is ready', async () => {
    const { customer, migrationId } = await movedCustomer(6);
    const { client, source, target } = customer;
    const { migrations } = client;
    await assertRefusal(migrations.release(migrationId), 404, 'release_not_found');
    await customer.write(source, 'o/0000', 'changed');
    await customer.write(source, 'o/zzz', 'new');
    const targetKey = (key: string) => `${source}/${key}`;
    await customer.remove(target, targetKey('o/0002'));
    // Of the same size.
    await customer.write(target, targetKey('o/0003'), 'x'.repeat(70_000));

    const found = await check(customer, migrationId);

    assert.equal(found.status, 'not_ready');
    assert.deepEqual(found.differences, {
      total: 4,
      items: [
        { key: 'o/0000', code: 'changed' },
        { key: 'o/0002', code: 'target_missing' },
        { key: 'o/0003', code: 'target_differs' },
        { key: 'o/zzz', code: 'new' },
      ],
    });
    assert.deepEqual([found.objects, found.howTo, found.versioned], [3, null, false]);
    const list = () => migrations.releasedObjects(migrationId)[Symbol.asyncIterator]().next();
    await assertRefusal(list(), 409, 'release_not_ready');

    await migrations.startRound(migrationId, ENOUGH);
    const round = await customer.migrated(migrationId);
    // The object of somebody else stays.
    assert.deepEqual(
      round.failures.map(({ key, code }) => [key, code]),
      [['o/0003', 'target_occupied']],
    );
    assert.equal(round.rounds[1]?.objectsCopied, 3);
    assert.equal((await migrations.release(migrationId)).status, 'not_ready');
    await customer.remove(target, targetKey('o/0003'));
    await migrations.startRound(migrationId, ENOUGH);
    await customer.migrated(migrationId);

    const ready = await check(customer, migrationId);
    assert.deepEqual([ready.status, ready.objects, ready.differences.total], ['ready', 7, 0]);
    assert.equal(
      Date.parse(ready.validUntil ?? '') - Date.parse(ready.checkedAt ?? ''),
      86_400_000,
    );
    const keys: string[] = [];
    for await (const { key, sha256 } of migrations.releasedObjects(migrationId, {
      after: 'o/0003',
    })) {
      keys.push(key);
      assert.match(sha256 ?? '', /^[0-9a-f]{64}$/);
    }
    assert.deepEqual(keys, ['o/0004', 'o/0005', 'o/zzz']);
    await migrations.startRound(migrationId, ENOUGH);
    assert.equal((await migrations.release(migrationId)).status, 'not_ready');
    await customer.migrated(migrationId);
  });

  if (cli !== undefined)
    it('is carried out by pasted commands, which leave what was written after the check', async () => {
      const { customer, migrationId } = await movedCustomer(1_050);
      const { source, client } = customer;
      const { Status } = { Status: 'Enabled' } as const;
      const s3 = customer.s3For(source);
      await s3.send(
        new PutBucketVersioningCommand({ Bucket: source, VersioningConfiguration: { Status } }),
      );
      const { howTo, objects, versioned } = await check(customer, migrationId);
      assert.deepEqual([objects, versioned, howTo?.commands.length], [1_050, true, 2]);
      await customer.write(source, 'o/0500', 'written after the check');
      const terminal = await terminalOf(customer);
      const said = await terminal.paste((howTo?.commands ?? []).join('\n'));
      assert.match(said, /stays: o\/0500 \(PreconditionFailed\)/);
      assert.match(said, /The rule is added/);
      assert.deepEqual([...(await customer.hashes(source)).keys()], ['o/0500']);
      // Again, as after an interruption.
      const again = await terminal.paste((howTo?.commands ?? []).join('\n'));
      assert.match(again, /stays: o\/0500/);
      assert.doesNotMatch(again, /NoSuchKey/);
      await customer.scan();
      const { realised } = await client.migrations.get(migrationId);
      assert.equal(realised?.state, 'copied_not_yet_saved');
    });
});
