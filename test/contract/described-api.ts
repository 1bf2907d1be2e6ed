import { randomUUID } from 'node:crypto';
import type { Accounts } from '../../adapters/mongo/accounts.ts';
import { createLogger } from '../../adapters/telemetry/logger.ts';
import { createVault } from '../../adapters/vault/vault.ts';
import type { Route } from '../../api/http/route.ts';
import { createRoutes } from '../../api/routes.ts';
import { readApiConfig } from '../../config/api.ts';
import type { Account } from '../../domain/account/account.ts';
import { formatApiKey, hashApiKey, storeApiKey } from '../../domain/account/api-key.ts';

export const API_KEY = formatApiKey('test', randomUUID());
const NOW = new Date('2026-11-20T12:00:00.000Z');
export const now = () => NOW;

export const CONFIG = readApiConfig({
  MONGODB_URI: 'mongodb://nowhere',
  JWT_ISSUER: 'https://id.example',
  JWT_AUDIENCE: 'https://api.example',
  CREDENTIAL_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
});

export const ACCOUNT: Account = {
  accountId: 'acme',
  plan: 'free',
  createdAt: NOW,
  apiKey: storeApiKey(API_KEY, NOW),
  providers: {},
  providersRevision: 0,
};

/** A method of a port that only notes that it was asked. */
type Untouchable = (name: string) => () => never;

const createUntouchable =
  (touched: string[]): Untouchable =>
  (name) =>
  () => {
    touched.push(name);
    throw new Error(`${name} is not there: hunter2`);
  };

/** The service's table of routes, on ports that only note what they are asked. */
export function describeApi(touched: string[] = []): Route[] {
  const no = createUntouchable(touched);
  return createRoutes({
    ...CONFIG,
    now,
    accounts: createAccounts(touched),
    vault: createVault(CONFIG.credentialKeys),
    accountLists: {
      recommendations: no('accountLists.recommendations'),
      migrations: no('accountLists.migrations'),
    },
    files: {
      insert: no('files.insert'),
      find: no('files.find'),
      change: no('files.change'),
      extendUrl: no('files.extendUrl'),
      discard: no('files.discard'),
      insertTombstone: no('files.insertTombstone'),
      findDue: no('files.findDue'),
      postpone: no('files.postpone'),
      countRefusedDeletes: no('files.countRefusedDeletes'),
      countPending: no('files.countPending'),
      list: no('files.list'),
      isProviderInUse: no('files.isProviderInUse'),
      resumeDeletes: no('files.resumeDeletes'),
      sumBookings: no('files.sumBookings'),
    },
    quota: {
      read: no('quota.read'),
      book: no('quota.book'),
      readBookings: no('quota.readBookings'),
      withdraw: no('quota.withdraw'),
      listBookings: no('quota.listBookings'),
    },
    usage: { record: no('usage.record'), monthTotals: no('usage.monthTotals') },
    usageTotals: {
      generation: no('usageTotals.generation'),
      count: no('usageTotals.count'),
      read: no('usageTotals.read'),
    },
    stores: { at: no('stores.at'), of: no('stores.of') },
    uploads: {
      start: no('uploads.start'),
      wake: no('uploads.wake'),
    },
    connections: {
      save: no('connections.save'),
      findByRole: no('connections.findByRole'),
      find: no('connections.find'),
      list: no('connections.list'),
      remove: no('connections.remove'),
    },
    roleAttempts: { begin: no('roleAttempts.begin'), clear: no('roleAttempts.clear') },
    cloudAccounts: {
      listBuckets: no('cloudAccounts.listBuckets'),
      requiresExternalId: no('cloudAccounts.requiresExternalId'),
      open: no('cloudAccounts.open'),
    },
    readServiceAccount: no('readServiceAccount'),
    scans: {
      insertQueued: no('scans.insertQueued'),
      find: no('scans.find'),
      findDecisionBasis: no('scans.findDecisionBasis'),
      list: no('scans.list'),
      saveBucketList: no('scans.saveBucketList'),
      findBucketList: no('scans.findBucketList'),
      findListedBucket: no('scans.findListedBucket'),
      complete: no('scans.complete'),
      fail: no('scans.fail'),
      failOthers: no('scans.failOthers'),
      findDue: no('scans.findDue'),
      postpone: no('scans.postpone'),
    },
    scanBuckets: {
      open: no('scanBuckets.open'),
      save: no('scanBuckets.save'),
      inventories: no('scanBuckets.inventories'),
      decide: no('scanBuckets.decide'),
      results: no('scanBuckets.results'),
      progress: no('scanBuckets.progress'),
    },
    scanQuota: { book: no('scanQuota.book') },
    billing: undefined,
    billingEvents: { receive: no('billingEvents.receive'), settle: no('billingEvents.settle') },
    log: createLogger('test', 'silent'),
    recommendations: {
      replace: no('recommendations.replace'),
      ofScan: no('recommendations.ofScan'),
      find: no('recommendations.find'),
      supersede: no('recommendations.supersede'),
      supersededWithWorkflow: no('recommendations.supersededWithWorkflow'),
      clearHasWorkflow: no('recommendations.clearHasWorkflow'),
      expire: no('recommendations.expire'),
      findApproved: no('recommendations.findApproved'),
      approve: no('recommendations.approve'),
      withdraw: no('recommendations.withdraw'),
      requestCancel: no('recommendations.requestCancel'),
      findDue: no('recommendations.findDue'),
      postpone: no('recommendations.postpone'),
      isProviderInUse: no('recommendations.isProviderInUse'),
    },
    migrations: {
      open: no('migrations.open'),
      find: no('migrations.find'),
      ofConnection: no('migrations.ofConnection'),
      findManifestProgress: no('migrations.findManifestProgress'),
      saveManifestProgress: no('migrations.saveManifestProgress'),
      noteAcls: no('migrations.noteAcls'),
      seal: no('migrations.seal'),
      verify: no('migrations.verify'),
      cancel: no('migrations.cancel'),
      openStatus: no('migrations.openStatus'),
      close: no('migrations.close'),
      findEndReason: no('migrations.findEndReason'),
      end: no('migrations.end'),
      realise: no('migrations.realise'),
    },
    manifests: {
      add: no('manifests.add'),
      find: no('manifests.find'),
      begin: no('manifests.begin'),
      saveCounts: no('manifests.saveCounts'),
      saveProgress: no('manifests.saveProgress'),
      close: no('manifests.close'),
      counts: no('manifests.counts'),
      confirmed: no('manifests.confirmed'),
      samplesSince: no('manifests.samplesSince'),
      withFailures: no('manifests.withFailures'),
      latestCounts: no('manifests.latestCounts'),
      holds: no('manifests.holds'),
      migrated: no('manifests.migrated'),
    },
    ledger: {
      append: no('ledger.append'),
      close: no('ledger.close'),
      ofPage: no('ledger.ofPage'),
    },
    migrationCommands: {
      start: no('migrationCommands.start'),
      dismiss: no('migrationCommands.dismiss'),
      approve: no('migrationCommands.approve'),
      cancel: no('migrationCommands.cancel'),
      isLost: no('migrationCommands.isLost'),
      view: no('migrationCommands.view'),
    },
    onBackgroundError: () => {},
    scanCommands: {
      start: no('scanCommands.start'),
      abandon: no('scanCommands.abandon'),
      running: no('scanCommands.running'),
      isLost: no('scanCommands.isLost'),
      view: no('scanCommands.view'),
      latestBuckets: no('scanCommands.latestBuckets'),
    },
    mongodb: { ping: async () => {} },
    temporal: { ping: async () => {} },
  });
}

/** Authentication's own questions are answered. */
export function createAccounts(touched: string[]): Accounts {
  const no = createUntouchable(touched);
  return {
    find: no('accounts.find'),
    setApiKey: no('accounts.setApiKey'),
    announceProviderChange: no('accounts.announceProviderChange'),
    revokeProviderChange: no('accounts.revokeProviderChange'),
    saveProvider: no('accounts.saveProvider'),
    removeProvider: no('accounts.removeProvider'),
    withProviders: no('accounts.withProviders'),
    reseal: no('accounts.reseal'),
    findByCustomer: no('accounts.findByCustomer'),
    setCustomer: no('accounts.setCustomer'),
    replaceCustomer: no('accounts.replaceCustomer'),
    noteCheckout: no('accounts.noteCheckout'),
    saveSubscription: no('accounts.saveSubscription'),
    findByApiKeyHash: async (hash) => (hash === hashApiKey(API_KEY) ? ACCOUNT : undefined),
    findOrCreate: async () => ACCOUNT,
    touchApiKey: async () => {},
  };
}
