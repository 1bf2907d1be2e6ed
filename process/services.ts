import { createCloudAccounts } from '../adapters/cloud-account/cloud-accounts.ts';
import { createAssumeRole } from '../adapters/cloud-account/roles.ts';
import { openRecords } from '../adapters/mongo/records.ts';
import { createAccountStores } from '../adapters/object-store/account-stores.ts';
import { createEndpoints } from '../adapters/object-store/address.ts';
import {
  createStoreHttp,
  traceStoreHttp,
  type StoreHttpClientOptions,
} from '../adapters/object-store/http-client.ts';
import { createObjectStores } from '../adapters/object-store/s3-store.ts';
import { createStoreClocks } from '../adapters/object-store/store-clocks.ts';
import { createWorkflowCommands } from '../adapters/temporal/commands.ts';
import { openTemporal } from '../adapters/temporal/open.ts';
import { createVault } from '../adapters/vault/vault.ts';
import { createWebhookSender } from '../adapters/webhooks/sender.ts';
import type { SharedConfig } from '../config/shared.ts';
import { noteFailing } from '../operations/providers/failing.ts';
import type { RunningProcess } from './run.ts';

/** What a process opens once: the servers, the stores, and the workflows. */
export type Services = Awaited<ReturnType<typeof openServices>>;

/** @param options the client of the stores; with a deadline, each call of a request ends by it */
export async function openServices(
  { config, requests, log, tracing }: RunningProcess<SharedConfig>,
  options: StoreHttpClientOptions,
) {
  const { deadline } = options;
  const now = () => new Date();
  const onBackgroundError = (err: unknown) => log.warn({ err }, 'work outside a request failed');
  const records = openRecords(config.mongo);
  const traced = tracing ? [(await import('../adapters/temporal/tracing.ts')).traceClient()] : [];
  const temporal = openTemporal(config.temporal, requests, traced);
  const client = createStoreHttp(options);
  const http = tracing ? traceStoreHttp(client, tracing) : client;
  const clocks = createStoreClocks(now);
  const vault = createVault(config.credentialKeys);
  const { catalogue } = config.priceBook;
  const findEndpoint = createEndpoints(catalogue, config.endpoints);
  return {
    now,
    onBackgroundError,
    records,
    temporal,
    clocks,
    vault,
    catalogue,
    findEndpoint,
    sender: createWebhookSender(config.webhookRules),
    stores: createAccountStores(
      { vault, formerPlaces: records.formerPlaces },
      createObjectStores({ http, findEndpoint, clocks }),
      catalogue,
      (account, location) =>
        noteFailing({ ...records, catalogue, now, onBackgroundError }, account, location),
    ),
    cloudAccounts: createCloudAccounts({
      assumeRole: createAssumeRole(config.sts, deadline),
      http,
      findEndpoint,
      usageEndpoints: config.usageEndpoints,
      clocks,
    }),
    ...createWorkflowCommands(temporal.client, now, deadline),

    async close() {
      client.close();
      await Promise.allSettled([records.close(), temporal.close()]);
      await tracing?.close();
    },
  };
}
