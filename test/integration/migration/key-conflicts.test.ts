import assert from 'node:assert/strict';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { toCredentials } from '../../../dev/first-account.ts';
import { localServers } from '../../servers.ts';
import { customerWith, migrate, sharedMigrationDatabase } from '../customers.ts';

const objectsOf = (...keys: string[]) => keys.map((key) => ({ key, size: 70_000 }));

describe('a key below another one, at a target that holds only one of them', () => {
  const database = sharedMigrationDatabase();

  it('is left behind by a target on files, with the reason', async () => {
    const { environment } = (await localServers()).stack;
    const store = toCredentials('r2', environment);
    const { accessKeyId, secretAccessKey, bucketName: Bucket } = store;
    const s3 = new S3Client({
      endpoint: environment['PROVIDER_ENDPOINT_R2'] ?? '',
      region: store.region,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle: true,
    });
    const customer = await customerWith(
      objectsOf('p/1', 'p/1-a', 'p/1/x', 'q/1/x', 'r/1', 's/2', 's/2-a/x'),
    );
    const { client, source } = customer;
    await client.providers.save(store);
    // What another one has written there is in the way too.
    for (const key of ['q/1', 'r/1/x'])
      await s3.send(new PutObjectCommand({ Bucket, Key: `${source}/${key}`, Body: 'of another' }));
    const { migration } = await migrate(customer, { target: 'r2' });
    assert.equal(migration.status, 'completed_with_failures', JSON.stringify(migration));
    assert.deepEqual(
      migration.failures.map(({ key, code }) => [key, code]),
      [
        ['p/1/x', 'key_conflict'],
        ['q/1/x', 'key_conflict'],
        ['r/1', 'key_conflict'],
      ],
    );
    assert.equal(migration.progress.objectsCopied, 4);
    await client.migrations.beginRelease(migration.migrationId);
    const release = await client.migrations.waitForRelease(migration.migrationId, { pollMs: 50 });
    assert.deepEqual(
      release.differences.items.map(({ key, code }) => [key, code]),
      migration.failures.map(({ key }) => [key, 'not_copied']),
    );
  });

  it('is said before the approval and found in planning, where the target was measured; the first is copied', async () => {
    const customer = await customerWith([
      ...objectsOf('p/1', 'p/1-a', 'p/1/x', 'p/1/x/y', 'q/1/x', 'z'),
      { key: 'q/1', size: 70_000, storageClass: 'GLACIER' },
    ]);
    await database.db
      .collection<{ _id: string }>('accounts')
      .updateOne(
        { _id: customer.accountId },
        { $set: { 'providers.b2.capabilities.keyAndFolder': false } },
      );
    const { recommendation, migration } = await migrate(customer);
    const message =
      '3 objects below the key of another one would stay behind in a move to Backblaze B2 (b2), which cannot hold both, as p/1 and p/1/x; the figures include them.';
    const blocker = { code: 'key_conflict', message, objects: 3 };
    assert.deepEqual(
      recommendation.blockers.filter(({ code }) => code === 'key_conflict'),
      [blocker],
    );
    for (const { provider, blockers } of recommendation.options)
      assert.equal(
        blockers.some(({ code }) => code === 'key_conflict'),
        provider === 'b2',
      );
    const failures = (of: typeof migration) =>
      of.failures.map(({ key, code, attempts }) => [key, code, attempts]);
    assert.deepEqual(failures(migration), [
      ['p/1/x', 'key_conflict', 0],
      ['p/1/x/y', 'key_conflict', 0],
      ['q/1', 'needs_restore', 0],
    ]);

    // What is there stays, and goes on being copied; what came between is found again.
    customer.put([
      ...objectsOf('q/1'),
      { key: 'p/1/x/y', size: 80_000 },
      { key: 'p/1-a', size: 80_000 },
    ]);
    await customer.client.migrations.startRound(migration.migrationId, { maxTotalUsd: 1 });
    const round = await customer.migrated(migration.migrationId);
    assert.deepEqual(failures(round), [
      ['p/1/x', 'key_conflict', 0],
      ['p/1/x/y', 'key_conflict', 0],
    ]);
    assert.equal(round.rounds[1]?.objectsCopied, 2);
  });
});
