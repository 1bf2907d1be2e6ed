import assert from 'node:assert/strict';
import type { Stack } from '../../dev/stack.ts';
import { createCloudCustomer, refusal, type CloudCustomer } from '../harness/cloud-customer.ts';
import {
  createCustomer,
  openDatabase,
  type Customer,
  type ProviderName,
} from '../harness/customer.ts';
import { opened } from '../harness/opened.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { localServers, localService } from '../servers.ts';

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

/** The database of the shared service, for looking beside it. */
export const sharedDatabase = () =>
  opened(async () => await openDatabase((await localServers()).stack));

/** A client of the service's Temporal namespace. */
export const sharedTemporal = (servers: () => Promise<{ stack: Stack }> = localServers) =>
  opened(async () => {
    const { workflow, schedule, connection } = await openTemporalClient((await servers()).stack);
    return { workflow, schedule, close: () => connection.close() };
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
