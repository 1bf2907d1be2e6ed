import type { Db } from 'mongodb';
import { createAccountLists, type AccountLists } from './account-lists.ts';
import { createAccounts, type Accounts } from './accounts.ts';
import { createBillingEvents, type BillingEvents } from './billing-events.ts';
import { createConnections, type Connections } from './connections.ts';
import { createActivities, type Activities } from './activities.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { createEvents, type Events } from './events.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';
import { createDismissals, type Dismissals } from './dismissals.ts';
import { createFiles, type Files } from './files.ts';
import { ensureIndexes, type IndexKind } from './indexes.ts';
import { createObjectLedger, type ObjectLedger } from './object-ledger.ts';
import { createManifests, type Manifests } from './manifests.ts';
import { createMigrations, type Migrations } from './migrations.ts';
import { createTargetClaims, type TargetClaims } from './target-claims.ts';
import { createMigrationUploads, type MigrationUploads } from './migration-uploads.ts';
import { createPriceBooks, type PriceBooks } from './price-books.ts';
import { openMongo, type Mongo, type MongoSettings } from './open.ts';
import { readOverdueWork, type OverdueWork } from './overdue.ts';
import { createFormerPlaces, type FormerPlaces } from './former-places.ts';
import { createQuota, createScanQuota, type Quota, type ScanQuota } from './quota.ts';
import { createRateWindows, type RateWindows } from './rate-windows.ts';
import { createRecommendations, type Recommendations } from './recommendations.ts';
import { createReleases, type Releases } from './releases.ts';
import { createRoleAttempts, type RoleAttempts } from './role-attempts.ts';
import { createScanBuckets, type ScanBuckets } from './scan-buckets.ts';
import {
  createSourceReconciliations,
  type SourceReconciliations,
} from './source-reconciliations.ts';
import { createScans, type Scans } from './scans.ts';
import { createScanUsage, type ScanUsage } from './scan-usage.ts';
import { createUsage, createUsageTotals, type Usage, type UsageTotals } from './usage.ts';

/** All collections, on one connection. */
export interface Records extends Pick<Mongo, 'ping' | 'close'> {
  readonly accounts: Accounts;
  readonly activities: Activities;
  readonly dismissals: Dismissals;
  readonly accountLists: AccountLists;
  readonly billingEvents: BillingEvents;
  readonly files: Files;
  readonly formerPlaces: FormerPlaces;
  readonly quota: Quota;
  readonly usage: Usage;
  readonly usageTotals: UsageTotals;
  readonly rateWindows: RateWindows;
  readonly connections: Connections;
  readonly roleAttempts: RoleAttempts;
  readonly priceBooks: PriceBooks;
  readonly events: Events;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly scans: Scans;
  readonly scanBuckets: ScanBuckets;
  readonly scanQuota: ScanQuota;
  readonly scanUsage: ScanUsage;
  readonly sourceReconciliations: SourceReconciliations;
  readonly recommendations: Recommendations;
  readonly migrations: Migrations;
  readonly manifests: Manifests;
  readonly ledger: ObjectLedger;
  readonly releases: Releases;
  readonly migrationUploads: MigrationUploads;
  readonly targetClaims: TargetClaims;
  readOverdueWork(now: Date): Promise<OverdueWork>;
  /** Those of rules before the first write; those for speed take as long as they take. */
  ensureIndexes(kind: IndexKind): Promise<void>;
}

export function openRecords(settings: MongoSettings): Records {
  const { db, ping, close } = openMongo(settings);
  const builders = new Set<Mongo>();
  return {
    ...createRecords(db),
    ping,
    async close() {
      await Promise.all([close(), ...[...builders].map((builder) => builder.close())]);
    },
    async ensureIndexes(kind) {
      await ping();
      // The server answers once an index is built, which takes minutes in a large collection.
      const builder = openMongo({ ...settings, answerTimeoutMs: 0 });
      builders.add(builder);
      try {
        await ensureIndexes(builder.db, kind);
      } finally {
        builders.delete(builder);
        await builder.close();
      }
    },
  };
}

/** All collections of a database. */
export function createRecords(db: Db): Omit<Records, 'ping' | 'close' | 'ensureIndexes'> {
  const ledger = createObjectLedger(db);
  const files = createFiles(db);
  const scans = createScans(db);
  const connections = createConnections(db);
  const recommendations = createRecommendations(db);
  const events = createEvents(db);
  const webhooks = createWebhooks(db);
  const deliveries = createDeliveries(db);
  const usage = createUsage(db);
  const usageTotals = createUsageTotals(db);
  return {
    accounts: createAccounts(db),
    accountLists: createAccountLists(db),
    activities: createActivities(db),
    dismissals: createDismissals(db),
    billingEvents: createBillingEvents(db),
    files,
    formerPlaces: createFormerPlaces(db),
    quota: createQuota(db, usageTotals),
    usage,
    usageTotals,
    rateWindows: createRateWindows(db),
    connections,
    roleAttempts: createRoleAttempts(db),
    priceBooks: createPriceBooks(db),
    events,
    webhooks,
    deliveries,
    scans,
    scanBuckets: createScanBuckets(db),
    scanQuota: createScanQuota(db),
    scanUsage: createScanUsage(db),
    sourceReconciliations: createSourceReconciliations(db),
    recommendations,
    migrations: createMigrations(db),
    manifests: createManifests(db, ledger),
    ledger,
    releases: createReleases(db),
    migrationUploads: createMigrationUploads(db),
    targetClaims: createTargetClaims(db),
    readOverdueWork: (at) =>
      readOverdueWork(
        { files, scans, connections, recommendations, events, deliveries, webhooks },
        at,
      ),
  };
}
