import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isSoon } from '../../dev/system/probes.ts';
import type { Service } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import type { Migration } from '../../sdk/src/index.ts';
import { localMigrationService } from '../servers.ts';
import { assertInvariants } from '../harness/invariants.ts';
import {
  createMigrationCustomer,
  assertIdentical,
  type MigrationCustomer,
} from '../harness/migration-customer.ts';

type Fault = Parameters<MigrationCustomer['double']['addFault']>[0];

const SIZES = [0, 1, 200_000];
/** One is too large to be held in memory. */
const STREAMED_BYTES = 9_000_000;
const OBJECTS = 24;

describe('a migration while things go wrong', () => {
  let stack: Stack;
  let service: Service;
  const migrating: MigrationCustomer[] = [];

  before(async () => {
    ({ stack, service } = await localMigrationService());
  });

  async function filled(count = OBJECTS): Promise<MigrationCustomer> {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    migrating.push(customer);
    customer.put(
      Array.from({ length: count }, (_unused, n) => ({
        key: `o/${String(n).padStart(4, '0')}`,
        size: n === 3 ? STREAMED_BYTES : (SIZES[n % SIZES.length] ?? 0),
        seed: `${n}`,
      })),
    );
    return customer;
  }

  /** Each of these passes, and then everything is there. */
  const transient: Record<string, (customer: MigrationCustomer) => Fault[]> = {
    'a source that sends less than it announced': ({ source: bucket }) => [
      { effect: 'truncate', operation: 'GetObject', bucket, times: 5 },
    ],
    'a source that breaks off': ({ source: bucket }) => [
      { effect: 'cut', operation: 'GetObject', bucket, times: 5 },
    ],
    'stores that ask for fewer requests': ({ source, target }) => [
      { effect: 'slow_down', operation: 'GetObject', bucket: source, times: 8 },
      { effect: 'slow_down', operation: 'PutObject', bucket: target, times: 8 },
    ],
    'stores that answer with errors': ({ source, target }) => [
      { effect: 'internal_error', operation: 'GetObject', bucket: source, times: 4 },
      { effect: 'internal_error', operation: 'PutObject', bucket: target, times: 4 },
      { effect: 'internal_error', operation: 'ListObjectsV2', bucket: target, times: 2 },
      { effect: 'internal_error', operation: 'ListObjectsV2', bucket: source, times: 2, skip: 2 },
    ],
    'a target that resets connections': ({ target: bucket }) => [
      { effect: 'cut', operation: 'PutObject', bucket, times: 6 },
    ],
    'a target whose answers get lost after it has written': ({ target: bucket }) => [
      { effect: 'cut', at: 'response', operation: 'PutObject', bucket, times: 6 },
    ],
  };
  for (const [what, faultsOf] of Object.entries(transient)) {
    it(`gets over ${what}`, async () => {
      const customer = await filled();
      const { recommendationId } = await customer.recommend();
      for (const fault of faultsOf(customer)) customer.double.addFault(fault);
      const { migrationId } = await customer.client.migrations.approve(recommendationId, {
        targetProvider: 'b2',
      });
      const migration = await customer.migrated(migrationId);
      assert.equal(migration.status, 'completed', JSON.stringify(migration));
      await assertIdentical(customer, migration);
    });
  }

  it('gets over a target that hangs', async () => {
    const customer = await filled(8);
    const { recommendationId } = await customer.recommend();
    customer.double.addFault({
      effect: 'hang',
      operation: 'PutObject',
      bucket: customer.target,
      times: 1,
    });
    const { migrationId } = await customer.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const migration = await customer.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    await assertIdentical(customer, migration);
  });

  it('copies an object that changes while it is read as it is then', async () => {
    const customer = await filled(4);
    customer.put([{ key: 'o/changing', size: 300_000, seed: 'before' }]);
    const { recommendationId } = await customer.recommend();
    const { source: bucket } = customer;
    const key = 'o/changing';
    customer.double.addFault({
      effect: 'latency',
      operation: 'GetObject',
      bucket,
      latencyMs: 1_500,
    });
    const { migrationId } = await customer.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const isCopying = async () =>
      (await customer.client.migrations.get(migrationId)).status === 'copying';
    assert.ok(await isSoon(isCopying, { withinMs: 60_000, everyMs: 20 }));
    customer.double.seed({ bucket, objects: [{ key, size: 400_000, seed: 'after' }] });
    customer.double.clearFaults();
    const migration = await customer.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    await assertIdentical(customer, migration);
    const line = (await customer.report(migrationId)).find((each) => each.key === key);
    assert.equal(line?.bytes, 400_000);
  });

  it('names an object that cannot be read, and copies the others', async () => {
    const customer = await filled();
    const { recommendationId } = await customer.recommend();
    const [bucket, key] = [customer.source, 'o/0002'];
    customer.double.addFault({ effect: 'access_denied', operation: 'GetObject', bucket, key });
    customer.double.addFault({
      effect: 'internal_error',
      operation: 'PutObject',
      bucket: customer.target,
      key: `${customer.source}/o/0007`,
    });
    const { migrationId } = await customer.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const migration = await customer.migrated(migrationId);
    customer.double.clearFaults();
    assert.equal(migration.status, 'completed_with_failures', JSON.stringify(migration));
    assert.deepEqual(
      migration.failures.map((failure) => [failure.key, failure.code]),
      [
        ['o/0002', 'source_refused'],
        ['o/0007', 'target_unavailable'],
      ],
    );
    await assertIdentical(customer, migration);
  });

  it('stops where more than fifty objects fail', async () => {
    const customer = await filled(200);
    const { recommendationId } = await customer.recommend();
    const { source: bucket } = customer;
    customer.double.addFault({
      effect: 'access_denied',
      operation: 'GetObject',
      bucket,
      key: 'o/01*',
    });
    const { migrationId } = await customer.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const migration = await customer.migrated(migrationId);
    customer.double.clearFaults();
    assert.equal(migration.status, 'failed');
    assert.equal(migration.error?.code, 'too_many_failures', JSON.stringify(migration));
    assert.ok(migration.progress.objectsFailed > 50 && migration.progress.objectsFailed < 120);
    await assertIdentical(customer, migration);
  });

  const revoked: Record<'source' | 'target', string> = { source: 'AWS S3', target: 'Backblaze B2' };
  for (const [side, title] of Object.entries(revoked) as ['source' | 'target', string][]) {
    // spec: migration.stored-credentials
    it(`stops when the ${side}'s credentials are revoked midway, and names the side`, async () => {
      const customer = await filled(200);
      const { source: bucket } = customer;
      customer.double.addFault({
        effect: 'latency',
        operation: 'GetObject',
        bucket,
        latencyMs: 150,
      });
      const migrationId = await customer.move();
      await untilCopied(customer, migrationId);
      customer.double.removeUser(customer.keys[side].accessKeyId);
      const migration = await customer.migrated(migrationId);
      customer.double.clearFaults();
      assert.equal(migration.status, 'failed');
      assert.equal(migration.error?.code, 'provider_error', JSON.stringify(migration));
      assert.ok(migration.error?.message.startsWith(title), migration.error?.message);
      assert.ok(migration.progress.objectsCopied > 0);
      await assertIdentical(customer, migration);
    });
  }

  // spec: migration.stored-credentials
  it('continues with credentials that are replaced midway', async () => {
    const customer = await filled(200);
    const { source: bucket } = customer;
    customer.double.addFault({ effect: 'latency', operation: 'GetObject', bucket, latencyMs: 150 });
    const migrationId = await customer.move();
    await untilCopied(customer, migrationId);
    const fresh = { accessKeyId: 'AKIAFRESHFRESHFRESH1', secretAccessKey: randomUUID() };
    customer.double.putUser({ ...fresh, accountId: customer.awsAccount });
    await customer.client.providers.save({
      provider: 'aws',
      ...fresh,
      bucketName: customer.source,
      region: 'us-east-1',
    });
    customer.double.removeUser(customer.keys.source.accessKeyId);
    customer.double.clearFaults();
    const migration = await customer.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    await assertIdentical(customer, migration);
  });

  it('fails before its first copy where the target does not let it write', async () => {
    const customer = await filled(4);
    const { recommendationId } = await customer.recommend();
    const bucket = customer.target;
    customer.double.addFault({ effect: 'access_denied', operation: 'PutObject', bucket });
    const { migrationId } = await customer.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const migration = await customer.migrated(migrationId);
    customer.double.clearFaults();
    assert.equal(migration.status, 'failed');
    assert.equal(migration.error?.code, 'provider_error');
    assert.equal(migration.progress.percent, null);
    assert.deepEqual(await customer.report(migrationId), []);
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service, migrating });
  });
});

async function untilCopied(customer: MigrationCustomer, migrationId: string): Promise<Migration> {
  let seen: Migration | undefined;
  const isCopied = async () => {
    seen = await customer.client.migrations.get(migrationId);
    return seen.progress.objectsCopied > 0;
  };
  assert.ok(await isSoon(isCopied, { withinMs: 60_000, everyMs: 50 }), JSON.stringify(seen));
  assert.ok(seen);
  return seen;
}
