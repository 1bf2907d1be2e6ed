import assert from 'node:assert/strict';
import { ListObjectsV2Command, type ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { isSoon } from '../../dev/system/probes.ts';
import type { Migration } from '../../sdk/src/index.ts';
import { assertInvariants } from '../harness/invariants.ts';
import {
  assertIdentical,
  migrationOf,
  untilCopied,
  type ApprovedMove,
  type MigrationSuite,
  type SideFault,
} from '../harness/migration-customer.ts';
import { localMigrationService } from '../servers.ts';

/** Three pages: as many slices work on them. */
const OBJECTS = 2_100;
/** Longer than a slice, and than an object in flight. */
const WATCHED_MS = 6_000;
const LATE = { effect: 'latency', operation: 'PutObject', side: 'target' } as const;
/** The migration takes a minute, and its slices end at different times. */
const SLOW: readonly SideFault[] = [
  { ...LATE, operation: 'GetObject', side: 'source', latencyMs: 400 },
  { ...LATE, key: '*/o/0*', latencyMs: 400 },
  { ...LATE, key: '*/o/1*', latencyMs: 400 },
  { ...LATE, key: '*/o/2*', latencyMs: 8_000 },
];

describe('the end of a migration', () => {
  let suite: MigrationSuite;
  before(async () => {
    suite = { ...(await localMigrationService()), migrating: [] };
  });

  async function moving(): Promise<ApprovedMove> {
    const move = await migrationOf(suite, { objects: OBJECTS, faults: SLOW });
    await untilCopied(move, 100);
    return move;
  }

  /** Everything that a customer can see of a migration. */
  async function observe({ customer, migrationId }: ApprovedMove) {
    const s3 = customer.s3For(customer.target);
    const listing: string[] = [];
    let after: string | undefined;
    do {
      const request = new ListObjectsV2Command({ Bucket: customer.target, StartAfter: after });
      const page: ListObjectsV2CommandOutput = await s3.send(request);
      const { Contents = [] } = page;
      for (const { Key, ETag, LastModified } of Contents)
        listing.push(`${Key} ${ETag} ${LastModified?.toISOString()}`);
      after = Contents.at(-1)?.Key;
    } while (after !== undefined);
    return {
      listing,
      leftovers: await customer.leftovers(),
      report: await customer.report(migrationId),
      migration: await customer.client.migrations.get(migrationId),
    };
  }

  /** Nothing that a customer can see changes for some seconds after the end was answered. */
  async function assertEnded(move: ApprovedMove, ended: Migration): Promise<void> {
    const first = await observe(move);
    const isChanged = async () => {
      assert.deepEqual(await observe(move), first);
      return false;
    };
    await isSoon(isChanged, { withinMs: WATCHED_MS, everyMs: 500 });
    assert.deepEqual(first.migration, ended);
    move.customer.double.clearFaults();
    await assertIdentical(move.customer, ended);
    const { objectsCopied, objectsFailed } = ended.progress;
    assert.ok(objectsCopied > 0 && objectsCopied < OBJECTS);
    assert.equal(first.report.length, objectsCopied + objectsFailed);
  }

  // spec: state.migration
  it('is said of a cancelled one when all objects in flight are there, and is cancelling before', async () => {
    const move = await moving();
    const { migrations } = move.customer.client;
    const answered = await migrations.cancel(move.migrationId);
    assert.equal(answered.status, 'cancelling');
    assert.equal(answered.completedAt, null);
    const statuses = new Set<string>();
    const ended = await migrations.waitFor(move.migrationId, {
      pollMs: 50,
      onProgress: ({ status }) => void statuses.add(status),
    });
    assert.equal(ended.status, 'cancelled', JSON.stringify(ended));
    assert.deepEqual([...statuses], ['cancelling', 'cancelled']);
    await assertEnded(move, ended);
    assert.deepEqual(await migrations.cancel(move.migrationId), ended);
  });

  it('is said of one that failed when the slices that did not fail have ended', async () => {
    const move = await moving();
    const { customer } = move;
    customer.double.removeUser(customer.keys.source.accessKeyId);
    const ended = await customer.migrated(move.migrationId);
    assert.equal(ended.status, 'failed', JSON.stringify(ended));
    assert.equal(ended.error?.code, 'provider_error');
    await assertEnded(move, ended);
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants(suite);
  });
});
