import type {
  BookingsSum,
  QuotaCounter,
  QuotaPeriod,
  QuotaPosition,
} from '../../adapters/mongo/uploads/quota.ts';
import { INTERVALS } from '../../domain/common/intervals.ts';
import { addMonths, toMonth } from '../../domain/common/time.ts';
import type { UploadContext } from '../contexts.ts';

/** Each page with a counter that has moved waits once for the inits in flight. */
const PAGE = 5_000;
const IN_FLIGHT_MS = INTERVALS.inFlightSeconds * 1_000;
const NOTHING_HELD = { bytes: 0, uploads: 0 } as const;

export type QuotaActivities = ReturnType<typeof createQuotaActivities>;

export function createQuotaActivities(context: UploadContext) {
  const { quota, now } = context;
  return {
    /**
     * Subtracts from each counter of this month and the month before the bookings that an init left
     * without a file. A counter whose value is the one that was reconciled last is passed over. The
     * position is stored account by account, and within one that has many files: the next run
     * continues there, and a run that has reached the end lets the next one begin anew.
     *
     * The counter is read first and the documents after `INTERVALS.inFlightSeconds`, so what
     * happens in between appears in the documents only: the difference can be too small, never too
     * large. Two runs at once correct a counter once.
     */
    async reconcileQuota(): Promise<{ corrected: number }> {
      const present = toMonth(now());
      const position = await quota.readPosition();
      let corrected = 0;
      for (const month of [addMonths(present, -1), present]) {
        if (position && month < position.month) continue;
        const start = position?.month === month ? position : { month, accountId: '' };
        corrected += await reconcileMonth(context, start);
      }
      await quota.savePosition(undefined);
      return { corrected };
    },
  };
}

/** Reconciles the counters of a month behind a position. How many were lowered. */
async function reconcileMonth(
  context: UploadContext,
  { sum, ...start }: QuotaPosition,
): Promise<number> {
  const { quota, progress } = context;
  const { month } = start;
  let { accountId } = start;
  let lowered = 0;
  if (sum) {
    if (await reconcileCounter(context, start, sum)) lowered += 1;
    ({ accountId } = sum.counter);
  }
  let page: QuotaCounter[];
  do {
    page = await quota.listCounters(month, accountId, PAGE);
    lowered += await reconcilePage(context, page, { month, accountId });
    accountId = page.at(-1)?.accountId ?? accountId;
    await quota.savePosition({ month, accountId });
    progress.report();
  } while (page.length === PAGE);
  return lowered;
}

/** Reconciles those of a page that have moved, once the inits of their bookings are over. */
async function reconcilePage(
  context: UploadContext,
  counters: readonly QuotaCounter[],
  first: QuotaPeriod,
): Promise<number> {
  const moved = counters.filter(({ isReconciled }) => !isReconciled);
  if (moved.length === 0) return 0;
  await context.progress.reportWhile(context.wait(IN_FLIGHT_MS), IN_FLIGHT_MS);
  let lowered = 0;
  let after = first;
  for (const counter of moved) {
    if (await reconcileCounter(context, after, { counter, held: NOTHING_HELD })) lowered += 1;
    after = { month: counter.month, accountId: counter.accountId };
  }
  return lowered;
}

/**
 * Subtracts from a counter what no document explains. True if it was lowered.
 *
 * @param after the last account that is finished
 */
async function reconcileCounter(
  { files, quota, progress }: UploadContext,
  after: QuotaPeriod,
  { counter, held: { bytes, uploads }, lastFileId }: BookingsSum,
): Promise<boolean> {
  const held = { bytes, uploads };
  for await (const piece of files.sumBookings(counter, lastFileId)) {
    held.bytes += piece.bytes;
    held.uploads += piece.uploads;
    const sum = { counter, held, lastFileId: piece.next };
    if (piece.next !== undefined) await quota.savePosition({ ...after, sum });
    progress.report();
  }
  const { month, accountId, bookings } = counter;
  const isLowered = await quota.reconcile(counter, {
    bytes: Math.max(0, bookings.bytes - held.bytes),
    uploads: Math.max(0, bookings.uploads - held.uploads),
  });
  await quota.savePosition({ month, accountId });
  return isLowered;
}
