import type { Db } from 'mongodb';
import { AccountLists } from './recommendations/account-lists.ts';
import { Accounts } from './accounts/accounts.ts';
import { BillingEvents } from './billing/billing-events.ts';
import { Connections } from './connections/connections.ts';
import { Activities } from './common/activities.ts';
import { Deliveries } from './webhooks/deliveries.ts';
import { Outbox } from './common/outbox.ts';
import { Webhooks } from './webhooks/webhooks.ts';
import { Dismissals } from './recommendations/dismissals.ts';
import { Files } from './uploads/files.ts';
import { ensureIndexes, type IndexKind } from './common/indexes.ts';
import { ObjectLedger } from './migrations/object-ledger.ts';
import { Manifests } from './migrations/manifests.ts';
import { Migrations } from './migrations/migrations.ts';
import { TargetClaims } from './migrations/target-claims.ts';
import { MigrationUploads } from './migrations/migration-uploads.ts';
import { PriceBooks } from './pricing/price-books.ts';
import { openMongo, type Mongo, type MongoSettings } from './common/open.ts';
import { readOverdueWork, type OverdueWork } from './overdue.ts';
import { FormerPlaces } from './providers/former-places.ts';
import { Quota, ScanQuota } from './uploads/quota.ts';
import { RateWindows } from './accounts/rate-windows.ts';
import { Recommendations } from './recommendations/recommendations.ts';
import { Drills } from './drills/drills.ts';
import { DrillSchedules } from './drills/schedules.ts';
import { Relocations } from './relocations/relocations.ts';
import { Releases } from './migrations/releases.ts';
import { RoleAttempts } from './connections/role-attempts.ts';
import { ScanBuckets } from './scans/scan-buckets.ts';
import { SourceReconciliations } from './scans/source-reconciliations.ts';
import { Scans } from './scans/scans.ts';
import { ScanUsage } from './scans/scan-usage.ts';
import { Usage, UsageTotals } from './uploads/usage.ts';

/** All collections, on one connection. */
export interface Records extends ReturnType<typeof createRecords>, Pick<Mongo, 'ping' | 'close'> {
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
export function createRecords(db: Db) {
  const ledger = new ObjectLedger(db);
  const outbox = new Outbox(db);
  const usageTotals = new UsageTotals(db);
  const records = {
    accounts: new Accounts(db),
    accountLists: new AccountLists(db),
    activities: new Activities(db, outbox),
    dismissals: new Dismissals(db),
    billingEvents: new BillingEvents(db),
    files: new Files(db),
    formerPlaces: new FormerPlaces(db),
    quota: new Quota(db, usageTotals),
    usage: new Usage(db),
    usageTotals,
    rateWindows: new RateWindows(db),
    connections: new Connections(db),
    roleAttempts: new RoleAttempts(db),
    priceBooks: new PriceBooks(db),
    outbox,
    webhooks: new Webhooks(db),
    deliveries: new Deliveries(db),
    scans: new Scans(db),
    scanBuckets: new ScanBuckets(db),
    scanQuota: new ScanQuota(db),
    scanUsage: new ScanUsage(db),
    sourceReconciliations: new SourceReconciliations(db),
    recommendations: new Recommendations(db),
    migrations: new Migrations(db),
    manifests: new Manifests(db, ledger),
    ledger,
    releases: new Releases(db),
    relocations: new Relocations(db),
    drills: new Drills(db),
    drillSchedules: new DrillSchedules(db),
    migrationUploads: new MigrationUploads(db),
    targetClaims: new TargetClaims(db),
  };
  return {
    ...records,
    readOverdueWork: (now: Date): Promise<OverdueWork> => readOverdueWork(records, now),
  };
}
