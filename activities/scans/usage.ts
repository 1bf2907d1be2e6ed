import { continueUsage } from '../../adapters/cloud-account/account-usage.ts';
import { findConnection } from '../../operations/connections/source.ts';
import { isRole, sourceAccount } from '../../domain/connections/connection.ts';
import type { ScanRequests } from '../../domain/scans/scan.ts';
import type { UsageWork } from '../../domain/scans/usage-work.ts';
import type { ScanRun } from '../../messages/scan.ts';
import type { ScanContext } from '../contexts.ts';

export type UsageActivities = ReturnType<typeof createUsageActivities>;

/** The bill and the metrics of a scan's buckets. What cannot be read never fails a scan. */
export function createUsageActivities(context: ScanContext) {
  const { scanBuckets, scanUsage, cloudAccounts, priceBook, progress } = context;
  return {
    /** Continues after earlier attempts. @returns the requests so far, and their cost */
    async readUsage(key: ScanRun): Promise<ScanRequests> {
      const connection = await findConnection(context, key);
      const stored = await scanUsage.open(key);
      // Only AWS has a bill and metrics that can be read.
      if (!isRole(connection)) return stored.requests;
      const { cloudAccountId } = sourceAccount(connection);
      const report = () => progress.report();
      /** On a revision conflict what is stored is kept. */
      const save = async (work: UsageWork) =>
        (await scanUsage.save(key.scanId, work))
          ? { ...work, revision: work.revision + 1 }
          : await scanUsage.open(key);
      const { requests } = await continueUsage(
        {
          priceBook,
          startedAt: new Date(key.startedAt),
          report,
          open: (meter) => ({
            account: cloudAccounts.open(connection, meter.count),
            usage: cloudAccounts.usage(connection, cloudAccountId, (usd) => {
              meter.charge(usd);
              report();
            }),
          }),
        },
        scanBuckets.inventories(key.scanId),
        stored,
        save,
      );
      return requests;
    },
  };
}
