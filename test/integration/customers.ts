import assert from 'node:assert/strict';
import { Long, type Db } from 'mongodb';
import type { UploadContext } from '../../activities/contexts.ts';
import { sweepFormerPlaces } from '../../activities/uploads/former-places.ts';
import type { Records } from '../../adapters/mongo/records.ts';
import { createAccessKey } from '../../dev/parts/cloud-account.ts';
import type { ServiceOptions } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { refusal } from '../contract/refusal.ts';
import { createCloudCustomer, type CloudCustomer } from '../harness/cloud-customer.ts';
import {
  createCustomer,
  openDatabase,
  type Customer,
  type ProviderName,
} from '../harness/customer.ts';
import {
  createMigrationCustomer,
  type MigrationCustomer,
  type MoveOptions,
} from '../harness/migration-customer.ts';
import { opened } from '../harness/opened.ts';
import { unreported } from '../harness/progress.ts';
import { stubbed } from '../harness/stubbed.ts';
import { openRecordsOf } from '../harness/stored-approval.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import {
  localMigrationService,
  localServers,
  localService,
  startIsolatedService,
} from '../servers.ts';

/** A customer of the shared service, with these stores. */
export async function newCustomer(...stores: ProviderName[]): Promise<Customer> {
  const [{ stack }, { baseUrl }] = [await localServers(), await localService()];
  return await createCustomer(stack, baseUrl, stores);
}

/** The same with a cloud account of its own. */
export async function newCloudCustomer(...stores: ProviderName[]): Promise<CloudCustomer> {
  const [{ stack }, { baseUrl }] = [await localServers(), await localService()];
  return await createCloudCustomer(stack, baseUrl, stores);
}

/** The same for each test of the suite that calls this; faults are cleared after it. */
export const cloudCustomerPerTest = (): CloudCustomer =>
  opened(async () => {
    const customer = await newCloudCustomer();
    return { ...customer, close: () => customer.double.clearFaults() };
  }, 'test');

type Objects = Parameters<MigrationCustomer['put']>[0];

/** A customer of the shared migration service, with these objects in the bucket of its `aws` store. */
export async function customerWith(objects: Objects = []): Promise<MigrationCustomer> {
  const { stack, service } = await localMigrationService();
  const customer = await createMigrationCustomer(stack, service.baseUrl);
  customer.put(objects);
  return customer;
}

/** Scans, approves the recommended move, and waits for the end of its migration. */
export async function migrate(
  customer: MigrationCustomer,
  {
    faults = [],
    target = 'b2',
    meanwhile,
  }: Pick<MoveOptions, 'faults'> & {
    readonly target?: 'b2' | 'r2';
    /** Between the scan and the approval. */
    readonly meanwhile?: () => void;
  } = {},
) {
  const recommendation = await customer.recommend();
  customer.addFaults(faults);
  meanwhile?.();
  const { recommendationId } = recommendation;
  const approval = { targetProvider: target };
  const { migrationId } = await customer.client.migrations.approve(recommendationId, approval);
  const migration = await customer.migrated(migrationId);
  customer.double.clearFaults();
  return { recommendation, recommendationId, migration };
}

/** A store in the customer's own cloud account, so that its keys may read what is moved. */
export function createOwnStore(customer: CloudCustomer) {
  const keys = createAccessKey();
  customer.double.putUser({ ...keys, accountId: customer.awsAccount });
  const bucketName = customer.bucket('uploads');
  return { provider: 'aws', ...keys, bucketName, region: 'us-east-1' } as const;
}

/** A bucket of so many photographs of the last weeks, whose move pays; its name. */
export function seedPress(customer: CloudCustomer, count: number): string {
  const bucket = customer.bucket('press');
  customer.readFromInternet();
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const lastModified = { from: daysAgo(25), to: daysAgo(2) };
  const generated = { count, keyPattern: 'a/{i:3}.jpg', size: [700_000, 1_000_000], lastModified };
  customer.double.seed({ bucket, generated: [generated] });
  return bucket;
}

/** The database of the shared service, for looking beside it. */
export const sharedDatabase = () =>
  opened(async () => await openDatabase((await localServers()).stack));

/** The database of the shared migration service. */
export const sharedMigrationDatabase = () =>
  opened(async () => await openDatabase((await localMigrationService()).stack));

/** The records of the shared service, or of another one. */
export const sharedRecords = (servers: () => Promise<{ stack: Stack }> = localServers) =>
  opened(async () => openRecordsOf((await servers()).stack));

/** Looks for former places that nothing needs, as the worker does some hours later. */
export async function sweepPlaces(records: Records, hours: number): Promise<void> {
  const at = addSeconds(new Date(), hours * 3_600);
  await sweepFormerPlaces(
    stubbed<UploadContext>({
      accounts: records.accounts,
      files: records.files,
      formerPlaces: records.formerPlaces,
      connections: records.connections,
      recommendations: records.recommendations,
      releases: records.releases,
      relocations: records.relocations,
      now: () => at,
      progress: unreported,
    }),
  );
}

/** Books so much of an account's month as if it had been used. */
export async function bookQuota(
  db: Db,
  accountId: string,
  { bytes, uploads }: { readonly bytes: number; readonly uploads: number },
): Promise<void> {
  const month = new Date().toISOString().slice(0, 7);
  const booked = { bytes: Long.fromNumber(bytes), uploads: Long.fromNumber(uploads) };
  await db
    .collection<{ _id: string }>('quota')
    .insertOne({ _id: `${month}/${accountId}`, accountId, month, ...booked } as { _id: string });
}

export const sharedTemporal = (servers: () => Promise<{ stack: Stack }> = localServers) =>
  opened(async () => {
    const { workflow, schedule, connection } = await openTemporalClient((await servers()).stack);
    return { workflow, schedule, close: () => connection.close() };
  });

/** A further API of the shared service, with these settings, for the suite that calls this. */
export const addedApi = (environment: Record<string, string>) =>
  opened(async () => {
    const api = await (await localService()).addApi(environment);
    return { ...api, close: () => api.kill() };
  });

/** A service of its own for the suite that calls this, and what looks beside it. */
export const isolatedService = (options: ServiceOptions) =>
  opened(async () => {
    const { stack, service } = await startIsolatedService(options);
    const [database, temporal] = [await openDatabase(stack), await openTemporalClient(stack)];
    const given = { stack, service, database, temporal };
    return {
      ...given,
      async close() {
        await temporal.connection.close();
        await database.close();
        await service.stop();
      },
    };
  });

/** Asserts that a call of the client library is refused so. */
export async function assertRefusal(
  call: Promise<unknown>,
  status: number,
  code: string,
  said = /./,
): Promise<void> {
  const error = await refusal(call);
  assert.deepEqual([error.status, error.code], [status, code], error.message);
  assert.match(error.message, said);
}
