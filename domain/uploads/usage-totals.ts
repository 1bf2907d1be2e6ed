import type { ProviderName } from '../providers/catalogue.ts';
import type { FileEvent, FileRecord } from './file.ts';
import type { Booked } from '../accounts/plan.ts';

/** Completed uploads, their bytes and their savings. Exact, also beyond 2^53. */
export interface Routed {
  readonly uploads: bigint;
  readonly bytes: bigint;
  readonly savedMicroUsd: bigint;
}

export interface FileEventCounts {
  readonly expired: bigint;
  /** Files with an accepted delete. */
  readonly deleted: bigint;
  /** Those that were active before. */
  readonly deletedActive: bigint;
  /** Those that had expired before. */
  readonly deletedExpired: bigint;
}

/** The reservations that files gave back: those that expired, or were deleted while pending. */
export interface Released {
  readonly releasedUploads: bigint;
  readonly releasedBytes: bigint;
}

/** The totals of one account and one month. An event that never occurred is absent. */
export interface MonthlyTotals extends Partial<FileEventCounts>, Partial<Released> {
  readonly byProvider?: Readonly<Record<ProviderName, Partial<Routed>>>;
}

/** Files by status, except pending ones. */
export interface FileCounts {
  readonly active: bigint;
  readonly deleted: bigint;
  readonly expired: bigint;
}

const NOTHING_ROUTED: Routed = { uploads: 0n, bytes: 0n, savedMicroUsd: 0n };

/**
 * What one event adds to the totals of its file's month:
 *
 * | event     | adds                                                               |
 * | --------- | ------------------------------------------------------------------ |
 * | completed | one upload, the bytes and the saving, to the provider it was routed to; for an expired file, the opposite of `expired` too |
 * | expired   | `expired`; the reservation is released                             |
 * | deleted   | `deleted`, and what it was before: `deletedActive`, `deletedExpired`; a reservation that it still held is released |
 */
export function eventTotals(file: FileRecord, event: FileEvent): MonthlyTotals {
  switch (event) {
    case 'completed': {
      const bytes = BigInt(file.sizeBytes);
      const savedMicroUsd = BigInt(file.savedVsAws);
      const byProvider = { [file.routing.provider]: { uploads: 1n, bytes, savedMicroUsd } };
      if (!file.expiredAt) return { byProvider };
      return { byProvider, expired: -1n, releasedUploads: -1n, releasedBytes: -bytes };
    }
    case 'expired':
      return { expired: 1n, ...releasedReservation(file) };
    case 'deleted':
      if (file.completedAt) return { deleted: 1n, deletedActive: 1n };
      if (file.expiredAt) return { deleted: 1n, deletedExpired: 1n };
      return { deleted: 1n, ...releasedReservation(file) };
  }
}

function releasedReservation({ sizeBytes }: FileRecord): Released {
  return { releasedUploads: 1n, releasedBytes: BigInt(sizeBytes) };
}

/** The reservations that files of the month gave back. */
export function releases({ releasedBytes = 0n, releasedUploads = 0n }: MonthlyTotals): Booked {
  return { bytes: Number(releasedBytes), uploads: Number(releasedUploads) };
}

/**
 * The booked part of a quota: all bookings minus the released ones. The two are not read at the
 * same moment, so the difference is clamped at zero.
 */
export function stillBooked(bookings: Booked, sums: MonthlyTotals): Booked {
  const freed = releases(sums);
  return {
    bytes: Math.max(0, bookings.bytes - freed.bytes),
    uploads: Math.max(0, bookings.uploads - freed.uploads),
  };
}

function addRouted(one: Routed, other: Partial<Routed>): Routed {
  return {
    uploads: one.uploads + (other.uploads ?? 0n),
    bytes: one.bytes + (other.bytes ?? 0n),
    savedMicroUsd: one.savedMicroUsd + (other.savedMicroUsd ?? 0n),
  };
}

/** The sum of several totals, the same in any order. */
export function addTotals(
  parts: readonly MonthlyTotals[],
): MonthlyTotals & FileEventCounts & Released {
  const happened = {
    expired: 0n,
    deleted: 0n,
    deletedActive: 0n,
    deletedExpired: 0n,
    releasedUploads: 0n,
    releasedBytes: 0n,
  };
  const byProvider: Record<ProviderName, Routed> = {};
  for (const part of parts) {
    for (const name of Object.keys(happened) as (keyof typeof happened)[])
      happened[name] += part[name] ?? 0n;
    for (const [provider, routed] of Object.entries(part.byProvider ?? {})) {
      byProvider[provider] = addRouted(byProvider[provider] ?? NOTHING_ROUTED, routed);
    }
  }
  return { ...happened, byProvider };
}

export function totalRouted({ byProvider = {} }: MonthlyTotals): Routed {
  return Object.values(byProvider).reduce<Routed>(addRouted, NOTHING_ROUTED);
}

/** Files by status; a file that is being deleted counts as deleted. */
export function fileCounts(sums: MonthlyTotals): FileCounts {
  const { expired, deleted, deletedActive, deletedExpired } = addTotals([sums]);
  return {
    active: totalRouted(sums).uploads - deletedActive,
    expired: expired - deletedExpired,
    deleted,
  };
}
