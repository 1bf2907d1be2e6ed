import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import type { Stack } from '../../dev/stack.ts';
import { uploadWorkflowId } from '../../messages/names.ts';
import { eventually } from './customer.ts';

/** A client of the stack's Temporal namespace. The caller closes its connection. */
export async function openTemporalClient({ environment }: Stack): Promise<Client> {
  const connection = await Connection.connect({ address: environment['TEMPORAL_ADDRESS'] ?? '' });
  return new Client({ connection, namespace: environment['TEMPORAL_NAMESPACE'] ?? '' });
}

/** The workflow of an upload, once it is started: an init does not wait for it. */
export async function startedUpload(
  { workflow }: Pick<Client, 'workflow'>,
  fileId: string,
): Promise<WorkflowHandle> {
  const handle = workflow.getHandle(uploadWorkflowId(fileId));
  await eventually('the workflow is started', () =>
    handle.describe().then(
      () => true,
      () => false,
    ),
  );
  return handle;
}
