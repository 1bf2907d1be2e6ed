import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DeleteObjectsCommand,
  GetBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
} from '@aws-sdk/client-s3';
import type { Release } from '../../../sdk/src/index.ts';
import { startCuttingProxy } from '../../harness/cutting-proxy.ts';
import { eventually } from '../../harness/customer.ts';
import { objectsOf, type MigrationCustomer } from '../../harness/migration-customer.ts';
import { addOwner } from '../../harness/pasted-commands.ts';
import { programPath } from '../../harness/programs.ts';
import { releaseTerminals } from '../../harness/release-terminal.ts';
import { localMigrationService } from '../../servers.ts';
import { assertRefusal, customerWith, migrate } from '../customers.ts';

const ENOUGH = { maxTotalUsd: 1, removeAtMost: 0 };

async function check({ client }: MigrationCustomer, migrationId: string): Promise<Release> {
  await client.migrations.beginRelease(migrationId);
  return await client.migrations.waitForRelease(migrationId, { pollMs: 50 });
}

type Objects = Parameters<typeof customerWith>[0];

async function movedCustomer(objects: Objects) {
  const customer = await customerWith(objects);
  const { migration } = await migrate(customer);
  assert.equal(migration.status, 'completed');
  return { customer, migrationId: migration.migrationId };
}

async function keepVersions({ s3For, source }: MigrationCustomer): Promise<void> {
  const VersioningConfiguration = { Status: 'Enabled' } as const;
  await s3For(source).send(
    new PutBucketVersioningCommand({ Bucket: source, VersioningConfiguration }),
  );
}

describe('the release of a source', () => {
  it('names each object that differs at either side; a round copies them, and then the source is ready', async () => {
    const { customer, migrationId } = await movedCustomer(objectsOf(6));
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
});

const withCli = programPath('aws') === undefined ? describe.skip : describe;

withCli('the commands of a release', () => {
  const terminals = releaseTerminals();

  /** A ready release, with a terminal of the source's owner; the decoy has the same bucket and objects. */
  async function released(
    objects: Objects,
    before?: (customer: MigrationCustomer) => Promise<void>,
  ) {
    const { customer, migrationId } = await movedCustomer(objects);
    await before?.(customer);
    const release = await check(customer, migrationId);
    assert.equal(release.status, 'ready', JSON.stringify(release.differences));
    const { double, awsAccount, token, source } = customer;
    const { baseUrl } = (await localMigrationService()).service;
    const owner = { ...addOwner(double, awsAccount), baseUrl, token };
    const { decoy } = terminals;
    decoy.putUser(owner);
    decoy.putBucket({ name: source });
    decoy.seed({ bucket: source, objects: objects ?? [] });
    return {
      customer,
      migrationId,
      release,
      owner,
      source,
      double,
      commands: release.howTo?.commands ?? [],
      summary: release.howTo?.summary ?? '',
      keys: async () => [...(await customer.hashes(source)).keys()],
      open: async (more?: Record<string, string>) => await terminals.open(owner, more),
    };
  }

  it('delete what was proven and leave what was written after the check, at the store of the source', async () => {
    const { customer, source, release, summary, commands, ...given } = await released(
      objectsOf(1_050),
      keepVersions,
    );
    assert.deepEqual([release.objects, release.versioned, commands.length], [1_050, true, 1]);
    assert.match(summary, /from source\S* at AWS S3, each only if .* s3:ListBucket/);
    await customer.write(source, 'o/0500', 'written after the check');
    const terminal = await given.open();
    const said = await terminal.paste(commands);
    assert.match(said, /^stays: "o\/0500" \(changed since the check\)$/m);
    assert.match(said, /^All objects of the list are deleted, except for those named above\.$/m);
    assert.match(said, /^The rule is added\.$/m);
    assert.deepEqual(await given.keys(), ['o/0500']);
    assert.ok(!(await terminal.calls()).includes(given.owner.token));
    const deletes = () => given.double.counts().byOperation['DeleteObjects'];
    const before = deletes();
    const again = await terminal.paste(commands);
    assert.match(again, /^stays: "o\/0500"/m);
    assert.equal(deletes(), before);
    await customer.scan();
    const { realised } = await customer.client.migrations.get(given.migrationId);
    assert.equal(realised?.state, 'copied_not_yet_released');
  });

  it('leave what is written between the listing and the delete', async () => {
    const { customer, source, commands, double, ...given } = await released(objectsOf(5));
    const operation = 'DeleteObjects';
    const deletes = double.counts().byOperation[operation] ?? 0;
    double.addFault({ operation, bucket: source, effect: 'latency', latencyMs: 3_000 });
    const pasted = (await given.open()).paste(commands);
    await eventually('the delete is under way', () =>
      Promise.resolve((double.counts().byOperation[operation] ?? 0) > deletes),
    );
    await customer.write(source, 'o/0003', 'written meanwhile');
    assert.match(await pasted, /^stays: "o\/0003" \(PreconditionFailed\)$/m);
    assert.deepEqual(await given.keys(), ['o/0003']);
  });

  it('delete nothing where the first object is another one, or where none is there', async () => {
    const { customer, source, commands, ...given } = await released(objectsOf(5), keepVersions);
    const terminal = await given.open();
    await customer.write(source, 'o/0000', 'of another bucket with this name');
    await assert.rejects(terminal.paste(commands), /another bucket.*Nothing was deleted/);
    assert.equal((await given.keys()).length, 5);
    const Objects = objectsOf(5).map(({ key }) => ({ Key: key }));
    const s3 = customer.s3For(source);
    await s3.send(new DeleteObjectsCommand({ Bucket: source, Delete: { Objects } }));
    await customer.write(source, 'o/0001', 'of another bucket with this name');
    assert.match(await terminal.paste(commands), /this is another bucket/);
    assert.deepEqual(await given.keys(), ['o/0001']);
    await assert.rejects(
      s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket: source })),
      /NoSuchLifecycleConfiguration|does not exist/,
    );
  });

  it('delete keys that XML or a terminal cannot hold, and name them escaped', async () => {
    const odd = ['\u0001', '\n\r\t', '\uFFFE', '\u001B[31m', '\u2028', '\u202E', ' +%2B&<é夏🌊'];
    const keys = ['a', ...odd, '../x//y/.', '--key', 'file://etc'].map((key) => `o/${key}`);
    const { customer, source, commands, ...given } = await released(
      keys.map((key) => ({ key, size: 70_000, seed: key })),
    );
    const late = ['o/\u001B[31m', 'o/\u202E'];
    for (const key of late) await customer.write(source, key, 'written after the check');
    const said = await (await given.open()).paste(commands);
    assert.deepEqual(new Set(await given.keys()), new Set(late));
    assert.match(said, /^stays: "o\/\\u001b\[31m" \(changed since the check\)$/m);
    assert.match(said, /^stays: "o\/\\u202e"/m);
    assert.match(said, /^[\n -~]*$/);
  });

  it('resume a list whose transfer breaks off, up to ten times, and take it from a file', async () => {
    const keys = ['a', 'b\n +&', 'c'].flatMap((key) => [`${key}1`, `${key}2`, `${key}3`]);
    const { customer, commands, owner, ...given } = await released(
      keys.map((key) => ({ key, size: 70_000, seed: key })),
    );
    const always = await startCuttingProxy(owner.baseUrl, [0]);
    await assert.rejects(
      (await given.open({ SRS_BASE_URL: always.url })).paste(commands),
      /The list has 0 objects instead of 9: it is incomplete.* Nothing was deleted/,
    );
    assert.equal(always.paths.length, 10);
    await always.close();
    const proxy = await startCuttingProxy(owner.baseUrl, [700, 20, 500, Infinity]);
    assert.match(
      await (await given.open({ SRS_BASE_URL: `${proxy.url}/` })).paste(commands),
      /^All objects of the list are deleted/m,
    );
    await proxy.close();
    const afters = proxy.paths.map((path) => new URL(path, proxy.url).searchParams.get('after'));
    assert.equal(afters.length, 4);
    assert.equal(afters[0], null);
    assert.equal(afters[1], afters[2], 'an incomplete line does not count');
    for (const after of afters.slice(1)) assert.ok(keys.includes(after ?? ''), String(after));
    assert.deepEqual(await given.keys(), []);

    const file = join(await mkdtemp(join(tmpdir(), 'release-')), 'release.ndjson');
    const line = { key: 'a1', etag: '0'.repeat(32), bytes: 1, sha256: null };
    await writeFile(file, `{"migrationId":"m"}\n${JSON.stringify(line)}\n`);
    await customer.write(given.source, 'a1', 'restored');
    const terminal = await given.open({ SRS_RELEASE_FILE: file });
    await assert.rejects(terminal.paste(commands), /The list has 1 objects instead of 9/);
  });
});
