import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Service } from '../../../dev/service.ts';
import type { Stack } from '../../../dev/stack.ts';
import { toCredentials } from '../../../dev/first-account.ts';
import { createClient } from '../../../sdk/src/index.ts';
import { createCloudCustomer, refusal } from '../../harness/cloud-customer.ts';
import { localMigrationService } from '../../servers.ts';
import {
  createMigrationCustomer,
  assertIdentical,
  type MigrationCustomer,
} from '../../harness/migration-customer.ts';

const MIB = 2 ** 20;

describe('the approval of a move', () => {
  let stack: Stack;
  let service: Service;

  before(async () => {
    ({ stack, service } = await localMigrationService());
  });

  async function filled(): Promise<MigrationCustomer> {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    customer.put([{ key: 'a', size: 5 * MIB }]);
    return customer;
  }
  const codeOf = async (call: Promise<unknown>) => (await refusal(call)).code;

  // spec: scanner-sequence.approve
  it('given ten times at once is one approval, and one migration', async () => {
    const customer = await filled();
    const { recommendationId } = await customer.recommend();
    const approve = () =>
      customer.client.migrations.approve(recommendationId, { targetProvider: 'b2' });
    const approvals = await Promise.all(Array.from({ length: 10 }, approve));
    for (const approval of approvals) assert.deepEqual(approval, approvals[0]);
    const migrationId = approvals[0]?.migrationId ?? '';
    const migration = await customer.migrated(migrationId);
    assert.equal(migration.status, 'completed');
    assert.equal(migration.approvedBy, customer.accountId);
    await assertIdentical(customer, migration);
    assert.deepEqual(await approve(), approvals[0], 'and again after its end');
    const puts = customer.double
      .requests()
      .filter(({ bucket, operation }) => bucket === customer.target && operation === 'PutObject');
    assert.equal(puts.filter(({ key }) => key?.endsWith('/a')).length, 1, 'copied once');
  });

  // spec: migration.explicit-approval
  it('is bound to one target, and that is not the source', async () => {
    const customer = await filled();
    await customer.client.providers.save(toCredentials('r2', stack.environment));
    const { recommendationId } = await customer.recommend();
    const approve = (targetProvider: 'aws' | 'r2' | 'b2') =>
      customer.client.migrations.approve(recommendationId, { targetProvider });
    assert.equal(await codeOf(approve('aws')), 'invalid_request');
    const answers = await Promise.allSettled([approve('r2'), approve('b2')]);
    const refused = answers.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 1);
    const [approved] = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? [answer.value] : [],
    );
    assert.ok(approved);
    const other = approved.targetProvider === 'b2' ? 'r2' : 'b2';
    assert.equal(await codeOf(approve(other)), 'recommendation_not_open');
    assert.equal((await customer.migrated(approved.migrationId)).status, 'completed');
  });

  it('is not visible to other accounts, in any call', async () => {
    const customer = await filled();
    const stranger = await createCloudCustomer(stack, service.baseUrl);
    const { recommendationId } = await customer.recommend();
    const { migrations } = stranger.client;
    const target = { targetProvider: 'b2' } as const;
    assert.equal(
      await codeOf(migrations.approve(recommendationId, target)),
      'recommendation_not_found',
    );
    assert.equal(
      await codeOf(migrations.approve(randomUUID(), target)),
      'recommendation_not_found',
    );
    const migrationId = await customer.client.migrations
      .approve(recommendationId, target)
      .then((approved) => approved.migrationId);
    for (const call of [
      () => migrations.get(migrationId),
      () => migrations.cancel(migrationId),
      async () => {
        for await (const line of migrations.report(migrationId)) assert.fail(JSON.stringify(line));
      },
    ])
      assert.equal(await codeOf(call()), 'migration_not_found');
    assert.equal((await customer.migrated(migrationId)).status, 'completed');
  });

  // spec: scanner-sequence.copies
  it('needs both stores, and they stay as they are until the migration has ended', async () => {
    const customer = await filled();
    const { client, keys, source } = customer;
    const { recommendationId } = await customer.recommend();
    const approve = () => client.migrations.approve(recommendationId, { targetProvider: 'b2' });
    await client.providers.delete('aws');
    assert.equal(await codeOf(approve()), 'provider_not_configured');
    const aws = {
      provider: 'aws',
      ...keys.source,
      bucketName: source,
      region: 'us-east-1',
    } as const;
    await client.providers.save(aws);
    customer.double.addFault({
      effect: 'latency',
      operation: 'GetObject',
      bucket: source,
      latencyMs: 800,
    });
    const { migrationId } = await approve();
    for (const provider of ['aws', 'b2'] as const)
      assert.equal(await codeOf(client.providers.delete(provider)), 'provider_in_use');
    assert.equal(
      await codeOf(client.providers.save({ ...aws, bucketName: 'another-bucket' })),
      'provider_in_use',
    );
    await client.providers.save(aws);
    customer.double.clearFaults();
    assert.equal((await customer.migrated(migrationId)).status, 'completed');
    await client.providers.delete('b2');
    await client.providers.delete('aws');
    assert.equal((await client.migrations.get(migrationId)).status, 'completed');
  });

  // spec: plans.entitlements
  it('is not in every plan', async () => {
    const api = await service.addApi({ DEFAULT_PLAN: 'free' });
    const customer = await createMigrationCustomer(stack, api.url);
    customer.put([{ key: 'a', size: 5 * MIB }]);
    const { recommendationId } = await customer.recommend();
    const approve = () =>
      customer.client.migrations.approve(recommendationId, { targetProvider: 'b2' });
    assert.equal(await codeOf(approve()), 'plan_limit');
    // The plan is checked before the stores.
    await customer.client.providers.delete('aws');
    assert.equal(await codeOf(approve()), 'plan_limit');
  });

  it('is refused above the bytes that the deployment moves at once, and each list says so before', async () => {
    const customer = await filled();
    const { recommendationId } = await customer.recommend();
    const { url: baseUrl } = await service.addApi({ MIGRATION_MAX_BYTES: String(MIB) });
    const { migrations, scanner } = createClient({ baseUrl, dashboardToken: customer.token });
    const target = { targetProvider: 'b2' } as const;
    const refused = await refusal(migrations.approve(recommendationId, target));
    assert.deepEqual([refused.status, refused.code], [409, 'migration_too_large']);
    assert.match(refused.message, /5\.24 MB.*1\.05 MB/);
    const { items } = await scanner.recommendations();
    const [{ scanId } = assert.fail()] = items;
    const { recommendations } = await scanner.results(scanId);
    const one = await scanner.recommendation(recommendationId);
    for (const { blockers } of [...items, ...recommendations, one])
      assert.deepEqual(
        blockers.map(({ code }) => code),
        ['too_large_here'],
      );
    // Elsewhere it is as it was: the limit is the deployment's.
    const { migrationId } = await customer.client.migrations.approve(recommendationId, target);
    assert.equal((await customer.migrated(migrationId)).status, 'completed');
    assert.equal((await migrations.approve(recommendationId, target)).migrationId, migrationId);
  });

  it('races with a newer scan: the first write wins', async () => {
    for (let round = 0; round < 3; round += 1) {
      const customer = await filled();
      const { recommendationId } = await customer.recommend();
      const [approved, newer] = await Promise.allSettled([
        customer.client.migrations.approve(recommendationId, { targetProvider: 'b2' }),
        customer.scan(),
      ]);
      assert.equal(newer.status, 'fulfilled');
      if (approved.status === 'fulfilled') {
        const migration = await customer.migrated(approved.value.migrationId);
        assert.equal(migration.status, 'completed', JSON.stringify(migration));
      } else {
        assert.equal((approved.reason as { code?: string }).code, 'recommendation_not_open');
      }
    }
  });

  it('is refused of what a newer scan has superseded, and of what is no move', async () => {
    const customer = await filled();
    customer.double.seed({
      bucket: customer.source,
      uploads: [{ key: 'half', partSizes: [6 * MIB] }],
    });
    const { recommendations } = await customer.scan();
    const cleanUp = recommendations.find(({ kind }) => kind === 'abort_multipart_uploads');
    const older = recommendations.find(({ kind }) => kind === 'move');
    assert.ok(cleanUp && older);
    const { approve } = customer.client.migrations;
    const target = { targetProvider: 'b2' } as const;
    assert.equal(
      await codeOf(approve(cleanUp.recommendationId, target)),
      'recommendation_not_approvable',
    );
    await customer.scan();
    assert.equal(await codeOf(approve(older.recommendationId, target)), 'recommendation_not_open');
  });
});
