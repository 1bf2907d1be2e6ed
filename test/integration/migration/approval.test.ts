import assert from 'node:assert/strict';
import { toCredentials } from '../../../dev/first-account.ts';
import { createClient } from '../../../sdk/src/index.ts';
import { refusal } from '../../contract/refusal.ts';
import {
  createMigrationCustomer,
  type MigrationCustomer,
} from '../../harness/migration-customer.ts';
import { localMigrationService } from '../../servers.ts';
import { assertRefusal, customerWith } from '../customers.ts';

const MIB = 2 ** 20;
const OBJECTS = [{ key: 'a', size: 5 * MIB }];
const TWO = [...OBJECTS, { key: 'b', size: 6 * MIB }];
const TARGET = { targetProvider: 'b2' } as const;

/** What else refuses it, and that it is given once: `acceptance/migration`, `owasp/api1`. */
describe('the approval of a move', () => {
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
  it('needs both stores, which stay until the migration has ended, each at its place of then', async () => {
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
    for (const provider of ['aws', 'b2'] as const)
      assert.equal(await codeOf(client.providers.delete(provider)), 'provider_in_use');
    await client.providers.save({ ...aws, bucketName: 'another-bucket' });
    customer.double.clearFaults();
    await requireCompleted(customer, migrationId);
    await client.providers.delete('b2');
    await client.providers.delete('aws');
    assert.equal((await client.migrations.get(migrationId)).status, 'completed');
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
