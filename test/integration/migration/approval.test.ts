import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Service } from '../../../dev/service.ts';
import type { Stack } from '../../../dev/stack.ts';
import { toCredentials } from '../../../dev/first-account.ts';
import { createCloudCustomer, refusal } from '../../harness/cloud-customer.ts';
import { localMigrationService } from '../../servers.ts';
import { createMover, requireProved, type Mover } from '../../harness/migration-customer.ts';

const MIB = 2 ** 20;

describe('the approval of a move', () => {
  let stack: Stack;
  let service: Service;

  before(async () => {
    ({ stack, service } = await localMigrationService());
  });

  async function filled(): Promise<Mover> {
    const mover = await createMover(stack, service.baseUrl);
    mover.put([{ key: 'a', size: 5 * MIB }]);
    return mover;
  }
  const codeOf = async (call: Promise<unknown>) => (await refusal(call)).code;

  // spec: scanner-sequence.approve
  it('given ten times at once is one approval, and one migration', async () => {
    const mover = await filled();
    const { recommendationId } = await mover.recommend();
    const approve = () =>
      mover.client.migrations.approve(recommendationId, { targetProvider: 'b2' });
    const approvals = await Promise.all(Array.from({ length: 10 }, approve));
    for (const approval of approvals) assert.deepEqual(approval, approvals[0]);
    const migrationId = approvals[0]?.migrationId ?? '';
    const migration = await mover.migrated(migrationId);
    assert.equal(migration.status, 'completed');
    assert.equal(migration.approvedBy, mover.accountId);
    await requireProved(mover, migration);
    assert.deepEqual(await approve(), approvals[0], 'and again after its end');
    const puts = mover.double
      .requests()
      .filter(({ bucket, operation }) => bucket === mover.target && operation === 'PutObject');
    assert.equal(puts.filter(({ key }) => key?.endsWith('/a')).length, 1, 'copied once');
  });

  // spec: migration.explicit-approval
  it('is bound to one target, and that is not the source', async () => {
    const mover = await filled();
    await mover.client.providers.save(toCredentials('r2', stack.environment));
    const { recommendationId } = await mover.recommend();
    const approve = (targetProvider: 'aws' | 'r2' | 'b2') =>
      mover.client.migrations.approve(recommendationId, { targetProvider });
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
    assert.equal((await mover.migrated(approved.migrationId)).status, 'completed');
  });

  it('is nobody else’s to give, to watch, to read or to end', async () => {
    const mover = await filled();
    const stranger = await createCloudCustomer(stack, service.baseUrl);
    const { recommendationId } = await mover.recommend();
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
    const migrationId = await mover.client.migrations
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
    assert.equal((await mover.migrated(migrationId)).status, 'completed');
  });

  // spec: scanner-sequence.copies
  it('needs both stores, and they stay as they are until the migration has ended', async () => {
    const mover = await filled();
    const { client, keys, source } = mover;
    const { recommendationId } = await mover.recommend();
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
    mover.double.addFault({
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
    mover.double.clearFaults();
    assert.equal((await mover.migrated(migrationId)).status, 'completed');
    await client.providers.delete('b2');
    await client.providers.delete('aws');
    assert.equal((await client.migrations.get(migrationId)).status, 'completed');
  });

  // spec: plans.entitlements
  it('is not in every plan', async () => {
    const api = await service.addApi({ DEFAULT_PLAN: 'free' });
    const mover = await createMover(stack, api.url);
    mover.put([{ key: 'a', size: 5 * MIB }]);
    const { recommendationId } = await mover.recommend();
    const approve = () =>
      mover.client.migrations.approve(recommendationId, { targetProvider: 'b2' });
    assert.equal(await codeOf(approve()), 'plan_limit');
    // The plan comes before the stores.
    await mover.client.providers.delete('aws');
    assert.equal(await codeOf(approve()), 'plan_limit');
  });

  it('races with a newer scan: whatever comes first, holds', async () => {
    for (let round = 0; round < 3; round += 1) {
      const mover = await filled();
      const { recommendationId } = await mover.recommend();
      const [approved, newer] = await Promise.allSettled([
        mover.client.migrations.approve(recommendationId, { targetProvider: 'b2' }),
        mover.scan(),
      ]);
      assert.equal(newer.status, 'fulfilled');
      if (approved.status === 'fulfilled') {
        const migration = await mover.migrated(approved.value.migrationId);
        assert.equal(migration.status, 'completed', JSON.stringify(migration));
      } else {
        assert.equal((approved.reason as { code?: string }).code, 'recommendation_not_open');
      }
    }
  });

  it('is refused of what a newer scan has superseded, and of what is no move', async () => {
    const mover = await filled();
    mover.double.seed({
      bucket: mover.source,
      uploads: [{ key: 'half', partSizes: [6 * MIB] }],
    });
    const { recommendations } = await mover.scan();
    const cleanUp = recommendations.find(({ kind }) => kind === 'abort_multipart_uploads');
    const older = recommendations.find(({ kind }) => kind === 'move');
    assert.ok(cleanUp && older);
    const { approve } = mover.client.migrations;
    const target = { targetProvider: 'b2' } as const;
    assert.equal(
      await codeOf(approve(cleanUp.recommendationId, target)),
      'recommendation_not_approvable',
    );
    await mover.scan();
    assert.equal(await codeOf(approve(older.recommendationId, target)), 'recommendation_not_open');
  });
});
