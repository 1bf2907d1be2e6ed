import type { Client } from '@temporalio/client';
import { Runtime } from '@temporalio/worker';
import { createCopyLimits } from '../../copy/copy-limits.ts';
import type { CloudAccounts } from '../../adapters/cloud-account/cloud-accounts.ts';
import type { Records } from '../../adapters/mongo/records.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import { createWorkflowCommands } from '../../adapters/temporal/commands.ts';
import { createVault } from '../../adapters/vault/vault.ts';
import { createWebhookSender } from '../../adapters/webhooks/sender.ts';
import { readWorkerConfig } from '../../config/worker.ts';
import type { TaskQueue } from '../../messages/names.ts';
import { activitiesFor, type FleetDeps } from '../../worker/fleet.ts';
import { createWorkMetrics } from '../../worker/metrics.ts';

type Given = Partial<FleetDeps> & {
  readonly client: Client;
  readonly records: Records;
  readonly stores: AccountStores;
};

const CONFIG = readWorkerConfig({
  MONGODB_URI: 'mongodb://unused',
  CREDENTIAL_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
});
const unused = (): never => {
  throw new Error('no cloud account is expected');
};
const UNUSED_ACCOUNTS: CloudAccounts = {
  listBuckets: unused,
  findOpenings: unused,
  open: unused,
  openStore: unused,
  usage: unused,
};

/** The activities of a queue, for a worker in this process: without limits, and no store is left alone. */
export function queueActivities(
  queue: TaskQueue,
  { client, records, now = () => new Date(), ...given }: Given,
): object {
  return activitiesFor(queue, {
    ...CONFIG,
    ...records,
    ...createWorkflowCommands(client, now),
    catalogue: CONFIG.priceBook.catalogue,
    vault: createVault(CONFIG.credentialKeys),
    sender: createWebhookSender(CONFIG.webhookRules),
    dashboardUrl: undefined,
    temporal: { ping: async () => undefined },
    onBackgroundError: () => undefined,
    guard: (_store, work) => work(),
    cloudAccounts: UNUSED_ACCOUNTS,
    limits: createCopyLimits({
      ...CONFIG.copying,
      bufferedBytes: 2 ** 26,
      now: () => performance.now(),
      wait: () => Promise.resolve(),
    }),
    metrics: createWorkMetrics(Runtime.instance().metricMeter),
    now,
    ...given,
  });
}
