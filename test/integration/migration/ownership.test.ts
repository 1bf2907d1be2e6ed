import assert from 'node:assert/strict';
import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
} from '@aws-sdk/client-s3';
import { createClient } from '../../../sdk/src/index.ts';
import { eventually } from '../../harness/customer.ts';
import { objectsOf, type MigrationCustomer } from '../../harness/migration-customer.ts';
import { localMigrationService } from '../../servers.ts';
import { assertRefusal, customerWith, migrate } from '../customers.ts';

const MIB = 2 ** 20;
const ENOUGH = { maxTotalUsd: 1 };

async function read(customer: MigrationCustomer, key: string): Promise<string | undefined> {
  const at = { Bucket: customer.target, Key: `${customer.source}/${key}` };
  const { Body } = await customer.s3For(customer.target).send(new GetObjectCommand(at));
  return await Body?.transformToString();
}

async function outcomesOf(customer: MigrationCustomer, migrationId: string) {
  const lines = await customer.report(migrationId);
  return lines.map(({ key, round, outcome, code }) => [key, round, outcome, code ?? null]);
}

async function check(customer: MigrationCustomer, migrationId: string) {
  const { migrations } = customer.client;
  await migrations.beginRelease(migrationId);
  return await migrations.waitForRelease(migrationId, { pollMs: 50 });
}

async function runRound(customer: MigrationCustomer, migrationId: string, removeAtMost = 0) {
  await customer.client.migrations.startRound(migrationId, { ...ENOUGH, removeAtMost });
  return await customer.migrated(migrationId);
}

/** Ends with a migration that has copied all but `o/slow`, and was cancelled. */
async function cancelledMove(customer: MigrationCustomer): Promise<string> {
  const latency = { effect: 'latency', operation: 'GetObject', latencyMs: 60_000 } as const;
  customer.addFaults([{ ...latency, side: 'source', key: 'o/slow' }]);
  const migrationId = await customer.move();
  const isCopied = async () => (await customer.hashes(customer.target)).size === 3;
  await eventually('the others are copied', isCopied);
  await customer.client.migrations.cancel(migrationId);
  assert.equal((await customer.migrated(migrationId)).status, 'cancelled');
  customer.double.clearFaults();
  return migrationId;
}

describe('whose an object at the target is', () => {
  it('is not said by its metadata: what an application has rewritten stays, whatever it kept of them', async () => {
    const customer = await customerWith(objectsOf(4));
    const { source, target } = customer;
    const { migration } = await migrate(customer);
    const { migrationId } = migration;
    const Key = `${source}/o/0001`;
    const s3 = customer.s3For(target);
    const head = await s3.send(new HeadObjectCommand({ Bucket: target, Key }));
    await customer.write(target, Key, 'edited by the application', head.Metadata ?? {});

    const found = await check(customer, migrationId);
    assert.deepEqual(found.differences.items, [{ key: 'o/0001', code: 'target_differs' }]);
    const round = await runRound(customer, migrationId, 4);
    assert.deepEqual(
      round.failures.map(({ key, code }) => [key, code]),
      [['o/0001', 'target_occupied']],
    );
    assert.equal(await read(customer, 'o/0001'), 'edited by the application');
    // Gone at the source, it is not removed either.
    await customer.remove(source, 'o/0001');
    await runRound(customer, migrationId, 4);
    assert.equal(await read(customer, 'o/0001'), 'edited by the application');
  });

  it('is not said by marks that were planted: neither as equal, nor as copied with a SHA-256', async () => {
    const customer = await customerWith([{ key: 'large', size: 5 * MIB }]);
    const { source, target } = customer;
    // As of KMS, or of an upload in parts: the ETag does not tell the bytes.
    const objects = [
      { key: 'claimed', text: 'true bytes claimed', encryption: 'aws:kms' },
      { key: 'equal', text: 'true bytes equal', encryption: 'aws:kms' },
      { key: 'in-parts', text: 'true bytes in-parts', etag: `${'a'.repeat(32)}-1` },
      { key: 'planted', text: 'true bytes planted', encryption: 'aws:kms' },
    ];
    customer.put(objects);
    const { recommendationId } = await customer.recommend();
    for (const { key, text } of objects) {
      const at = { Bucket: source, Key: key };
      const { ETag } = await customer.s3For(source).send(new HeadObjectCommand(at));
      const marks = { 'src-etag': ETag?.replaceAll('"', '') ?? '' };
      const body = key === 'equal' ? text : text.replace('true', 'fake');
      const id = key === 'claimed' ? { 'migration-id': recommendationId } : {};
      await customer.write(target, `${source}/${key}`, body, { ...marks, ...id });
    }
    const migrationId = await customer.approve(recommendationId);
    await customer.migrated(migrationId);
    const lines = await customer.report(migrationId);
    const found = Object.fromEntries(
      lines.map(({ key, outcome, code, sha256 }) => [key, [outcome, code, sha256 !== null]]),
    );
    const OCCUPIED = ['failed', 'target_occupied', false];
    assert.deepEqual(found, {
      claimed: OCCUPIED,
      // Both were read.
      equal: ['skipped', undefined, true],
      'in-parts': OCCUPIED,
      large: ['copied', undefined, true],
      planted: OCCUPIED,
    });
    const { differences } = await check(customer, migrationId);
    assert.deepEqual(
      differences.items.map(({ key, code }) => [key, code]),
      ['claimed', 'in-parts', 'planted'].map((key) => [key, 'not_copied']),
    );
  });

  it('leaves alone the uploads of others, and aborts its own of each round', async () => {
    const customer = await customerWith([{ key: 'large', size: 5 * MIB }]);
    const { source, target } = customer;
    const s3 = customer.s3For(target);
    const foreign = { Bucket: target, Key: `${source}/large` };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(foreign));
    const { migration } = await migrate(customer);
    await s3.send(new CreateMultipartUploadCommand(foreign));
    customer.put([{ key: 'parts', size: 64 * MIB + 1 }]);
    const refused = { effect: 'access_denied', side: 'target' } as const;
    customer.addFaults([
      { ...refused, operation: 'UploadPart', key: '*/parts' },
      { ...refused, operation: 'AbortMultipartUpload', key: '*/parts', times: 3 },
    ]);
    await customer.client.migrations.startRound(migration.migrationId, ENOUGH);
    const { status } = await customer.migrated(migration.migrationId);
    assert.equal(status, 'completed_with_failures');
    customer.double.clearFaults();
    const left = await s3.send(new ListMultipartUploadsCommand({ Bucket: target }));
    const keys = (left.Uploads ?? []).map(({ Key }) => Key);
    assert.deepEqual(keys, [foreign.Key, foreign.Key]);
    assert.ok(left.Uploads?.some((upload) => upload.UploadId === UploadId));
  });

  it('is the ledger’s word over all migrations of the same bucket, and what one skipped another does not remove', async () => {
    const customer = await customerWith([...objectsOf(3), { key: 'o/slow', size: 5 * MIB }]);
    const { source, target, client } = customer;
    const first = await cancelledMove(customer);
    await customer.write(source, 'o/0002', 'changed since the first one');
    const { recommendations } = await customer.scan();
    const again = recommendations.find(({ bucket }) => bucket === source) ?? assert.fail();
    const second = await customer.approve(again.recommendationId);
    // Of one source to one place, one runs at a time.
    const running = client.migrations.startRound(first, ENOUGH);
    await assertRefusal(running, 409, 'migration_running');
    assert.equal((await customer.migrated(second)).status, 'completed');
    assert.deepEqual(await outcomesOf(customer, second), [
      ['o/0000', 1, 'skipped', null],
      ['o/0001', 1, 'skipped', null],
      ['o/0002', 1, 'copied', null],
      ['o/slow', 1, 'copied', null],
    ]);
    assert.equal(await read(customer, 'o/0002'), 'changed since the first one');
    await customer.remove(source, 'o/0000');
    const round = await runRound(customer, first, 10);
    assert.deepEqual(
      [round.rounds[1]?.objectsGone, round.rounds[1]?.objectsRemoved, round.status],
      [1, 0, 'completed'],
    );
    assert.ok((await customer.hashes(target)).has(`${source}/o/0000`));
  });

  it('is nobody’s where a copy was copied away, with all of its metadata', async () => {
    const customer = await customerWith(objectsOf(2));
    const { source, target } = customer;
    const { migration } = await migrate(customer);
    const CopySource = `${target}/${source}/o/0000`;
    const copy = { Bucket: target, Key: `${source}/o/9999`, CopySource };
    await customer.s3For(target).send(new CopyObjectCommand(copy));
    await customer.write(source, 'o/9999', 'of the source');
    const round = await runRound(customer, migration.migrationId);
    assert.deepEqual(
      round.failures.map(({ key, code }) => [key, code]),
      [['o/9999', 'target_occupied']],
    );
  });
});

describe('what a release has given up', () => {
  it('is removed by no round of any migration, and the rounds say so', async () => {
    const customer = await customerWith(objectsOf(6));
    const { source, target, client } = customer;
    const { migration } = await migrate(customer);
    const { migrationId } = migration;
    assert.equal((await check(customer, migrationId)).status, 'ready');
    // What the release said, but for one.
    for (const { key } of objectsOf(5)) await customer.remove(source, key);
    await customer.write(source, 'o/new', 'came after the release');

    const round = await runRound(customer, migrationId, 100);
    const { objectsReleased, objectsGone, objectsRemoved, objectsCopied } = round.rounds[1] ?? {};
    assert.deepEqual(
      [round.status, objectsReleased, objectsGone, objectsRemoved, objectsCopied],
      ['completed', 5, 0, 0, 1],
    );
    assert.equal((await customer.hashes(target)).size, 7);
    const outdated = await client.migrations.release(migrationId);
    assert.deepEqual(
      [outdated.status, outdated.error?.code, outdated.validUntil, outdated.howTo],
      ['not_ready', 'round_since', null, null],
    );
    const list = client.migrations.releasedObjects(migrationId)[Symbol.asyncIterator]().next();
    await assertRefusal(list, 409, 'release_not_ready', /[Cc]heck again/);

    // A new check deletes the old list, and not what was released.
    assert.equal((await check(customer, migrationId)).status, 'ready');
    await customer.remove(source, 'o/new');
    await customer.remove(source, 'o/0005');
    const last = await runRound(customer, migrationId, 100);
    assert.deepEqual([last.rounds[2]?.objectsReleased, last.rounds[2]?.objectsRemoved], [7, 0]);
    assert.equal((await customer.hashes(target)).size, 7);
  });

  it('is not what holds files of this service, by now or at the approval', async () => {
    const customer = await customerWith([...objectsOf(3), { key: 'large', size: 5 * MIB }]);
    const { client } = customer;
    // Another account, with the same bucket as its only store.
    const other = await customerWith();
    const place = { provider: 'aws', bucketName: customer.source, region: 'us-east-1' } as const;
    await other.client.providers.save({ ...place, ...customer.keys.source });
    await other.client.providers.delete('b2');
    const { baseUrl } = (await localMigrationService()).service;
    const { apiKey } = await other.client.apiKey.regenerate();
    const uploader = createClient({ baseUrl, apiKey });
    const upload = () => uploader.upload({ fileName: 'a.txt', source: Buffer.from('routed here') });
    const { recommendationId } = await customer.recommend();
    const { fileId } = await upload();
    const refused = client.migrations.approve(recommendationId, { targetProvider: 'b2' });
    await assertRefusal(refused, 409, 'recommendation_not_approvable', /files of this service/);
    // A place that another account merely names blocks nobody.
    await uploader.deleteFile(fileId);
    const migrationId = await customer.approve(recommendationId);
    assert.equal((await customer.migrated(migrationId)).status, 'completed');
    await upload();
    const { status, error, howTo } = await check(customer, migrationId);
    assert.deepEqual([status, error?.code, howTo], ['not_ready', 'routed', null]);
  });

  it('is found in a bounded number of calls, whatever lies before it at the target', async () => {
    const customer = await customerWith(objectsOf(40));
    const { source, target, double } = customer;
    const { migration } = await migrate(customer);
    const generated = { keyPattern: `${source}/a/{i:5}`, size: 1 };
    double.seed({ bucket: target, generated: [{ count: 30_000, ...generated }] });
    const sent = double.requests().length;
    const { status, objects } = await check(customer, migration.migrationId);
    assert.deepEqual([status, objects], ['ready', 40]);
    const calls = double.requests().slice(sent);
    const atTarget = calls.filter(({ bucket }) => bucket === target);
    assert.ok(atTarget.length <= 4, `${atTarget.length} calls`);
  });
});
