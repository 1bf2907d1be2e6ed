import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isSoon } from '../../dev/probes.ts';
import type { Service } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import type { Migration } from '../../sdk/src/index.ts';
import { localMigrationService } from '../servers.ts';
import { createMover, requireProved, type Mover } from '../harness/migration-customer.ts';

type Fault = Parameters<Mover['double']['addFault']>[0];

const SIZES = [0, 1, 200_000];
/** One is too large to be held in memory. */
const STREAMED_BYTES = 9_000_000;
const OBJECTS = 24;

describe('a migration while things go wrong', () => {
  let stack: Stack;
  let service: Service;

  before(async () => {
    ({ stack, service } = await localMigrationService());
  });

  async function filled(count = OBJECTS): Promise<Mover> {
    const mover = await createMover(stack, service.baseUrl);
    mover.put(
      Array.from({ length: count }, (_unused, n) => ({
        key: `o/${String(n).padStart(4, '0')}`,
        size: n === 3 ? STREAMED_BYTES : (SIZES[n % SIZES.length] ?? 0),
        seed: `${n}`,
      })),
    );
    return mover;
  }

  /** Each of these passes, and then everything is there. */
  const passing: Record<string, (mover: Mover) => Fault[]> = {
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
  for (const [what, faultsOf] of Object.entries(passing)) {
    it(`gets over ${what}`, async () => {
      const mover = await filled();
      const { recommendationId } = await mover.recommend();
      for (const fault of faultsOf(mover)) mover.double.addFault(fault);
      const { migrationId } = await mover.client.migrations.approve(recommendationId, {
        targetProvider: 'b2',
      });
      const migration = await mover.migrated(migrationId);
      assert.equal(migration.status, 'completed', JSON.stringify(migration));
      await requireProved(mover, migration);
    });
  }

  it('gets over a target that hangs', async () => {
    const mover = await filled(8);
    const { recommendationId } = await mover.recommend();
    mover.double.addFault({
      effect: 'hang',
      operation: 'PutObject',
      bucket: mover.target,
      times: 1,
    });
    const { migrationId } = await mover.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const migration = await mover.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    await requireProved(mover, migration);
  });

  it('copies an object that changes while it is read as it is then', async () => {
    const mover = await filled(4);
    mover.put([{ key: 'o/changing', size: 300_000, seed: 'before' }]);
    const { recommendationId } = await mover.recommend();
    const { source: bucket } = mover;
    const key = 'o/changing';
    mover.double.addFault({ effect: 'latency', operation: 'GetObject', bucket, latencyMs: 1_500 });
    const { migrationId } = await mover.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const isCopying = async () =>
      (await mover.client.migrations.get(migrationId)).status === 'copying';
    assert.ok(await isSoon(isCopying, { withinMs: 60_000, everyMs: 20 }));
    mover.double.seed({ bucket, objects: [{ key, size: 400_000, seed: 'after' }] });
    mover.double.clearFaults();
    const migration = await mover.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    await requireProved(mover, migration);
    const line = (await mover.report(migrationId)).find((each) => each.key === key);
    assert.equal(line?.bytes, 400_000);
  });

  it('names an object that cannot be read, and copies the others', async () => {
    const mover = await filled();
    const { recommendationId } = await mover.recommend();
    const [bucket, key] = [mover.source, 'o/0002'];
    mover.double.addFault({ effect: 'access_denied', operation: 'GetObject', bucket, key });
    mover.double.addFault({
      effect: 'internal_error',
      operation: 'PutObject',
      bucket: mover.target,
      key: `${mover.source}/o/0007`,
    });
    const { migrationId } = await mover.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const migration = await mover.migrated(migrationId);
    mover.double.clearFaults();
    assert.equal(migration.status, 'completed_with_failures', JSON.stringify(migration));
    assert.deepEqual(
      migration.failures.map((failure) => [failure.key, failure.code]),
      [
        ['o/0002', 'source_refused'],
        ['o/0007', 'target_unavailable'],
      ],
    );
    await requireProved(mover, migration);
  });

  it('stops where more than fifty objects fail', async () => {
    const mover = await filled(200);
    const { recommendationId } = await mover.recommend();
    const { source: bucket } = mover;
    mover.double.addFault({
      effect: 'access_denied',
      operation: 'GetObject',
      bucket,
      key: 'o/01*',
    });
    const { migrationId } = await mover.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const migration = await mover.migrated(migrationId);
    mover.double.clearFaults();
    assert.equal(migration.status, 'failed');
    assert.equal(migration.error?.code, 'too_many_failures', JSON.stringify(migration));
    assert.ok(migration.progress.objectsFailed > 50 && migration.progress.objectsFailed < 120);
    await requireProved(mover, migration);
  });

  const revoked: Record<'source' | 'target', string> = { source: 'AWS S3', target: 'Backblaze B2' };
  for (const [side, title] of Object.entries(revoked) as ['source' | 'target', string][]) {
    // spec: migration.stored-credentials
    it(`stops where the ${side}'s credentials are revoked in the middle, and says whose`, async () => {
      const mover = await filled(200);
      const { source: bucket } = mover;
      mover.double.addFault({ effect: 'latency', operation: 'GetObject', bucket, latencyMs: 150 });
      const migrationId = await mover.move();
      await untilCopied(mover, migrationId);
      mover.double.removeUser(mover.keys[side].accessKeyId);
      const migration = await mover.migrated(migrationId);
      mover.double.clearFaults();
      assert.equal(migration.status, 'failed');
      assert.equal(migration.error?.code, 'provider_error', JSON.stringify(migration));
      assert.ok(migration.error?.message.startsWith(title), migration.error?.message);
      assert.ok(migration.progress.objectsCopied > 0);
      await requireProved(mover, migration);
    });
  }

  // spec: migration.stored-credentials
  it('goes on with credentials that were replaced in the middle', async () => {
    const mover = await filled(200);
    const { source: bucket } = mover;
    mover.double.addFault({ effect: 'latency', operation: 'GetObject', bucket, latencyMs: 150 });
    const migrationId = await mover.move();
    await untilCopied(mover, migrationId);
    const fresh = { accessKeyId: 'AKIAFRESHFRESHFRESH1', secretAccessKey: randomUUID() };
    mover.double.putUser({ ...fresh, accountId: mover.awsAccount });
    await mover.client.providers.save({
      provider: 'aws',
      ...fresh,
      bucketName: mover.source,
      region: 'us-east-1',
    });
    mover.double.removeUser(mover.keys.source.accessKeyId);
    mover.double.clearFaults();
    const migration = await mover.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    await requireProved(mover, migration);
  });

  it('fails before its first copy where the target does not let it write', async () => {
    const mover = await filled(4);
    const { recommendationId } = await mover.recommend();
    const bucket = mover.target;
    mover.double.addFault({ effect: 'access_denied', operation: 'PutObject', bucket });
    const { migrationId } = await mover.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const migration = await mover.migrated(migrationId);
    mover.double.clearFaults();
    assert.equal(migration.status, 'failed');
    assert.equal(migration.error?.code, 'provider_error');
    assert.equal(migration.progress.percent, null);
    assert.deepEqual(await mover.report(migrationId), []);
  });
});

async function untilCopied(mover: Mover, migrationId: string): Promise<Migration> {
  let seen: Migration | undefined;
  const isCopied = async () => {
    seen = await mover.client.migrations.get(migrationId);
    return seen.progress.objectsCopied > 0;
  };
  assert.ok(await isSoon(isCopied, { withinMs: 60_000, everyMs: 50 }), JSON.stringify(seen));
  assert.ok(seen);
  return seen;
}
