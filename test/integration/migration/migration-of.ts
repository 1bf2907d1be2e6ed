import type { ApprovedMigration, Migration } from '../../../sdk/src/index.ts';
import {
  createMigrationCustomer,
  type MigrationCustomer,
} from '../../harness/migration-customer.ts';
import { localMigrationService } from '../../servers.ts';

type Objects = Parameters<MigrationCustomer['put']>[0];
type Fault = Parameters<MigrationCustomer['double']['addFault']>[0];

/** What is moved, and what happens between the scan and the approval. */
export interface Move {
  readonly objects: Objects | ((customer: MigrationCustomer) => Objects);
  /** At the source or the target, from the approval on. */
  readonly faults?: readonly (Fault & { readonly side: 'source' | 'target' })[];
  readonly target?: 'b2' | 'r2';
  readonly meanwhile?: (customer: MigrationCustomer) => void;
}

/** A customer with these objects in the bucket of its `aws` store. */
export async function customerWith(objects: Move['objects'] = []): Promise<MigrationCustomer> {
  const { stack, service } = await localMigrationService();
  const customer = await createMigrationCustomer(stack, service.baseUrl);
  customer.put(typeof objects === 'function' ? objects(customer) : objects);
  return customer;
}

export const manyObjects = (count: number, size: number): Objects =>
  Array.from({ length: count }, (_, at) => ({ key: `o/${at}`, size }));

/** Scans, approves the recommended move, and waits for the end of its migration. */
export async function migrationOf({ objects, ...rest }: Move) {
  return await migrate(await customerWith(objects), rest);
}

/** The same for a customer whose objects are there. */
export async function migrate(
  customer: MigrationCustomer,
  { faults = [], target = 'b2', meanwhile }: Partial<Omit<Move, 'objects'>> = {},
) {
  const recommendation = await customer.recommend();
  for (const { side, ...fault } of faults)
    customer.double.addFault({ bucket: customer[side], ...fault });
  meanwhile?.(customer);
  const { recommendationId } = recommendation;
  const { migrations } = customer.client;
  const approved: ApprovedMigration = await migrations.approve(recommendationId, {
    targetProvider: target,
  });
  const migration: Migration = await customer.migrated(approved.migrationId);
  customer.double.clearFaults();
  return { customer, recommendation, approved, migration };
}
