import type { Account } from '../../domain/accounts/account.ts';
import type { FileRecord } from '../../domain/uploads/file.ts';
import { addTotals, fileCounts, type MonthlyTotals } from '../../domain/uploads/usage-totals.ts';
import { addMonths, toMonth, monthsBetween, type Month } from '../../domain/common/time.ts';
import type { Deps } from '../common/deps.ts';

export type AnalyticsDeps = Deps<'catalogue' | 'files' | 'usageTotals' | 'now'>;

export interface AnalyticsSummary {
  /** Files that wait for their bytes. */
  readonly pending: number;
  readonly months: ReadonlyMap<Month, MonthlyTotals>;
  readonly currentMonth: Month;
}

export interface HistoryPage {
  /** The newest first. */
  readonly files: readonly FileRecord[];
  readonly total: number;
}

const MONTHS_SHOWN = 12;

export async function getSummary(deps: AnalyticsDeps, account: Account): Promise<AnalyticsSummary> {
  const [pending, months] = await Promise.all([
    deps.files.countPending(account.accountId),
    readAllMonths(deps, account),
  ]);
  return { pending, months, currentMonth: toMonth(deps.now()) };
}

/** The sums of the last 12 months, the oldest first; a month without any is an empty sum. */
export async function getMonths(
  { usageTotals, now }: AnalyticsDeps,
  { accountId }: Account,
): Promise<(readonly [Month, MonthlyTotals])[]> {
  const current = toMonth(now());
  const months = monthsBetween(addMonths(current, 1 - MONTHS_SHOWN), current);
  const sums = await usageTotals.read(accountId, months);
  return months.map((month) => [month, sums.get(month) ?? {}]);
}

/** One page of the account's files, with the number of all. */
export async function getRoutingHistory(
  deps: AnalyticsDeps,
  account: Account,
  page: { readonly limit: number; readonly offset: number },
): Promise<HistoryPage> {
  const [files, pending, months] = await Promise.all([
    deps.files.listFiles(account.accountId, page),
    deps.files.countPending(account.accountId),
    readAllMonths(deps, account),
  ]);
  const { active, deleted, expired } = fileCounts(addTotals([...months.values()]));
  return { files, total: pending + Number(active + deleted + expired) };
}

/** One month more at either end, because the clocks of two processes may differ at midnight. */
async function readAllMonths(
  { usageTotals, now }: AnalyticsDeps,
  { accountId, createdAt }: Account,
): Promise<Map<Month, MonthlyTotals>> {
  const first = addMonths(toMonth(createdAt), -1);
  return await usageTotals.read(accountId, monthsBetween(first, addMonths(toMonth(now()), 1)));
}
