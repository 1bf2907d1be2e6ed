import type { Db } from 'mongodb';
import { createAccountLists, type AccountLists } from './recommendations/account-lists.ts';
import { createAccounts, type Accounts } from './accounts/accounts.ts';
import { createBillingEvents, type BillingEvents } from './billing/billing-events.ts';
import { createConnections, type Connections } from './connections/connections.ts';
import { Activities } from './common/activities.ts';
import { createDeliveries, type Deliveries } from './webhooks/deliveries.ts';
import { Outbox } from './common/outbox.ts';
import { createWebhooks, type Webhooks } from './webhooks/webhooks.ts';
import { createDismissals, type Dismissals } from './recommendations/dismissals.ts';
import { createFiles, type Files } from './uploads/files.ts';
import { ensureIndexes, type IndexKind } from './common/indexes.ts';
import { createObjectLedger, type ObjectLedger } from './migrations/object-ledger.ts';
import { createManifests, type Manifests } from './migrations/manifests.ts';
import { createMigrations, type Migrations } from './migrations/migrations.ts';
import { createTargetClaims, type TargetClaims } from './migrations/target-claims.ts';
import { createMigrationUploads, type MigrationUploads } from './migrations/migration-uploads.ts';
import { createPriceBooks, type PriceBooks } from './pricing/price-books.ts';
import { openMongo, type Mongo, type MongoSettings } from './common/open.ts';
import { readOverdueWork, type OverdueWork } from './overdue.ts';
import { createFormerPlaces, type FormerPlaces } from './providers/former-places.ts';
import { createQuota, createScanQuota, type Quota, type ScanQuota } from './uploads/quota.ts';
import { createRateWindows, type RateWindows } from './accounts/rate-windows.ts';
import { createRecommendations, type Recommendations } from './recommendations/recommendations.ts';
import { createReleases, type Releases } from './migrations/releases.ts';
import { createRoleAttempts, type RoleAttempts } from './connections/role-attempts.ts';
import { createScanBuckets, type ScanBuckets } from './scans/scan-buckets.ts';
import {
  createSourceReconciliations,
  type SourceReconciliations,
} from './scans/source-reconciliations.ts';
import { createScans, type Scans } from './scans/scans.ts';
import { createScanUsage, type ScanUsage } from './scans/scan-usage.ts';
import { createUsage, createUsageTotals, type Usage, type UsageTotals } from './uploads/usage.ts';

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
  readonly outbox: Outbox;
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
  const formerPlaces = createFormerPlaces(db);
  const releases = createReleases(db);
  const scans = createScans(db);
  const connections = createConnections(db);
  const recommendations = createRecommendations(db);
  const outbox = new Outbox(db);
  const webhooks = createWebhooks(db);
  const deliveries = createDeliveries(db);
  const usage = createUsage(db);
  const usageTotals = createUsageTotals(db);
  return {
    accounts: createAccounts(db),
    accountLists: createAccountLists(db),
    activities: new Activities(db, outbox),
    dismissals: createDismissals(db),
    billingEvents: createBillingEvents(db),
    files,
    formerPlaces,
    quota: createQuota(db, usageTotals),
    usage,
    usageTotals,
    rateWindows: createRateWindows(db),
    connections,
    roleAttempts: createRoleAttempts(db),
    priceBooks: createPriceBooks(db),
    outbox,
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
    releases,
    migrationUploads: createMigrationUploads(db),
    targetClaims: createTargetClaims(db),
    readOverdueWork: (at) =>
      readOverdueWork(
        {
          files,
          formerPlaces,
          scans,
          connections,
          recommendations,
          releases,
          outbox,
          deliveries,
          webhooks,
        },
        at,
      ),
  };
}
