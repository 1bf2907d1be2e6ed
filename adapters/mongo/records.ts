import { createAccounts, type Accounts } from './accounts.ts';
import { createBillingEvents, type BillingEvents } from './billing-events.ts';
import { createConnections, type Connections } from './connections.ts';
import { createFiles, type Files } from './files.ts';
import { ensureIndexes } from './indexes.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createManifests, type Manifests } from './manifests.ts';
import { createMigrations, type Migrations } from './migrations.ts';
import { openMongo, type Mongo, type MongoSettings } from './open.ts';
import { createQuota, type Quota } from './quota.ts';
import { createRateWindows, type RateWindows } from './rate-windows.ts';
import { createRecommendations, type Recommendations } from './recommendations.ts';
import { createScanBuckets, type ScanBuckets } from './scan-buckets.ts';
import { createScanLookBacks, type ScanLookBacks } from './scan-look-backs.ts';
import { createScanQuota, type ScanQuota } from './scan-quota.ts';
import { createScans, type Scans } from './scans.ts';
import { createTallies, type Tallies } from './tallies.ts';
import { createUsage, type Usage } from './usage.ts';

/** Everything that is kept, behind one connection. */
export interface Records extends Pick<Mongo, 'ping' | 'close'> {
  readonly accounts: Accounts;
  readonly billingEvents: BillingEvents;
  readonly files: Files;
  readonly quota: Quota;
  readonly usage: Usage;
  readonly tallies: Tallies;
  readonly rateWindows: RateWindows;
  readonly connections: Connections;
  readonly scans: Scans;
  readonly scanBuckets: ScanBuckets;
  readonly scanQuota: ScanQuota;
  readonly scanLookBacks: ScanLookBacks;
  readonly recommendations: Recommendations;
  readonly migrations: Migrations;
  readonly manifests: Manifests;
  readonly ledger: Ledger;
  ensureIndexes(): Promise<void>;
}

export function openRecords(settings: MongoSettings): Records {
  const { db, ping, close } = openMongo(settings);
  const ledger = createLedger(db);
  return {
    accounts: createAccounts(db),
    billingEvents: createBillingEvents(db),
    files: createFiles(db),
    quota: createQuota(db),
    usage: createUsage(db),
    tallies: createTallies(db),
    rateWindows: createRateWindows(db),
    connections: createConnections(db),
    scans: createScans(db),
    scanBuckets: createScanBuckets(db),
    scanQuota: createScanQuota(db),
    scanLookBacks: createScanLookBacks(db),
    recommendations: createRecommendations(db),
    migrations: createMigrations(db),
    manifests: createManifests(db, ledger),
    ledger,
    ensureIndexes: () => ensureIndexes(db),
    ping,
    close,
  };
}
