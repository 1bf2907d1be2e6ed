import assert from 'node:assert/strict';
import { toCredentials } from '../../../dev/first-account.ts';
import { createAccessKey } from '../../../dev/parts/cloud-account.ts';
import { createClient } from '../../../sdk/src/index.ts';
import { refusal } from '../../contract/refusal.ts';
import { eventually } from '../../harness/customer.ts';
import {
  assertIdentical,
  createMigrationCustomer,
  objectsOf,
  type MigrationCustomer,
} from '../../harness/migration-customer.ts';
import { openToxiproxy } from '../../harness/toxiproxy.ts';
import { localMigrationService } from '../../servers.ts';
import {
  assertRefusal,
  customerWith,
  migrate,
  sharedMigrationDatabase,
  sharedRecords,
  sweepPlaces,
} from '../customers.ts';

const MIB = 2 ** 20;
const OBJECTS = [{ key: 'a', size: 5 * MIB }];
const TWO = [...OBJECTS, { key: 'b', size: 6 * MIB }];
const TARGET = { targetProvider: 'b2' } as const;

/** What else refuses it, and that it is given once: `acceptance/migration`, `owasp/api1`. */
describe('the approval of a move', () => {
  const records = sharedRecords(localMigrationService);
  const database = sharedMigrationDatabase();
  const codeOf = async (call: Promise<unknown>) => (await refusal(call)).code;
  const requireCompleted = async (customer: MigrationCustomer, migrationId: string) =>
    assert.equal((await customer.migrated(migrationId)).status, 'completed');

  // spec: migration.explicit-approval
  it('is bound to one target, also of two at once, and that is not the source', async () => {
    const customer = await customerWith(OBJECTS);
    const { stack } = await localMigrationService();
    await customer.client.providers.save(toCredentials('r2', stack.environment));
    const { recommendationId } = await customer.recommend();
    const approve = (targetProvider: 'aws' | 'r2' | 'b2') =>
      customer.client.migrations.approve(recommendationId, { targetProvider });
    assert.equal(await codeOf(approve('aws')), 'invalid_request');
    const answers = await Promise.allSettled([approve('r2'), approve('b2')]);
    const [approved, ...more] = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? [answer.value] : [],
    );
    assert.ok(approved && more.length === 0);
    const other = approved.targetProvider === 'b2' ? 'r2' : 'b2';
    assert.equal(await codeOf(approve(other)), 'recommendation_not_open');
    await requireCompleted(customer, approved.migrationId);
  });

  it('is refused for a clean-up, which the service cannot carry out', async () => {
    const customer = await customerWith();
    const upload = { key: 'never', initiated: '2026-10-01T00:00:00Z', partSizes: [5 * MIB] };
    customer.double.seed({ bucket: customer.source, uploads: [upload] });
    const { recommendations } = await customer.scan();
    const [cleanUp = assert.fail(), ...others] = recommendations;
    assert.deepEqual([cleanUp.kind, others], ['abort_multipart_uploads', []]);
    const refused = customer.client.migrations.approve(cleanUp.recommendationId, TARGET);
    await assertRefusal(refused, 409, 'recommendation_not_approvable');
  });

  // spec: scanner-sequence.copies
  it('needs both stores, which are not removed until the migration has ended', async () => {
    const customer = await customerWith(OBJECTS);
    const { client, keys, source } = customer;
    const place = { bucketName: source, region: 'us-east-1' };
    const aws = { provider: 'aws', ...keys.source, ...place } as const;
    const { recommendationId } = await customer.recommend();
    const approve = () => client.migrations.approve(recommendationId, TARGET);
    await client.providers.delete('aws');
    assert.equal(await codeOf(approve()), 'provider_not_configured');
    await client.providers.save(aws);
    const latency = { effect: 'latency', operation: 'GetObject', latencyMs: 800 } as const;
    customer.double.addFault({ ...latency, bucket: source });
    const { migrationId } = await approve();
    for (const change of [
      () => client.providers.delete('aws'),
      () => client.providers.delete('b2'),
    ])
      assert.equal(await codeOf(change()), 'provider_in_use');
    customer.double.clearFaults();
    await requireCompleted(customer, migrationId);
    await client.providers.delete('b2');
    await client.providers.delete('aws');
    assert.equal((await client.migrations.get(migrationId)).status, 'completed');
  });

  it('is for the places of that time: their keys carry the migration, a round and a release, until the places are forgotten', async () => {
    const customer = await customerWith(objectsOf(6));
    const { client, accountId, source, target, keys, double } = customer;
    const { migrations, providers } = client;
    const former = async () =>
      (await providers.list()).items.flatMap(({ formerPlaces }) =>
        formerPlaces.map(({ bucketName }) => bucketName),
      );
    const { recommendationId } = await customer.recommend();
    const latency = { effect: 'latency', operation: 'GetObject', latencyMs: 800 } as const;
    double.addFault({ ...latency, bucket: source });
    const migrationId = await customer.approve(recommendationId);
    // Keys that no store knows, and buckets that are not there.
    const elsewhere = { ...createAccessKey(), bucketName: 'elsewhere' };
    const [aws, b2] = [
      { provider: 'aws', region: 'us-east-1' },
      { provider: 'b2', region: 'us-west-2' },
    ] as const;
    for (const store of [aws, b2]) await providers.save({ ...store, ...elsewhere });
    assert.equal((await migrations.get(migrationId)).completedAt, null);
    await sweepPlaces(records, 1);
    double.clearFaults();
    const migration = await customer.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    assert.deepEqual(migration.target, {
      provider: 'b2',
      bucketName: target,
      keyPrefix: `${source}/`,
    });
    await assertIdentical(customer, migration);

    await customer.write(source, 'o/new', 'new');
    await migrations.startRound(migrationId, { maxTotalUsd: 1 });
    const round = await customer.migrated(migrationId);
    assert.deepEqual([round.status, round.rounds[1]?.objectsCopied], ['completed', 1]);
    await migrations.beginRelease(migrationId);
    const released = await migrations.waitForRelease(migrationId, { pollMs: 50 });
    assert.deepEqual([released.status, released.objects], ['ready', 7]);

    assert.deepEqual(await former(), [source, target]);
    await sweepPlaces(records, 2);
    assert.deepEqual(await former(), []);
    assert.deepEqual(await records.formerPlaces.listFormerPlaces(accountId), []);
    const calls = [
      () => migrations.startRound(migrationId, { maxTotalUsd: 1 }),
      () => migrations.beginRelease(migrationId),
    ];
    for (const ask of calls) await assertRefusal(ask(), 400, 'provider_not_configured', /again/);
    await providers.save({ ...aws, ...keys.source, bucketName: source });
    for (const ask of calls) await assertRefusal(ask(), 400, 'provider_not_configured', /b2/);
    await providers.save({ ...b2, ...keys.target, bucketName: target });
    await migrations.startRound(migrationId, { maxTotalUsd: 1 });
    await requireCompleted(customer, migrationId);
  });

  it('takes what the test of its target has measured: once another place is configured, the provider knows it no more', async () => {
    const customer = await customerWith(OBJECTS);
    const { accountId, client } = customer;
    assert.ok((await client.providers.test('b2')).ok);
    const migrationId = await customer.move();
    await requireCompleted(customer, migrationId);
    const found = await records.migrations.findMigration({ migrationId, accountId });
    const { conditionalPut, conditionalDelete, opaqueEtags } = found?.targetCapabilities ?? {};
    assert.deepEqual([conditionalPut, conditionalDelete, opaqueEtags], [true, true, false]);
  });

  it('is refused while Temporal is away, like each other call that needs it: nothing is stored, and later they succeed', async () => {
    const { stack, service } = await localMigrationService();
    const address = stack.environment['TEMPORAL_ADDRESS'] ?? '';
    const temporal = await (await openToxiproxy(stack)).open('temporal', address);
    const { url: baseUrl } = await service.addApi({ TEMPORAL_ADDRESS: temporal.host });
    const through = ({ token: dashboardToken }: MigrationCustomer) =>
      createClient({ baseUrl, dashboardToken, maxRetries: 0 });
    const [moving, moved] = [await customerWith(OBJECTS), await customerWith(OBJECTS)];
    const { recommendationId } = await moving.recommend();
    const connectionId = await moving.connect();
    const { migrationId } = (await migrate(moved)).migration;
    const [{ scanner, migrations }, { migrations: ofMoved }] = [through(moving), through(moved)];
    const calls = {
      approval: () => migrations.approve(recommendationId, TARGET),
      scan: () => scanner.start(connectionId),
      round: () => ofMoved.startRound(migrationId, { maxTotalUsd: 1 }),
      release: () => ofMoved.beginRelease(migrationId),
    };
    /** Without what is noted for webhooks and the activity log, which the worker takes from there. */
    const stored = async () => {
      const accounts = { accountId: { $in: [moving.accountId, moved.accountId] } };
      const names = ['recommendations', 'migrations', 'scans', 'releases'];
      const found = await Promise.all(names.map((name) => database.read(name, accounts)));
      const claims = await database.read('targetClaims', {});
      return [...found.flat(), ...claims].map(
        ({ _id, status, approval, turns }) => [_id, status, approval, turns] as const,
      );
    };
    const before_ = await stored();
    await temporal.poison('no server');
    try {
      for (const [name, ask] of Object.entries(calls)) {
        const { status, code } = await refusal(ask());
        assert.deepEqual([status, code], [503, 'unavailable'], name);
      }
      assert.deepEqual(await stored(), before_);
      assert.equal((await scanner.recommendation(recommendationId)).status, 'open');
      assert.deepEqual(await moving.hashes(moving.target), new Map());
    } finally {
      await temporal.heal();
    }
    await eventually('the API has Temporal again', async () => {
      const health = await (await fetch(`${baseUrl}/health`)).json();
      return (health as { status: string }).status === 'ok';
    });
    const approved = await calls.approval();
    assert.equal((await scanner.waitFor((await calls.scan()).scanId)).status, 'completed');
    await requireCompleted(moving, approved.migrationId);
    await calls.round();
    await requireCompleted(moved, migrationId);
    await calls.release();
    assert.equal((await ofMoved.waitForRelease(migrationId)).status, 'ready');
  });

  // spec: plans.entitlements
  it('is not in every plan, which is checked before the stores', async () => {
    const { stack, service } = await localMigrationService();
    const api = await service.addApi({ DEFAULT_PLAN: 'free' });
    const customer = await createMigrationCustomer(stack, api.url);
    customer.put(OBJECTS);
    const { recommendationId } = await customer.recommend();
    const approve = () => customer.client.migrations.approve(recommendationId, TARGET);
    assert.equal(await codeOf(approve()), 'plan_limit');
    await customer.client.providers.delete('aws');
    assert.equal(await codeOf(approve()), 'plan_limit');
  });

  it('is refused above the bytes that the deployment moves at once, and each list says so before', async () => {
    const customer = await customerWith(OBJECTS);
    const { recommendationId } = await customer.recommend();
    const { service } = await localMigrationService();
    const { url: baseUrl } = await service.addApi({ MIGRATION_MAX_BYTES: String(MIB) });
    const { migrations, scanner } = createClient({ baseUrl, dashboardToken: customer.token });
    const said = /5\.24 MB.*1\.05 MB/;
    const refused = migrations.approve(recommendationId, TARGET);
    await assertRefusal(refused, 409, 'migration_too_large', said);
    const one = await scanner.recommendation(recommendationId);
    const { items } = await scanner.recommendations();
    const { recommendations } = await scanner.results(one.scanId);
    for (const { blockers } of [...items, ...recommendations, one])
      assert.deepEqual([blockers.length, blockers[0]?.code], [1, 'too_large_here']);
    // Elsewhere it is as it was: the limit is the deployment's.
    const { migrationId } = await customer.client.migrations.approve(recommendationId, TARGET);
    await requireCompleted(customer, migrationId);
    assert.equal((await migrations.approve(recommendationId, TARGET)).migrationId, migrationId);
  });

  it('races with a newer scan: the first write wins, and one that comes later is refused', async () => {
    for (const isLate of [false, false, true]) {
      const customer = await customerWith(OBJECTS);
      const { recommendationId } = await customer.recommend();
      if (isLate) await customer.scan();
      const newer = isLate ? undefined : customer.scan();
      const [approved] = await Promise.allSettled([customer.approve(recommendationId), newer]);
      await newer;
      if (approved.status === 'fulfilled') await requireCompleted(customer, approved.value);
      else
        assert.equal(await codeOf(customer.approve(recommendationId)), 'recommendation_not_open');
      assert.equal(approved.status === 'fulfilled' && isLate, false);
    }
  });

  it('names a bucket and a prefix at the target, which belong to it', async () => {
    const customer = await customerWith(TWO);
    const { migrations } = customer.client;
    const { recommendationId } = await customer.recommend();
    const bucketName = customer.bucket('elsewhere', 'us-west-2');
    const place = { bucketName, keyPrefix: 'from aws/2026/' };
    const approve = (target = place) => migrations.approve(recommendationId, { ...TARGET, target });
    const missing = approve({ ...place, bucketName: `${bucketName}-missing` });
    await assertRefusal(missing, 400, 'provider_not_usable');
    const { migrationId } = await approve();
    const migration = await customer.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    assert.deepEqual(migration.target, { provider: 'b2', ...place });
    const source = await customer.hashes(customer.source);
    const copied = await customer.hashes(bucketName);
    const moved = [...source].map(([key, hash]) => [`from aws/2026/${key}`, hash] as const);
    assert.deepEqual(copied, new Map(moved));
    assert.equal((await approve()).migrationId, migrationId);
    for (const request of [TARGET, { ...TARGET, target: { ...place, keyPrefix: '' } }]) {
      const other = migrations.approve(recommendationId, request);
      assert.equal(await codeOf(other), 'recommendation_not_open');
    }
  });
});
