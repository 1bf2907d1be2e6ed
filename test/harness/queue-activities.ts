import { Runtime } from '@temporalio/worker';
import { createCopyLimits } from '../../copy/copy-limits.ts';
import type { CloudAccounts } from '../../adapters/cloud-account/cloud-accounts.ts';
import { createVault } from '../../adapters/vault/vault.ts';
import { createWebhookSender } from '../../adapters/webhooks/sender.ts';
import { readWorkerConfig } from '../../config/worker.ts';
import type { TaskQueue } from '../../messages/names.ts';
import { activitiesFor, type FleetDeps } from '../../worker/fleet.ts';
import { createWorkMetrics } from '../../worker/metrics.ts';

type Given = Pick<FleetDeps, 'client' | 'records' | 'stores'> & Partial<FleetDeps>;

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
export function queueActivities(queue: TaskQueue, given: Given): object {
  return activitiesFor(queue, {
    ...CONFIG,
    vault: createVault(CONFIG.credentialKeys),
    sender: createWebhookSender(CONFIG.webhookRules),
    dashboardUrl: undefined,
    guard: (_store, work) => work(),
    cloudAccounts: UNUSED_ACCOUNTS,
    limits: createCopyLimits({
      ...CONFIG.copying,
      bufferedBytes: 2 ** 26,
      now: () => performance.now(),
      wait: () => Promise.resolve(),
    }),
    metrics: createWorkMetrics(Runtime.instance().metricMeter),
    now: () => new Date(),
    ...given,
  });
}
