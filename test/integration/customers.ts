import { createCloudCustomer, type CloudCustomer } from '../harness/cloud-customer.ts';
import { createCustomer, type Customer, type ProviderName } from '../harness/customer.ts';
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
