import assert from 'node:assert/strict';
import { ListObjectsV2Command, type ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import type { Service } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { isSoon } from '../../dev/system/probes.ts';
import type { Migration } from '../../sdk/src/index.ts';
import { assertInvariants } from '../harness/invariants.ts';
import {
  assertIdentical,
  createMigrationCustomer,
  type MigrationCustomer,
} from '../harness/migration-customer.ts';
import { localMigrationService } from '../servers.ts';

const MIB = 2 ** 20;
/** Three pages: as many slices work on them. */
const OBJECTS = 2_100;
/** Longer than a slice, and than an object in flight. */
const WATCHED_MS = 6_000;

describe('the end of a migration', () => {
  let stack: Stack;
  let service: Service;
  const migrating: MigrationCustomer[] = [];

  before(async () => {
    ({ stack, service } = await localMigrationService());
  });

  /** Stores so slow that the migration takes a minute. */
  async function moving(): Promise<{ customer: MigrationCustomer; migrationId: string }> {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    migrating.push(customer);
    customer.put(
      Array.from({ length: OBJECTS }, (_unused, n) => ({
        key: `o/${String(n).padStart(5, '0')}`,
        size: 70_000,
      })),
    );
    const { recommendationId } = await customer.recommend();
    const delay = (operation: string, bucket: string, key: string, latencyMs: number) =>
      customer.double.addFault({ effect: 'latency', operation, bucket, key, latencyMs });
    delay('GetObject', customer.source, '*', 400);
    // The slices end at different times.
    for (const page of ['00', '01']) delay('PutObject', customer.target, `*/o/${page}*`, 400);
    delay('PutObject', customer.target, '*/o/02*', 8_000);
    const { migrationId } = await customer.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const isCopying = async () =>
      (await customer.client.migrations.get(migrationId)).progress.objectsCopied > 100;
    assert.ok(await isSoon(isCopying, { withinMs: 60_000, everyMs: 50 }));
    return { customer, migrationId };
  }

  /** Everything that a customer can see of a migration. */
  async function observe(customer: MigrationCustomer, migrationId: string) {
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
  async function assertEnded(customer: MigrationCustomer, ended: Migration): Promise<void> {
    const first = await observe(customer, ended.migrationId);
    const isChanged = async () => {
      assert.deepEqual(await observe(customer, ended.migrationId), first);
      return false;
    };
    await isSoon(isChanged, { withinMs: WATCHED_MS, everyMs: 500 });
    assert.deepEqual(first.migration, ended);
    customer.double.clearFaults();
    await assertIdentical(customer, ended);
    const { objectsCopied, objectsFailed } = ended.progress;
    assert.ok(objectsCopied > 0 && objectsCopied < OBJECTS);
    assert.equal(first.report.length, objectsCopied + objectsFailed);
  }

  // spec: state.migration
  it('is said of a cancelled one when all objects in flight are there, and is cancelling before', async () => {
    const { customer, migrationId } = await moving();
    const answered = await customer.client.migrations.cancel(migrationId);
    assert.equal(answered.status, 'cancelling');
    assert.equal(answered.completedAt, null);
    const statuses = new Set<string>();
    const ended = await customer.client.migrations.waitFor(migrationId, {
      pollMs: 50,
      onProgress: ({ status }) => void statuses.add(status),
    });
    assert.equal(ended.status, 'cancelled', JSON.stringify(ended));
    assert.deepEqual([...statuses], ['cancelling', 'cancelled']);
    await assertEnded(customer, ended);
    assert.deepEqual(await customer.client.migrations.cancel(migrationId), ended);
  });

  it('is said of one that failed when the slices that did not fail have ended', async () => {
    const { customer, migrationId } = await moving();
    customer.double.removeUser(customer.keys.source.accessKeyId);
    const ended = await customer.migrated(migrationId);
    assert.equal(ended.status, 'failed', JSON.stringify(ended));
    assert.equal(ended.error?.code, 'provider_error');
    await assertEnded(customer, ended);
  });

  it('leaves no multipart upload, also where the target refuses to abort it at first', async () => {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    migrating.push(customer);
    customer.put([
      { key: 'parts', size: 64 * MIB + 1 },
      { key: 'small', size: 70_000 },
    ]);
    const { recommendationId } = await customer.recommend();
    const { target: bucket } = customer;
    customer.double.addFault({ effect: 'access_denied', operation: 'UploadPart', bucket });
    // The copy tries three times, and the end twice without success.
    const operation = 'AbortMultipartUpload';
    customer.double.addFault({ effect: 'access_denied', operation, bucket, times: 5 });
    const { migrationId } = await customer.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const ended = await customer.migrated(migrationId);
    customer.double.clearFaults();
    assert.deepEqual(
      ended.failures.map(({ key, code }) => [key, code]),
      [['parts', 'target_refused']],
    );
    await assertIdentical(customer, ended);
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service, migrating });
  });
});
