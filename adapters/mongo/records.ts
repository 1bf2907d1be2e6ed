import { createAccounts, type Accounts } from './accounts.ts';
import { createFiles, type Files } from './files.ts';
import { ensureIndexes } from './indexes.ts';
import { openMongo, type Mongo, type MongoSettings } from './open.ts';
import { createQuota, type Quota } from './quota.ts';
import { createRateWindows, type RateWindows } from './rate-windows.ts';
import { createUsage, type Usage } from './usage.ts';

/** Everything that is kept, behind one connection. */
export interface Records extends Pick<Mongo, 'ping' | 'close'> {
  readonly accounts: Accounts;
  readonly files: Files;
  readonly quota: Quota;
  readonly usage: Usage;
  readonly rateWindows: RateWindows;
  ensureIndexes(): Promise<void>;
}

export function openRecords(settings: MongoSettings): Records {
  const { db, ping, close } = openMongo(settings);
  return {
    accounts: createAccounts(db),
    files: createFiles(db),
    quota: createQuota(db),
    usage: createUsage(db),
    rateWindows: createRateWindows(db),
    ensureIndexes: () => ensureIndexes(db),
    ping,
    close,
  };
}
