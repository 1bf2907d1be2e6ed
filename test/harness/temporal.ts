import { Client, Connection } from '@temporalio/client';
import type { Stack } from '../../dev/stack.ts';

/** A client of the stack's Temporal namespace. The caller closes its connection. */
export async function openTemporalClient({ environment }: Stack): Promise<Client> {
  const connection = await Connection.connect({ address: environment['TEMPORAL_ADDRESS'] ?? '' });
  return new Client({ connection, namespace: environment['TEMPORAL_NAMESPACE'] ?? '' });
}
