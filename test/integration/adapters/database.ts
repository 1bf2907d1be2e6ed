import { randomUUID } from 'node:crypto';
import { openMongo } from '../../../adapters/mongo/common/open.ts';
import { openRecords } from '../../../adapters/mongo/records.ts';
import type { FileRecord, UsageRecord } from '../../../domain/uploads/file.ts';
import { toMicroUsd } from '../../../domain/pricing/money.ts';
import type { PlanLimits } from '../../../domain/accounts/plan.ts';
import { toMonth, type Month } from '../../../domain/common/time.ts';
import { describeFile, UNLIMITED } from '../../harness/described-file.ts';
import { opened } from '../../harness/opened.ts';
import { localServers } from '../../servers.ts';

/** A database of one suite on the real server, and a way to look into it. */
export type TestDatabase = Awaited<ReturnType<typeof openTestDatabase>>;

async function openTestDatabase() {
  const { mongodbUri: uri } = await localServers();
  const database = `test_${randomUUID().slice(0, 8)}`;
  const records = openRecords({ uri, database });
  const raw = openMongo({ uri, database });
  await records.ensureIndexes('rule');
  await records.ensureIndexes('speed');
  return {
    records,
    db: raw.db,
    close: () => Promise.all([records.close(), raw.close()]),
  };
}

/** A database of the suite that calls it, or of each of its tests. */
export function testDatabase(per: 'suite' | 'test' = 'suite'): TestDatabase {
  return opened(openTestDatabase, per);
}

export const NOW = new Date('2026-11-20T12:00:00.000Z');
export const NOVEMBER = toMonth(NOW);
export const DECEMBER = '2026-12' as Month;

export const freshId = (kind: string) => `${kind}-${randomUUID()}`;

export const limitsOf = (overrides: Partial<PlanLimits>): PlanLimits => ({
  ...UNLIMITED,
  ...overrides,
});

/** A file as init makes it, for which no work is due. */
export function fileOf(overrides: Partial<FileRecord> = {}): FileRecord {
  const { nextAttemptAt: _, ...file } = describeFile(NOW);
  return { ...file, ...overrides };
}

export function usageOf(overrides: Partial<UsageRecord> = {}): UsageRecord {
  return {
    fileId: randomUUID(),
    accountId: freshId('account'),
    month: NOVEMBER,
    provider: 'r2',
    sizeBytes: 1_000,
    savedVsAws: toMicroUsd(0.001),
    recordedAt: NOW,
    ...overrides,
  };
}

export function race<T>(times: number, call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => call(index)));
}
